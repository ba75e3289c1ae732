//! The models that may be used in a store.

use std::sync::Arc;

use crate::embeddings::cache::EmbeddingCache;
use crate::embeddings::role::ModelRole;
use crate::settings::EmbeddingModel;

/// The encoders: models that are slower and better than the built-in one. They can be changed while the engine runs.
#[derive(Clone, Default)]
pub struct Encoders {
    /// The selected encoder; `None` if only the model of the settings is used.
    pub selected: Option<EmbeddingModel>,
    /// The other encoders. One whose embeddings a store still has is used there until the selected one's cover the store.
    pub others: Vec<EmbeddingModel>,
}

/// Every model that may be used in a store.
#[derive(Clone, Default)]
pub(crate) struct Models {
    pub(crate) encoders: Encoders,
    /// The model whose embeddings follow at once.
    pub(crate) built_in: Option<EmbeddingModel>,
    /// The cache of embeddings.
    pub(crate) cache: Option<Arc<EmbeddingCache>>,
}

impl Models {
    /// Returns the models to use in a store, the best first. `has` tells whether the store has embeddings by a model.
    pub(crate) fn roles(&self, has: impl Fn(&EmbeddingModel) -> bool) -> Vec<(&EmbeddingModel, ModelRole)> {
        let Encoders { selected, others } = &self.encoders;
        let mut roles: Vec<_> = selected.iter().map(|model| (model, ModelRole::Selected)).collect();
        if selected.is_some() {
            roles.extend(others.iter().filter(|model| has(model)).map(|model| (model, ModelRole::Previous)));
        }
        roles.extend(self.built_in.iter().map(|model| (model, ModelRole::BuiltIn)));
        roles
    }
}
