//! Whose embeddings answer a query?

use std::sync::Arc;

use recall_core::{ChunkRow, Embedding, Generation, ModelFingerprint, Neighbour, RowSet};

use super::layer::Layer;
use super::space::Space;

/// Embeddings that hold every chunk of a generation, those of the best model first.
pub(crate) struct Covering {
    spaces: Vec<(Arc<Layer>, Arc<Space>)>,
}

/// A query by a model, and what lies near it.
pub(crate) struct Near {
    space: Arc<Space>,
    query: Embedding,
    /// The model's name.
    pub(crate) model: Arc<str>,
    /// The greatest cosine first.
    pub(crate) neighbours: Vec<Neighbour>,
}

impl Covering {
    pub(super) fn of(layers: &[Arc<Layer>], generation: Generation) -> Option<Self> {
        let covers = |layer: &Arc<Layer>| Some((Arc::clone(layer), layer.covering(generation)?));
        let spaces: Vec<_> = layers.iter().filter_map(covers).collect();
        (!spaces.is_empty()).then_some(Self { spaces })
    }

    /// The name of the model that is asked first.
    pub(super) fn model(&self) -> Option<Arc<str>> {
        self.spaces.first().map(|(layer, _)| layer.name())
    }

    /// The models, the best first.
    pub(crate) fn models(&self) -> Vec<ModelFingerprint> {
        self.spaces.iter().map(|(layer, _)| layer.fingerprint()).collect()
    }

    /// Those by these models alone.
    pub(crate) fn only(mut self, models: &[ModelFingerprint]) -> Self {
        self.spaces.retain(|(layer, _)| models.contains(&layer.fingerprint()));
        self
    }

    /// Finds what lies near a query. Where a model does not answer, or its embeddings cannot be read, the next one is asked;
    /// `None` where none does. Damaged embeddings are made again.
    pub(crate) fn near(&self, query: &str, allowed: Option<&RowSet>, count: usize) -> Option<Near> {
        self.spaces.iter().find_map(|(layer, space)| match space.near(query, allowed, count) {
            Ok((query, neighbours)) => {
                layer.answered();
                Some(Near { space: Arc::clone(space), query, model: layer.name(), neighbours })
            }
            Err(error) => {
                layer.did_not_answer(space, &error);
                None
            }
        })
    }
}

impl Near {
    /// The cosine of the query to each chunk, in their order; `None` for a chunk without an embedding.
    pub(crate) fn cosines(&self, rows: &[ChunkRow]) -> Vec<Option<f32>> {
        self.space.cosines(&self.query, rows)
    }
}
