//! Which models tell the meaning, and which one reads the first candidates?

use std::sync::Arc;

use crate::semantic::{Kept, Part};
use crate::{EmbeddingModel, Engine, Reranker};

/// Encoders: models that take longer than the built-in one and know more. They can be changed while the engine serves.
#[derive(Clone, Default)]
pub struct Encoders {
    /// The one that shall tell the meaning; `None` leaves that to the model of the settings.
    pub chosen: Option<EmbeddingModel>,
    /// Others. One whose embeddings a store still has answers there until the chosen one's cover the store.
    pub others: Vec<EmbeddingModel>,
}

impl Engine {
    /// Has these encoders from now on.
    ///
    /// Open stores begin to embed in the background; what they have answers until that is through. Equal models are to be
    /// given by the same [`Arc`], so that what is under way goes on.
    pub fn use_encoders(&self, encoders: Encoders) {
        self.registry.use_encoders(encoders);
    }

    /// Has the first candidates of every search rescored by this cross-encoder from now on; `None` leaves them in their order.
    pub fn use_reranker(&self, reranker: Option<Reranker>) {
        self.reranker.store(reranker.map(Arc::new));
    }

    /// How many chunks of open stores the chosen encoder has yet to embed.
    pub fn chunks_to_embed(&self) -> u64 {
        let stores = self.registry.open_stores();
        let chunks = |snapshot: &recall_catalog::Snapshot<'_>| Ok(snapshot.counts()?.chunks);
        let missing = stores.iter().filter_map(|store| {
            let embedded = store.semantic.chosen(store.coverage().generation)?;
            // One that cannot be read has other troubles.
            let chunks = if embedded.is_whole { return None } else { store.read(chunks).ok()? };
            Some(chunks.saturating_sub(embedded.chunks))
        });
        missing.sum()
    }
}

/// Every model that may have a part in a store.
#[derive(Clone, Default)]
pub(crate) struct Models {
    pub(crate) encoders: Encoders,
    /// The one whose embeddings are there at once.
    pub(crate) instant: Option<EmbeddingModel>,
    /// What was embedded before.
    pub(crate) kept: Option<Arc<Kept>>,
}

impl Models {
    /// The models that have a part in a store, which has embeddings by some: the best first.
    pub(crate) fn parts(&self, has: impl Fn(&EmbeddingModel) -> bool) -> Vec<(&EmbeddingModel, Part)> {
        let Encoders { chosen, others } = &self.encoders;
        let mut parts: Vec<_> = chosen.iter().map(|model| (model, Part::Chosen)).collect();
        if chosen.is_some() {
            parts.extend(others.iter().filter(|model| has(model)).map(|model| (model, Part::Former)));
        }
        parts.extend(self.instant.iter().map(|model| (model, Part::Instant)));
        parts
    }
}
