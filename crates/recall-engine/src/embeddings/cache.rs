//! The cache of embeddings that all stores share.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use recall_core::{ChunkText, Clock, Describer, Embedder, Quantised, TextHash};
use recall_index::catalog::{EmbeddingStore, EmbeddingStoreError};
use recall_text::error_chain;

use crate::settings::EmbeddingStoreSettings;

/// The cache of embeddings that all stores share, opened when it is first needed.
///
/// Embeddings can be computed without it, so an error is logged and counts as a miss.
pub(crate) struct EmbeddingCache {
    path: PathBuf,
    most_bytes: u64,
    clock: Arc<dyn Clock>,
    open: Mutex<Option<Arc<EmbeddingStore>>>,
}

impl EmbeddingCache {
    pub(crate) fn new(settings: &EmbeddingStoreSettings, clock: Arc<dyn Clock>) -> Self {
        let EmbeddingStoreSettings { path, most_bytes } = settings.clone();
        Self { path, most_bytes, clock, open: Mutex::default() }
    }

    /// Returns the embeddings of chunks by a model, in their order; `None` for each that is not cached.
    pub(crate) fn get(&self, model: &dyn Embedder, chunks: &[ChunkText<'_>]) -> Vec<Option<Quantised>> {
        let hashes: Vec<TextHash> = chunks.iter().map(ChunkText::hash).collect();
        let found = self.with(|store| store.get_many(model.fingerprint(), &hashes, self.clock.now()));
        let Some(found) = found else { return vec![None; chunks.len()] };
        let fits = |bytes: &Vec<u8>| bytes.len() == model.dimensions();
        found.into_iter().map(|bytes| Quantised::from_bytes(&bytes.filter(fits)?).ok()).collect()
    }

    /// Caches the embeddings of chunks by a model, except zero vectors.
    pub(crate) fn put(&self, model: &dyn Embedder, chunks: &[ChunkText<'_>], embeddings: &[Option<Quantised>]) {
        let named = chunks.iter().zip(embeddings);
        let bytes = named.filter_map(|(chunk, embedding)| Some((chunk.hash(), embedding.as_ref()?.to_bytes())));
        let bytes: Vec<(TextHash, Vec<u8>)> = bytes.collect();
        let entries: Vec<(TextHash, &[u8])> = bytes.iter().map(|(hash, bytes)| (*hash, bytes.as_slice())).collect();
        self.with(|store| store.put_many(model.fingerprint(), &entries, self.clock.now()));
    }

    /// Returns what a language model wrote about chunks, in their order; `None` for each that is not cached.
    pub(crate) fn descriptions(&self, model: &dyn Describer, chunks: &[ChunkText<'_>]) -> Vec<Option<String>> {
        let hashes: Vec<TextHash> = chunks.iter().map(ChunkText::hash).collect();
        let found = self.with(|store| store.get_many(model.fingerprint(), &hashes, self.clock.now()));
        let Some(found) = found else { return vec![None; chunks.len()] };
        found.into_iter().map(|bytes| String::from_utf8(bytes?).ok()).collect()
    }

    /// Caches what a language model wrote about chunks.
    pub(crate) fn put_descriptions(&self, model: &dyn Describer, chunks: &[ChunkText<'_>], written: &[String]) {
        let entries: Vec<(TextHash, &[u8])> =
            chunks.iter().zip(written).map(|(chunk, written)| (chunk.hash(), written.as_bytes())).collect();
        self.with(|store| store.put_many(model.fingerprint(), &entries, self.clock.now()));
    }

    fn with<T>(&self, call: impl FnOnce(&EmbeddingStore) -> Result<T, EmbeddingStoreError>) -> Option<T> {
        let result = self.store().and_then(|store| call(&store));
        result.inspect_err(|error| tracing::warn!(reason = error_chain(error), "the embedding store is not used")).ok()
    }

    fn store(&self) -> Result<Arc<EmbeddingStore>, EmbeddingStoreError> {
        let mut open = self.open.lock();
        if let Some(store) = &*open {
            return Ok(Arc::clone(store));
        }
        if let Some(folder) = self.path.parent() {
            let failed = |source| EmbeddingStoreError::Io { path: folder.to_owned(), source };
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let store = Arc::new(EmbeddingStore::open(&self.path, self.most_bytes, self.clock.now())?);
        *open = Some(Arc::clone(&store));
        Ok(store)
    }
}
