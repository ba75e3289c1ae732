//! A remote model: its name, such as `ollama:nomic-embed-text` or `openai:text-embedding-3-large@256`, facts known by
//! that name, and its description as it was learnt when the user chose it.

use std::fmt;

use recall_core::ModelFingerprint;
use serde::{Deserialize, Serialize};

use crate::providers::provider::{Wire, is_provider_name};

/// A model that a provider runs, with what a request to it needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteModel {
    /// Its name, with its provider: `openai:text-embedding-3-small`.
    pub name: String,
    /// The address to which texts are sent. The user was told it.
    pub address: String,
    /// The dimensions of its embeddings.
    pub dimensions: usize,
    /// Text that precedes every query.
    pub query_prefix: String,
    /// Text that precedes every document.
    pub document_prefix: String,
    /// The tokens that it reads of a text.
    pub window_tokens: usize,
}

impl RemoteModel {
    /// Parses its name.
    ///
    /// # Errors
    /// See [`NameError`].
    pub fn parse_name(&self) -> Result<RemoteName, NameError> {
        RemoteName::parse(&self.name)
    }

    /// Returns its fingerprint: a hash of everything that decides about its embeddings.
    pub fn fingerprint(&self, wire: Wire) -> ModelFingerprint {
        let Self { name, address, dimensions, query_prefix, document_prefix, window_tokens } = self;
        let numbers = format!("{dimensions} {window_tokens}");
        let parts = ["remote", wire.as_str(), name, address, &numbers, query_prefix, document_prefix];
        ModelFingerprint::hash(&parts.map(str::as_bytes))
    }

    /// Returns what a million tokens cost, in dollars; `None` if that is not known.
    pub fn price(&self, wire: Wire) -> Option<f64> {
        known_limits(wire, &self.parse_name().ok()?.model).price
    }
}

/// What is known about a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Known {
    pub(crate) query_prefix: &'static str,
    pub(crate) document_prefix: &'static str,
    /// The tokens that are read of a text.
    pub(crate) window_tokens: usize,
    /// Dollars per million tokens, as listed in November 2026.
    pub(crate) price: Option<f64>,
}

/// The window of a model that is not in the table. Most models have at least this.
const UNKNOWN: Known = Known { query_prefix: "", document_prefix: "", window_tokens: 512, price: None };

/// The instruction of retrieval models that were trained with one.
const PASSAGES: &str = "Represent this sentence for searching relevant passages: ";

/// The instruction of models that read one before a question.
const INSTRUCT: &str = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ";

const E5: Known = Known { query_prefix: "query: ", document_prefix: "passage: ", ..UNKNOWN };

const OPENAI: &[Wire] = &[Wire::OpenAi];
const VOYAGE: &[Wire] = &[Wire::Voyage];
const OLLAMA: &[Wire] = &[Wire::Ollama];
/// The servers of models with open weights. Prefixes belong to the model, whatever runs it.
const OPEN: &[Wire] = &[Wire::Ollama, Wire::OpenAi];

/// The models by the beginnings of their names, the longest first where one begins with another. A name counts without what
/// precedes its last slash.
const MODELS: &[(&[Wire], &str, Known)] = &[
    // Ollama runs it with a window of 2,048 tokens unless it is told otherwise.
    (
        OPEN,
        "nomic-embed-text",
        Known { query_prefix: "search_query: ", document_prefix: "search_document: ", window_tokens: 2048, ..UNKNOWN },
    ),
    (OPEN, "mxbai-embed-large", Known { query_prefix: PASSAGES, ..UNKNOWN }),
    (OPEN, "snowflake-arctic-embed2", Known { query_prefix: "query: ", window_tokens: 2048, ..UNKNOWN }),
    (OPEN, "snowflake-arctic-embed-l-v2", Known { query_prefix: "query: ", window_tokens: 2048, ..UNKNOWN }),
    (OPEN, "snowflake-arctic-embed-m-v2", Known { query_prefix: "query: ", window_tokens: 2048, ..UNKNOWN }),
    (OPEN, "snowflake-arctic-embed", Known { query_prefix: PASSAGES, ..UNKNOWN }),
    (OPEN, "multilingual-e5-large-instruct", Known { query_prefix: INSTRUCT, ..UNKNOWN }),
    (OPEN, "e5-mistral", Known { query_prefix: INSTRUCT, window_tokens: 4096, ..UNKNOWN }),
    (OPEN, "multilingual-e5-", E5),
    (OPEN, "e5-", E5),
    (OPEN, "bge-small-en", Known { query_prefix: PASSAGES, ..UNKNOWN }),
    (OPEN, "bge-base-en", Known { query_prefix: PASSAGES, ..UNKNOWN }),
    (OPEN, "bge-large-en", Known { query_prefix: PASSAGES, ..UNKNOWN }),
    (
        OPEN,
        "coderankembed",
        Known { query_prefix: "Represent this query for searching relevant code: ", window_tokens: 2048, ..UNKNOWN },
    ),
    (OPEN, "all-minilm", Known { window_tokens: 256, ..UNKNOWN }),
    (OLLAMA, "bge-m3", Known { window_tokens: 2048, ..UNKNOWN }),
    (OPENAI, "bge-m3", Known { window_tokens: 8192, ..UNKNOWN }),
    (OPENAI, "text-embedding-3-small", Known { window_tokens: 8191, price: Some(0.02), ..UNKNOWN }),
    (OPENAI, "text-embedding-3-large", Known { window_tokens: 8191, price: Some(0.13), ..UNKNOWN }),
    (OPENAI, "text-embedding-ada-002", Known { window_tokens: 8191, price: Some(0.10), ..UNKNOWN }),
    (VOYAGE, "voyage-code-3", Known { window_tokens: 32_000, price: Some(0.18), ..UNKNOWN }),
    (VOYAGE, "voyage-3-large", Known { window_tokens: 32_000, price: Some(0.18), ..UNKNOWN }),
    (VOYAGE, "voyage-3.5-lite", Known { window_tokens: 32_000, price: Some(0.02), ..UNKNOWN }),
    (VOYAGE, "voyage-3.5", Known { window_tokens: 32_000, price: Some(0.06), ..UNKNOWN }),
    (VOYAGE, "voyage-", Known { window_tokens: 16_000, ..UNKNOWN }),
];

