//! The cache of embeddings that all stores share, and an encoder that embeds each chunk of prose with what a language
//! model wrote about it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use recall_core::{
    ChunkText, Clock, Comparer, Describer, Embedder, Embedding, ModelError, ModelFingerprint, PairVerdict, Quantised,
    TextHash,
};
use recall_index::catalog::{EmbeddingStore, EmbeddingStoreError};
use recall_text::error_chain;

use crate::settings::{EmbeddingModel, EmbeddingStoreSettings};

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

    /// Returns what a language model said of two memories; `None` if that is not cached.
    pub(crate) fn verdict(&self, model: &dyn Comparer, texts: TextHash) -> Option<PairVerdict> {
        let found = self.with(|store| store.get_many(model.fingerprint(), &[texts], self.clock.now()))?;
        PairVerdict::from_name(std::str::from_utf8(found.first()?.as_ref()?).ok()?)
    }

    /// Caches what a language model said of two memories.
    pub(crate) fn put_verdict(&self, model: &dyn Comparer, texts: TextHash, verdict: PairVerdict) {
        let entry = (texts, verdict.as_str().as_bytes());
        self.with(|store| store.put_many(model.fingerprint(), &[entry], self.clock.now()));
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

/// An encoder that embeds each chunk of prose with what a language model wrote about it. Code has its path and names instead.
///
/// Its embeddings are others than those of the encoder alone, so it has a fingerprint of its own. What was written is cached by the
/// chunk's text: a chunk is described once, also if another encoder is chosen later.
pub(crate) struct Described {
    name: String,
    encoder: Arc<dyn Embedder>,
    describer: Arc<dyn Describer>,
    cache: Option<Arc<EmbeddingCache>>,
}

impl Described {
    /// Creates the encoder that embeds descriptions too.
    pub(crate) fn new(
        model: &EmbeddingModel,
        describer: Arc<dyn Describer>,
        cache: Option<Arc<EmbeddingCache>>,
    ) -> Arc<Self> {
        let name = format!("{} + {}", model.name, describer.name());
        Arc::new(Self { name, encoder: Arc::clone(&model.embedder), describer, cache })
    }

    pub(crate) fn model(self: &Arc<Self>) -> EmbeddingModel {
        EmbeddingModel { name: self.name.clone(), embedder: Arc::<Self>::clone(self) }
    }

    /// Returns whether it is this encoder with this describer.
    pub(crate) fn is_of(&self, model: &EmbeddingModel, describer: &dyn Describer) -> bool {
        Arc::ptr_eq(&self.encoder, &model.embedder) && self.describer.fingerprint() == describer.fingerprint()
    }

    /// Returns what is written about each chunk, in their order; empty for code.
    fn descriptions(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<String>, ModelError> {
        let known = self.cache.as_ref().map(|cache| cache.descriptions(&*self.describer, chunks));
        let mut all = known.unwrap_or_else(|| vec![None; chunks.len()]);
        for (chunk, known) in chunks.iter().zip(&mut all) {
            if chunk.document.is_empty() {
                *known = Some(String::new());
            }
        }
        let missing: Vec<usize> = (0..chunks.len()).filter(|&place| all[place].is_none()).collect();
        for of_one in missing.chunk_by(|&one, &other| chunks[one].document == chunks[other].document) {
            let wanted: Vec<ChunkText<'_>> = of_one.iter().map(|&place| chunks[place]).collect();
            let texts: Vec<&str> = wanted.iter().map(|chunk| chunk.text).collect();
            let described = self.describer.describe(wanted[0].document, &texts)?;
            // At once: it has a price, and the next request may fail.
            if let Some(cache) = &self.cache {
                cache.put_descriptions(&*self.describer, &wanted, &described);
            }
            for (&place, description) in of_one.iter().zip(described) {
                all[place] = Some(description);
            }
        }
        Ok(all.into_iter().map(Option::unwrap_or_default).collect())
    }
}

impl Embedder for Described {
    fn dimensions(&self) -> usize {
        self.encoder.dimensions()
    }

    fn window_tokens(&self) -> Option<usize> {
        self.encoder.window_tokens()
    }

    fn fingerprint(&self) -> ModelFingerprint {
        ModelFingerprint::hash(&[b"described", &self.encoder.fingerprint().0, &self.describer.fingerprint().0])
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn query_wait(&self) -> Duration {
        self.encoder.query_wait()
    }

    fn prepare(&self) {
        self.encoder.prepare();
    }

    fn embed_query(&self, query: &str, deadline: Option<Instant>) -> Result<Embedding, ModelError> {
        self.encoder.embed_query(query, deadline)
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Embedding>, ModelError> {
        self.encoder.embed_documents(texts)
    }

    fn embed_chunks(&self, chunks: &[ChunkText<'_>]) -> Result<Vec<Embedding>, ModelError> {
        let descriptions = self.descriptions(chunks)?;
        let join = |(chunk, description): (&ChunkText<'_>, &String)| {
            (!description.is_empty()).then(|| format!("{description}\n{}", chunk.text))
        };
        let joined: Vec<Option<String>> = chunks.iter().zip(&descriptions).map(join).collect();
        let replaced = chunks.iter().zip(&joined);
        let texts: Vec<ChunkText<'_>> = replaced
            .map(|(chunk, joined)| ChunkText { text: joined.as_deref().unwrap_or(chunk.text), ..*chunk })
            .collect();
        self.encoder.embed_chunks(&texts)
    }
}
