//! The ports for models, embedders and cross-encoders, and the hardware that a network runs on.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_text::Relation;

use crate::{ModelFingerprint, TextHash};

/// The embedding vector of one text.
pub type Embedding = Vec<f32>;

/// The parts of a chunk that are embedded. Empty parts are ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkText<'a> {
    /// The path of its document.
    pub path: &'a str,
    /// The path of its definition or heading: `impl Store > fn open`.
    pub symbol: &'a str,
    /// Its text, with its doc comment.
    pub text: &'a str,
    /// The text of its document, for a remote model that describes the chunk; empty for code, which has its path and names. It is not
    /// embedded.
    pub document: &'a str,
}

impl ChunkText<'_> {
    /// Returns the hash of all parts that are embedded, with their lengths.
    pub fn hash(&self) -> TextHash {
        let Self { path, symbol, text, document: _ } = self;
        TextHash::hash(&format!("{} {} {path}{symbol}{text}", path.len(), symbol.len()))
    }

    /// Returns the parts that are not empty, joined by line feeds.
    pub fn full_text(&self) -> String {
        let parts = [self.path, self.symbol, self.text];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

/// How long a search waits for the embedding of its query by a model of this machine.
const QUERY_WAIT: Duration = Duration::from_millis(200);

/// A model that computes embeddings of texts.
///
/// Every embedding has [`dimensions`](Self::dimensions) components and length 1, so that a dot product is a cosine. If
/// the model finds nothing meaningful in a text, the embedding is all zero. A text longer than the model's window is
/// truncated. Equal texts give equal embeddings, whatever batch they are in. The equality is exact if the model sums in
/// a fixed order; otherwise it holds up to rounding, far below the resolution of a quantised embedding.
///
/// One implementation looks words up in a table and returns at once; another runs a network, which is slow, may have to
/// be loaded first, and can be missing.
pub trait Embedder: Send + Sync {
    /// The number of dimensions of every embedding.
    fn dimensions(&self) -> usize;

    /// The number of tokens that are read of a text, special tokens included; `None` if it is unbounded or unknown.
    fn window_tokens(&self) -> Option<usize>;

    /// The model's fingerprint. Fingerprints are equal only if equal texts give equal embeddings.
    fn fingerprint(&self) -> ModelFingerprint;

    /// Returns whether texts leave this process, so that their secrets must be masked first.
    fn is_remote(&self) -> bool {
        false
    }

    /// How long a search waits for the embedding of its query; then another model answers, or only words are used.
    fn query_wait(&self) -> Duration {
        QUERY_WAIT
    }

    /// Begins to load the model if it is not loaded, so that the next query finds it ready. Does not wait for the model, but may read the files of
    /// its vocabulary first. A model that is always ready does nothing.
    fn prepare(&self) {}

    /// Embeds a query, with the prefix that the model expects of queries.
    ///
    /// Queries take precedence over waiting documents. The call returns at the deadline at the latest; without one it
    /// waits for the model.
    ///
    /// # Errors
    /// See [`ModelError`].
    fn embed_query(&self, query: &str, deadline: Option<Instant>) -> Result<Embedding, ModelError>;

    /// Embeds documents, with the prefix that the model expects of documents.
    ///
    /// The result has one embedding per text, in input order.
    ///
    /// # Errors
    /// Fails as a whole: on error no embedding is returned. See [`ModelError`].
    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError>;

    /// Embeds chunks by their parts, combined as suits the model.
    ///
    /// The result has one embedding per chunk, in input order.
    ///
    /// # Errors
    /// As [`embed_documents`](Self::embed_documents).
    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Embedding>, ModelError>;
}

/// A language model that writes what parts of a document are about.
pub trait Describer: Send + Sync {
    /// The name, as a status and an answer show it.
    fn name(&self) -> &str;

    /// The fingerprint of the model and of what it is asked.
    fn fingerprint(&self) -> ModelFingerprint;

    /// Describes passages of a document.
    ///
    /// The result has one line per passage, in input order; empty for a passage that the model will not describe.
    ///
    /// # Errors
    /// Fails as a whole. See [`ModelError`].
    fn describe(&self, document: &str, passages: &[&str]) -> Result<Vec<String>, ModelError>;
}

/// What a language model says of two memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairVerdict {
    /// They are about one subject.
    Related(Relation),
    /// They are about different subjects, or both hold.
    Unrelated,
}

impl PairVerdict {
    /// All verdicts.
    pub const ALL: [Self; 4] = [
        Self::Related(Relation::Contradiction),
        Self::Related(Relation::Refinement),
        Self::Related(Relation::Repeat),
        Self::Unrelated,
    ];

