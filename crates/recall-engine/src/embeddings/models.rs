//! The models that may be used in a store.

use std::sync::Arc;

use crate::embeddings::cache::EmbeddingCache;
use crate::embeddings::part::Part;
use crate::settings::EmbeddingModel;

/// The encoders: models that are slower and better than the built-in one. They can be changed while the engine runs.
#[derive(Clone, Default)]
pub struct Encoders {
    /// The selected encoder; `None` if only the model of the settings is used.
    pub chosen: Option<EmbeddingModel>,
    /// The other encoders. One whose embeddings a store still has is used there until the chosen one's cover the store.
    pub others: Vec<EmbeddingModel>,
}

/// Every model that may be used in a store.
#[derive(Clone, Default)]
pub(crate) struct Models {
    pub(crate) encoders: Encoders,
    /// The model whose embeddings follow at once.
    pub(crate) instant: Option<EmbeddingModel>,
    /// The cache of embeddings.
    pub(crate) kept: Option<Arc<EmbeddingCache>>,
}

impl Models {
    /// Returns the models to use in a store, the best first. `has` tells whether the store has embeddings by a model.
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
