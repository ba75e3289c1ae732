//! Selection of the encoders and the reranker of all stores.

use std::sync::Arc;

use crate::embeddings::Encoders;
use crate::{Engine, Reranker};

impl Engine {
    /// Replaces the encoders of all stores.
    ///
    /// Open stores start to embed in the background. The existing embeddings answer until that is done. Pass an unchanged model
    /// as the same [`Arc`], so that running work on it continues.
    pub fn use_encoders(&self, encoders: Encoders) {
        self.registry.use_encoders(encoders);
    }

    /// Replaces the small cross-encoder that rescores many candidates of every search. `None` turns it off.
    pub fn use_preranker(&self, preranker: Option<Reranker>) {
        self.preranker.store(preranker.map(Arc::new));
    }

    /// Replaces the cross-encoder that rescores the first candidates of every search. `None` turns rescoring off.
    pub fn use_reranker(&self, reranker: Option<Reranker>) {
        self.reranker.store(reranker.map(Arc::new));
    }

    /// Replaces the language model that rescores the first hits of hard questions. `None` turns it off.
    pub fn use_judge(&self, judge: Option<Reranker>) {
        self.judge.store(judge.map(Arc::new));
    }

    /// Returns how many chunks of the open stores the selected encoder has not embedded yet.
    pub fn chunks_to_embed(&self) -> u64 {
        let stores = self.registry.open_stores();
        let chunks = |snapshot: &recall_catalog::Snapshot<'_>| Ok(snapshot.counts()?.chunks);
        let missing = stores.iter().filter_map(|store| {
            let embedded = store.index.embeddings().selected_model(store.coverage().generation)?;
            // A store that cannot be read is not counted; its next request reports the error.
            let chunks = if embedded.is_whole { return None } else { store.index.read(chunks).ok()? };
            Some(chunks.saturating_sub(embedded.chunks))
        });
        missing.sum()
    }
}
