//! The description of a remote model, as it was learnt when the user chose it.

use recall_core::ModelFingerprint;
use serde::{Deserialize, Serialize};

use crate::providers::known::known_limits;
use crate::providers::name::{NameError, RemoteName};
use crate::providers::provider::Wire;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
