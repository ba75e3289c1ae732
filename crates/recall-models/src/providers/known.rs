//! Facts about models by their names: prefixes, window and price.

use crate::providers::provider::Wire;

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

/// The models by the beginnings of their names, the longest first where one begins with another. A name counts without what
/// precedes its last slash.
const MODELS: &[(Wire, &str, Known)] = &[
    // Ollama runs it with a window of 2,048 tokens unless it is told otherwise.
    (
        Wire::Ollama,
        "nomic-embed-text",
        Known { query_prefix: "search_query: ", document_prefix: "search_document: ", window_tokens: 2048, ..UNKNOWN },
    ),
    (Wire::Ollama, "mxbai-embed-large", Known { query_prefix: PASSAGES, ..UNKNOWN }),
    (Wire::Ollama, "snowflake-arctic-embed2", Known { query_prefix: "query: ", window_tokens: 2048, ..UNKNOWN }),
    (Wire::Ollama, "snowflake-arctic-embed", Known { query_prefix: PASSAGES, ..UNKNOWN }),
    (Wire::Ollama, "all-minilm", Known { window_tokens: 256, ..UNKNOWN }),
    (Wire::Ollama, "bge-m3", Known { window_tokens: 2048, ..UNKNOWN }),
    (Wire::OpenAi, "text-embedding-3-small", Known { window_tokens: 8191, price: Some(0.02), ..UNKNOWN }),
    (Wire::OpenAi, "text-embedding-3-large", Known { window_tokens: 8191, price: Some(0.13), ..UNKNOWN }),
    (Wire::OpenAi, "text-embedding-ada-002", Known { window_tokens: 8191, price: Some(0.10), ..UNKNOWN }),
    (
        Wire::OpenAi,
        "nomic-embed-text",
        Known { query_prefix: "search_query: ", document_prefix: "search_document: ", window_tokens: 2048, ..UNKNOWN },
    ),
    (Wire::OpenAi, "bge-m3", Known { window_tokens: 8192, ..UNKNOWN }),
    (Wire::Voyage, "voyage-code-3", Known { window_tokens: 32_000, price: Some(0.18), ..UNKNOWN }),
    (Wire::Voyage, "voyage-3-large", Known { window_tokens: 32_000, price: Some(0.18), ..UNKNOWN }),
    (Wire::Voyage, "voyage-3.5-lite", Known { window_tokens: 32_000, price: Some(0.02), ..UNKNOWN }),
    (Wire::Voyage, "voyage-3.5", Known { window_tokens: 32_000, price: Some(0.06), ..UNKNOWN }),
    (Wire::Voyage, "voyage-", Known { window_tokens: 16_000, ..UNKNOWN }),
];

/// Returns what is known about a model.
pub(crate) fn known_limits(wire: Wire, model: &str) -> Known {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let found = MODELS.iter().find(|(of, beginning, _)| *of == wire && name.starts_with(beginning));
    found.map_or(UNKNOWN, |(_, _, known)| *known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_found_by_the_beginning_of_its_name() {
        assert_eq!(known_limits(Wire::Ollama, "nomic-embed-text:v1.5").query_prefix, "search_query: ");
        assert_eq!(known_limits(Wire::OpenAi, "nomic-ai/nomic-embed-text-v1.5").document_prefix, "search_document: ");
        assert_eq!(known_limits(Wire::Voyage, "voyage-code-3").price, Some(0.18));
        assert_eq!(known_limits(Wire::Voyage, "voyage-3.5-lite").price, Some(0.02));
        assert_eq!(known_limits(Wire::OpenAi, "unheard-of"), UNKNOWN);
    }

    #[test]
    fn a_longer_beginning_is_before_a_shorter_one() {
        for (place, (wire, beginning, _)) in MODELS.iter().enumerate() {
            let earlier = MODELS[..place].iter().find(|(of, shorter, _)| of == wire && beginning.starts_with(shorter));
            assert!(earlier.is_none(), "{beginning} is never found");
        }
    }
}