/// What LM Studio puts in front of the names of models for embeddings.
const LM_STUDIO: &str = "text-embedding-";

/// Returns what is known about a model.
pub(crate) fn known_limits(wire: Wire, model: &str) -> Known {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    find(wire, &name).or_else(|| find(wire, name.strip_prefix(LM_STUDIO)?)).unwrap_or(UNKNOWN)
}

/// Returns what a model with open weights expects before a question and before a text, by its name.
pub(crate) fn known_prefixes(model: &str) -> (&'static str, &'static str) {
    let Known { query_prefix, document_prefix, .. } = known_limits(Wire::Ollama, model);
    (query_prefix, document_prefix)
}

fn find(wire: Wire, name: &str) -> Option<Known> {
    let row = MODELS.iter().find(|(wires, beginning, _)| wires.contains(&wire) && name.starts_with(beginning))?;
    Some(row.2)
}

/// The maximum length of a name, in bytes.
const LONGEST_NAME: usize = 200;

/// The name of a remote model.
///
/// The provider is before the first colon. A number after the last `@` is the number of dimensions to ask for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemoteName {
    /// The name of the provider.
    pub provider: String,
    /// The name that the provider gives the model.
    pub model: String,
    /// The number of dimensions to ask for; `None` for the model's own.
    pub dimensions: Option<usize>,
}

impl RemoteName {
    /// Returns whether a name is that of a remote model. Installed models have no colon in their names.
    pub fn is_remote(name: &str) -> bool {
        name.contains(':')
    }

    /// Parses a name.
    ///
    /// # Errors
    /// See [`NameError`].
    pub fn parse(name: &str) -> Result<Self, NameError> {
        let malformed = || NameError::Malformed { name: name.to_owned() };
        let (provider, rest) = name.split_once(':').ok_or_else(malformed)?;
        let (model, dimensions) = match rest.rsplit_once('@') {
            Some((model, number)) => (model, Some(number.parse().map_err(|_| malformed())?)),
            None => (rest, None),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/');
        let is_good = name.len() <= LONGEST_NAME
            && is_provider_name(provider)
            && model.starts_with(|c: char| c.is_ascii_alphanumeric())
            && model.chars().all(is_plain)
            && dimensions != Some(0);
        if !is_good {
            return Err(malformed());
        }
        Ok(Self { provider: provider.to_owned(), model: model.to_owned(), dimensions })
    }
}

impl fmt::Display for RemoteName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { provider, model, dimensions } = self;
        write!(f, "{provider}:{model}")?;
        dimensions.map_or(Ok(()), |dimensions| write!(f, "@{dimensions}"))
    }
}

