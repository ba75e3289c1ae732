//! The open embeddings of one model: the query's nearest chunks, the cosines of given chunks, and which chunks to embed next.

use std::collections::VecDeque;
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use recall_core::{
    ChunkRow, Embedder, Embedding, ModelError, NearestError, Neighbour, RowFilter, RowSet, VectorIndex as _,
};
use recall_index::vector::{Model, Settings, VectorOpenError, Vectors};

use crate::embeddings::folder::{Claim, EmbeddingsFolder, FolderError};

/// How many chunks may wait to be embedded before others: those of some twenty questions.
const MOST_WANTED: usize = 1024;

/// Embeddings by one model, and the model, which also embeds the queries.
pub(crate) struct ModelVectors {
    pub(crate) embedder: Arc<dyn Embedder>,
    pub(crate) vectors: Vectors,
    /// Chunks without an embedding that queries came near to, the last ones last. They are embedded first.
    wanted: Mutex<VecDeque<ChunkRow>>,
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
        Ok(Self { embedder: Arc::clone(embedder), vectors, wanted: Mutex::default(), _lock: lock, _claim: claim })
    }

    /// Returns the embedding of a query, and its nearest chunks by descending cosine. Waits for the model at most for `patience` and for its
    /// own [limit](Embedder::query_wait).
    pub(crate) fn near(
        &self,
        query: &str,
        allowed: Option<&RowSet>,
        count: usize,
        patience: Duration,
    ) -> Result<(Embedding, Vec<Neighbour>), NearError> {
        let deadline = Instant::now() + self.embedder.query_wait().min(patience);
        let query = self.embedder.embed_query(query, Some(deadline))?;
        match self.vectors.nearest(&query, allowed.map_or(RowFilter::All, RowFilter::Only), count) {
            // A query without a word that the model knows has no neighbours.
            Err(NearestError::NoDirection) => Ok((query, Vec::new())),
            found => Ok((query, found?)),
        }
    }

    /// Marks chunks to be embedded before others, unless they have an embedding.
    pub(crate) fn embed_next(&self, chunks: &[Neighbour]) {
        let mut wanted = self.wanted.lock();
        for chunk in chunks {
            if !wanted.contains(&chunk.row) {
                wanted.push_back(chunk.row);
            }
        }
        let surplus = wanted.len().saturating_sub(MOST_WANTED);
        wanted.drain(..surplus);
    }

    /// Returns the chunks of the next batch in ascending order: those that queries came near to, then the newest ones.
    pub(crate) fn next_batch(&self, missing: &[ChunkRow], most: usize) -> Vec<ChunkRow> {
        let mut wanted = self.wanted.lock();
        wanted.retain(|row| missing.binary_search(row).is_ok());
        let rest = missing.iter().rev().filter(|row| !wanted.contains(row));
        let mut batch: Vec<ChunkRow> = wanted.iter().rev().chain(rest).take(most).copied().collect();
        batch.sort_unstable();
        batch
    }

    /// Returns the cosine of a query to each chunk, in their order; `None` for a chunk without an embedding.
    pub(crate) fn cosines(&self, query: &Embedding, rows: &[ChunkRow]) -> Vec<Option<f32>> {
        // `near` has already verified the files and the query, so this does not fail in practice.
        self.vectors.cosines(query, rows).unwrap_or_else(|_| vec![None; rows.len()])
    }
}

/// A query embedded by a model, and the embeddings by that model.
pub(crate) struct EmbeddedQuery {
    pub(crate) space: Arc<ModelVectors>,
    pub(crate) query: Embedding,
}

impl EmbeddedQuery {
    /// Returns the cosine of the query to each chunk, in their order; `None` for a chunk without an embedding.
    pub(crate) fn cosines(&self, rows: &[ChunkRow]) -> Vec<Option<f32>> {
        self.space.cosines(&self.query, rows)
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
