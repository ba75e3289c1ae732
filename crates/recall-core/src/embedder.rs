//! Here is a text; what is its embedding? Here are a question and texts; how well does each answer it?

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use crate::{ModelFingerprint, TextHash};

/// The vector of one text.
pub type Embedding = Vec<f32>;

/// What is embedded of a chunk; an empty part counts nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkText<'a> {
    /// The path of its document.
    pub path: &'a str,
    /// The path of its definition or heading: `impl Store > fn open`.
    pub symbol: &'a str,
    /// Its text, with its doc comment.
    pub text: &'a str,
}

impl ChunkText<'_> {
    /// What tells it from every other; where one part ends and the next begins counts.
    pub fn hash(&self) -> TextHash {
        let Self { path, symbol, text } = self;
        TextHash::of(&format!("{} {} {path}{symbol}{text}", path.len(), symbol.len()))
    }

    /// The parts as one text, each on lines of its own; an empty one leaves no trace.
    pub fn joined(&self) -> String {
        let parts = [self.path, self.symbol, self.text];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

/// A model that makes embeddings of texts.
///
/// Every embedding has [`dimensions`](Self::dimensions) components and length 1, so that a dot product is a cosine; or it is
/// all zeros, where the model finds nothing in the text that has a direction. A text longer than the model's window is cut
/// at the window. Equal texts give equal embeddings, whatever they are embedded with: exactly where the model sums in one
/// order, else but for the rounding of its sums, far below what a byte a component can tell.
///
/// One implementation looks words up in a table and answers at once; another runs a network that may have to be loaded,
/// takes long, and can be missing.
pub trait Embedder: Send + Sync {
    /// How many components every embedding has.
    fn dimensions(&self) -> usize;

    /// How many tokens of a text are read, those that the model adds included; `None` where no such bound is known.
    fn window_tokens(&self) -> Option<usize>;

    /// What tells this model from every other: equal exactly for models that give equal embeddings to equal texts.
    fn fingerprint(&self) -> ModelFingerprint;

    /// Embeds what is searched for, in the form that the model wants of a question.
    ///
    /// Goes before texts that wait. After the deadline the caller is not kept; none means to wait for the model.
    ///
    /// # Errors
    /// See [`ModelError`].
    fn embed_query(&self, query: &str, deadline: Option<Instant>) -> Result<Embedding, ModelError>;

    /// Embeds what shall be found, in the form that the model wants of it.
    ///
    /// One embedding a text, in input order.
    ///
    /// # Errors
    /// Fails as a whole: on error no text was embedded. See [`ModelError`].
    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError>;

    /// Embeds chunks by their parts, as the model gets the most out of them.
    ///
    /// One embedding a chunk, in input order.
    ///
    /// # Errors
    /// As [`embed_documents`](Self::embed_documents).
    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Embedding>, ModelError>;
}

/// A model that reads a question and a text together.
pub trait CrossEncoder: Send + Sync {
    /// How many tokens of a question and a text together are read; the text is cut.
    fn window_tokens(&self) -> usize;

    /// What tells this model from every other.
    fn fingerprint(&self) -> ModelFingerprint;

    /// Tells how well each text answers the query.
    ///
    /// One finite score a text, in input order, the greater the better. It is on the model's own scale, a logit: the
    /// scores of one model compare, those of two do not.
    ///
    /// # Errors
    /// Fails as a whole, at the deadline too. See [`ModelError`].
    fn scores(&self, query: &str, texts: &[&str], deadline: Option<Instant>) -> Result<Vec<f32>, ModelError>;
}

/// A model has not answered.
///
/// It is told to every caller that waited, so it can be cloned.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ModelError {
    /// The model cannot be loaded, or what it needs is missing.
    #[error("the model {model} cannot be used")]
    Unavailable {
        /// Its name.
        model: String,
        /// What was said.
        source: Arc<dyn Error + Send + Sync>,
    },
    /// The deadline passed; the model may still be loading, or busy.
    #[error("the model {model} has not answered in time")]
    Late {
        /// Its name.
        model: String,
    },
    /// The model was loaded and failed.
    #[error("the model {model} failed")]
    Failed {
        /// Its name.
        model: String,
        /// What was said.
        source: Arc<dyn Error + Send + Sync>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_parts_of_a_chunk_leave_no_trace() {
        assert_eq!(ChunkText { path: "a.rs", symbol: "", text: "fn a()" }.joined(), "a.rs\nfn a()");
        assert_eq!(ChunkText::default().joined(), "");
    }

    #[test]
    fn parts_of_a_chunk_do_not_run_together() {
        let hash = |path, symbol, text| ChunkText { path, symbol, text }.hash();
        assert_eq!(hash("a", "b", "c"), hash("a", "b", "c"));
        for other in [hash("ab", "", "c"), hash("a", "bc", ""), hash("", "", "abc"), hash("a", "b", "d")] {
            assert_ne!(other, hash("a", "b", "c"));
        }
    }
}
