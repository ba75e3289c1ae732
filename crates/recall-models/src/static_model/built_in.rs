//! The built-in model as a shareable, lazily loaded value.

use std::time::Instant;

use recall_core::{ChunkText, Embedder, Embedding, ModelError, ModelFingerprint};

use crate::StaticModel;

/// The [built-in model](StaticModel::built_in) as an [`Embedder`]. It is read at the first call, once per process.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuiltIn;

impl Embedder for BuiltIn {
    fn dimensions(&self) -> usize {
        StaticModel::built_in().dimensions()
    }

    fn window_tokens(&self) -> Option<usize> {
        StaticModel::built_in().window_tokens()
    }

    fn fingerprint(&self) -> ModelFingerprint {
        StaticModel::built_in().fingerprint()
    }

    fn embed_query(&self, query: &str, deadline: Option<Instant>) -> Result<Embedding, ModelError> {
        StaticModel::built_in().embed_query(query, deadline)
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        StaticModel::built_in().embed_documents(texts)
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Embedding>, ModelError> {
        Ok(StaticModel::built_in().embed_chunks(chunks))
    }
}