    /// Returns its name, as a model writes it.
    pub fn as_str(self) -> &'static str {
        self.relation().map_or("unrelated", Relation::as_str)
    }

    /// Returns the verdict of that name; `None` for an unknown one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == name)
    }

    /// Returns how the memories relate; `None` if they do not.
    pub fn relation(self) -> Option<Relation> {
        match self {
            Self::Related(relation) => Some(relation),
            Self::Unrelated => None,
        }
    }
}

/// A language model that says how two memories relate.
pub trait Comparer: Send + Sync {
    /// The name, as answers show it.
    fn name(&self) -> &str;

    /// The fingerprint of the model and of what it is asked.
    fn fingerprint(&self) -> ModelFingerprint;

    /// Compares two memories; `None` if the reply is no verdict.
    ///
    /// # Errors
    /// See [`ModelError`].
    fn compare(&self, older: &str, newer: &str) -> Result<Option<PairVerdict>, ModelError>;
}

/// A model that scores a query and a text together.
pub trait CrossEncoder: Send + Sync {
    /// The number of tokens that are read of a query and a text together; the text is truncated.
    fn window_tokens(&self) -> usize;

    /// The model's fingerprint.
    fn fingerprint(&self) -> ModelFingerprint;

    /// Returns whether texts leave this process, so that their secrets must be masked first.
    fn is_remote(&self) -> bool {
        false
    }

    /// Scores how well each text answers the query.
    ///
    /// The result has one finite score per text, in input order; greater is better. Scores are logits: those of one
    /// model are comparable, those of different models are not.
    ///
    /// # Errors
    /// Fails as a whole, also when the deadline passes. See [`ModelError`].
    fn scores(&self, query: &str, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<f32>, ModelError>;
}

/// A model returned no result.
///
/// The error is cloned for every caller that waited.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ModelError {
    /// The model cannot be loaded, or a file that it needs is missing.
    #[error("the model `{model}` cannot be used")]
    Unavailable {
        /// The name of the model.
        model: String,
        /// What is missing or cannot be loaded.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// The deadline passed; the model may still be loading, or busy.
    #[error("the model `{model}` did not answer in time")]
    Late {
        /// The name of the model.
        model: String,
    },
    /// The model was loaded and failed.
    #[error("the model `{model}` failed")]
    Failed {
        /// The name of the model.
        model: String,
        /// What the runtime or the server reports.
        source: Arc<dyn Error + Send + Sync>,
    },
}

/// An execution provider of the ONNX runtime.
///
/// Which ones are available depends on the runtime's library and on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provider {
    /// NVIDIA's GPUs, with networks compiled for the installed GPU. The first load takes minutes.
    TensorRt,
    /// NVIDIA's GPUs, without compiling a network for them first.
    Cuda,
    /// Apple's GPUs and neural engines.
    CoreMl,
    /// GPUs of any maker under Windows.
    DirectMl,
    /// The processor, which every library supports.
    Cpu,
}

impl Provider {
    /// All providers, in order of preference.
    pub const ALL: [Self; 5] = [Self::TensorRt, Self::Cuda, Self::CoreMl, Self::DirectMl, Self::Cpu];

    /// Its name in settings and status.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TensorRt => "tensorrt",
            Self::Cuda => "cuda",
            Self::CoreMl => "coreml",
            Self::DirectMl => "directml",
            Self::Cpu => "cpu",
        }
    }

    /// The provider with that name in settings; `None` for an unknown one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.as_str() == name)
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_parts_of_a_chunk_are_ignored() {
        assert_eq!(ChunkText { path: "a.rs", text: "fn a()", ..ChunkText::default() }.full_text(), "a.rs\nfn a()");
        assert_eq!(ChunkText::default().full_text(), "");
    }

    #[test]
    fn the_boundaries_between_parts_of_a_chunk_are_hashed() {
        let hash = |path, symbol, text| ChunkText { path, symbol, text, ..ChunkText::default() }.hash();
        assert_eq!(hash("a", "b", "c"), hash("a", "b", "c"));
        for other in [hash("ab", "", "c"), hash("a", "bc", ""), hash("", "", "abc"), hash("a", "b", "d")] {
            assert_ne!(other, hash("a", "b", "c"));
        }
    }

    #[test]
    fn providers_are_found_by_name() {
        for provider in Provider::ALL {
            assert_eq!(Provider::from_name(provider.as_str()), Some(provider));
        }
        assert_eq!(Provider::from_name("gpu"), None);
    }
}