/// A name is not that of a remote model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// The name is malformed.
    #[error(
        "`{name}` is not the name of a remote model, such as `ollama:nomic-embed-text` or `openai:text-embedding-3-large@256`"
    )]
    Malformed {
        /// The name.
        name: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NetworkKind, REGISTRY};

    #[test]
    fn everything_that_decides_about_embeddings_changes_the_fingerprint() {
        let model = RemoteModel {
            name: "lab:m".to_owned(),
            address: "http://lab/v1".to_owned(),
            dimensions: 8,
            query_prefix: "q: ".to_owned(),
            document_prefix: "d: ".to_owned(),
            window_tokens: 512,
        };
        let others = [
            RemoteModel { name: "lab:n".to_owned(), ..model.clone() },
            RemoteModel { address: "http://lab/v2".to_owned(), ..model.clone() },
            RemoteModel { dimensions: 9, ..model.clone() },
            RemoteModel { query_prefix: String::new(), ..model.clone() },
            RemoteModel { document_prefix: String::new(), ..model.clone() },
            RemoteModel { window_tokens: 256, ..model.clone() },
        ];
        let fingerprint = model.fingerprint(Wire::OpenAi);
        assert_eq!(fingerprint, model.clone().fingerprint(Wire::OpenAi));
        for other in others {
            assert_ne!(other.fingerprint(Wire::OpenAi), fingerprint, "{other:?}");
        }
        assert_ne!(model.fingerprint(Wire::Voyage), fingerprint);
    }

    #[test]
    fn a_model_is_found_by_the_beginning_of_its_name() {
        assert_eq!(known_limits(Wire::Ollama, "nomic-embed-text:v1.5").query_prefix, "search_query: ");
        assert_eq!(known_limits(Wire::OpenAi, "nomic-ai/nomic-embed-text-v1.5").document_prefix, "search_document: ");
        assert_eq!(known_limits(Wire::Voyage, "voyage-code-3").price, Some(0.18));
        assert_eq!(known_limits(Wire::Voyage, "voyage-3.5-lite").price, Some(0.02));
        assert_eq!(known_limits(Wire::OpenAi, "unheard-of"), UNKNOWN);
    }

    #[test]
    fn a_model_with_open_weights_has_its_prefixes_on_every_server() {
        for wire in [Wire::Ollama, Wire::OpenAi] {
            for name in ["multilingual-e5-small", "intfloat/multilingual-e5-large", "e5-base-v2"] {
                let Known { query_prefix, document_prefix, .. } = known_limits(wire, name);
                assert_eq!((query_prefix, document_prefix), ("query: ", "passage: "), "{name}");
            }
            let instructed = known_limits(wire, "multilingual-e5-large-instruct");
            assert!(instructed.query_prefix.starts_with("Instruct: ") && instructed.document_prefix.is_empty());
            assert_eq!(known_limits(wire, "BAAI/bge-small-en-v1.5").query_prefix, PASSAGES);
            assert_eq!(known_limits(wire, "text-embedding-nomic-embed-text-v1.5").query_prefix, "search_query: ");
        }
        assert_eq!(known_limits(Wire::Voyage, "multilingual-e5-small"), UNKNOWN);
    }

    #[test]
    fn a_model_has_the_same_prefixes_installed_and_on_a_server() {
        for known in REGISTRY.iter().filter(|known| known.kind == NetworkKind::Embed) {
            let Known { query_prefix, document_prefix, .. } = known_limits(Wire::OpenAi, known.name);
            assert_eq!((query_prefix, document_prefix), (known.query_prefix, known.document_prefix), "{}", known.name);
        }
    }

    #[test]
    fn a_longer_beginning_is_before_a_shorter_one() {
        for (place, (wires, beginning, _)) in MODELS.iter().enumerate() {
            let earlier = MODELS[..place].iter().find(|(others, shorter, _)| {
                beginning.starts_with(shorter) && others.iter().any(|wire| wires.contains(wire))
            });
            assert!(earlier.is_none(), "{beginning} is never found");
        }
    }

    #[test]
    fn a_name_has_a_provider_a_model_and_maybe_dimensions() {
        let check = |name: &str, provider: &str, model: &str, dimensions| {
            let parsed = RemoteName::parse(name).expect(name);
            assert_eq!(
                (parsed.provider.as_str(), parsed.model.as_str(), parsed.dimensions),
                (provider, model, dimensions)
            );
            assert_eq!(parsed.to_string(), name);
        };
        check("ollama:nomic-embed-text", "ollama", "nomic-embed-text", None);
        check("ollama:nomic-embed-text:v1.5", "ollama", "nomic-embed-text:v1.5", None);
        check("openai:text-embedding-3-large@256", "openai", "text-embedding-3-large", Some(256));
        check("lab-1:BAAI/bge-m3", "lab-1", "BAAI/bge-m3", None);
        for wrong in [
            "minilm",
            ":x",
            "openai:",
            "openai:x@",
            "openai:x@0",
            "openai:x@many",
            "open ai:x",
            "openai:x y",
            "openai:../x",
        ] {
            assert!(RemoteName::parse(wrong).is_err(), "{wrong}");
        }
    }
}
