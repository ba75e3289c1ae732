//! Choosing the encoders and the reranker of all stores.

use std::sync::Arc;

use crate::embeddings::Encoders;
use crate::{Engine, Reranker};

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
