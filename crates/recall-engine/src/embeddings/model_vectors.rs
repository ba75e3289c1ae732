//! The open embeddings by one model, and the query of them.

use std::fs::File;
use std::sync::Arc;
use std::time::Instant;

use recall_core::{
    ChunkRow, Embedder, Embedding, ModelError, NearestError, Neighbour, RowFilter, RowSet, VectorIndex as _,
};
use recall_index::vector::{Model, Settings, VectorOpenError, Vectors};

use crate::embeddings::folder::{Claim, EmbeddingsFolder, FolderError};

/// Embeddings by one model, and the model, which also embeds the queries.
pub(crate) struct ModelVectors {
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) vectors: Vectors,
    /// Keeps other processes from changing the files.
    _lock: Arc<File>,
    _claim: Arc<Claim>,
}

impl ModelVectors {
    /// Opens or creates embeddings. Unusable ones are quarantined and created again.
    pub(crate) fn open(folder: &EmbeddingsFolder, embedder: &Arc<dyn Embedder>) -> Result<Self, ModelVectorsError> {
        let lock = folder.lock()?;
        let model = Model { fingerprint: embedder.fingerprint(), dimensions: embedder.dimensions() };
        let mut claim = folder.claim(model.fingerprint)?;
        let dir = folder.model_folder(model.fingerprint);
        let vectors = match Vectors::open(&dir, model, Settings::default()) {
            Err(
                error @ (VectorOpenError::Damaged { .. }
                | VectorOpenError::OtherModel { .. }
                | VectorOpenError::Outdated { .. }),
            ) => {
                tracing::warn!(%error, "the embeddings are quarantined and rebuilt");
                folder.quarantine(model.fingerprint)?;
                claim = folder.claim(model.fingerprint)?;
                Vectors::open(&dir, model, Settings::default())?
            }
            opened => opened?,
        };
        Ok(Self { embedder: Arc::clone(embedder), vectors, _lock: lock, _claim: claim })
    }

    /// Returns the embedding of a query, and its nearest chunks by descending cosine.
    pub(crate) fn near(
        &self,
        query: &str,
        allowed: Option<&RowSet>,
        count: usize,
    ) -> Result<(Embedding, Vec<Neighbour>), NearError> {
        let deadline = Instant::now() + self.embedder.query_wait();
        let query = self.embedder.embed_query(query, Some(deadline))?;
        match self.vectors.nearest(&query, allowed.map_or(RowFilter::All, RowFilter::Only), count) {
            // A query without a word that the model knows has no neighbours.
            Err(NearestError::NoDirection) => Ok((query, Vec::new())),
            found => Ok((query, found?)),
        }
    }

    /// Returns the cosine of a query to each chunk, in their order; `None` for a chunk without an embedding.
    pub(crate) fn cosines(&self, query: &Embedding, rows: &[ChunkRow]) -> Vec<Option<f32>> {
        // `near` has already verified the files and the query, so this does not fail in practice.
        self.vectors.cosines(query, rows).unwrap_or_else(|_| vec![None; rows.len()])
    }
}

/// The embeddings cannot be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelVectorsError {
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Open(#[from] VectorOpenError),
}

/// The embeddings cannot be queried.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NearError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Nearest(#[from] NearestError),
}
