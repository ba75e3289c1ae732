//! The models that may have a part in a store.

use std::sync::Arc;

use crate::embeddings::cache::EmbeddingCache;
use crate::embeddings::part::Part;
use crate::settings::EmbeddingModel;

/// Encoders: models that take longer than the built-in one and know more. They can be changed while the engine serves.
#[derive(Clone, Default)]
pub struct Encoders {
    /// The one that shall tell the meaning; `None` leaves that to the model of the settings.
    pub chosen: Option<EmbeddingModel>,
    /// Others. One whose embeddings a store still has answers there until the chosen one's cover the store.
    pub others: Vec<EmbeddingModel>,
}

/// Every model that may have a part in a store.
#[derive(Clone, Default)]
pub(crate) struct Models {
    pub(crate) encoders: Encoders,
    /// The one whose embeddings are there at once.
    pub(crate) instant: Option<EmbeddingModel>,
    /// What was embedded before.
    pub(crate) kept: Option<Arc<EmbeddingCache>>,
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
