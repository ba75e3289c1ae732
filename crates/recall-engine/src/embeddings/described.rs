//! An encoder that embeds each chunk of prose with what a language model wrote about it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{ChunkText, Describer, Embedder, Embedding, ModelError, ModelFingerprint};

use crate::embeddings::cache::EmbeddingCache;
use crate::settings::EmbeddingModel;

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
