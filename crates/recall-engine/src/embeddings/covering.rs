//! The choice of the embeddings that answer a query, and their nearest chunks.

use std::sync::Arc;

use recall_core::{ChunkRow, Generation, ModelFingerprint, Neighbour, RowSet};

use crate::embeddings::layer::Layer;
use crate::embeddings::part::Pace;
use crate::embeddings::space::Space;
use crate::embeddings::together::{Asked, Nearness, Together};

/// Embeddings that cover every chunk of a generation, those of the best model first.
pub(crate) struct Covering {
    spaces: Vec<(Arc<Layer>, Arc<Space>)>,
}

/// The chunks nearest to a query.
pub(crate) struct Near {
    view: View,
    /// The name of the model; if two models are combined, of the encoder.
    pub(crate) model: Arc<str>,
    /// Ordered by descending cosine.
    pub(crate) neighbours: Vec<Neighbour>,
}

impl Covering {
    pub(crate) fn of(layers: &[Arc<Layer>], generation: Generation) -> Option<Self> {
        let covers = |layer: &Arc<Layer>| Some((Arc::clone(layer), layer.covering(generation)?));
        let spaces: Vec<_> = layers.iter().filter_map(covers).collect();
        (!spaces.is_empty()).then_some(Self { spaces })
    }

    /// Returns the name of the model that is queried first.
    pub(crate) fn model(&self) -> Option<Arc<str>> {
        self.spaces.first().map(|(layer, _)| layer.name())
    }

    /// Returns the models, the best first.
    pub(crate) fn models(&self) -> Vec<ModelFingerprint> {
        self.spaces.iter().map(|(layer, _)| layer.fingerprint()).collect()
    }

    /// Keeps the embeddings by these models only.
    pub(crate) fn only(mut self, models: &[ModelFingerprint]) -> Self {
        self.spaces.retain(|(layer, _)| models.contains(&layer.fingerprint()));
        self
    }

    /// Finds the chunks nearest to a query. If a model fails, or its embeddings cannot be read, the next one is used; returns
    /// `None` if all fail. Damaged embeddings are rebuilt.
    ///
    /// If an encoder and the instant model both answer, their results are [combined](Together).
    pub(crate) fn near(&self, query: &str, allowed: Option<&RowSet>, count: usize) -> Option<Near> {
        let mut answers = self.spaces.iter().filter_map(|one| answer(one, query, allowed, count));
        let (layer, first, neighbours) = answers.next()?;
        let model = layer.name();
        let beside = match layer.part().pace() {
            Pace::AtOnce => None,
            Pace::Patient => answers.find(|(layer, ..)| layer.part().pace() == Pace::AtOnce),
        };
        // A query without a word that the model knows has no neighbours.
        let beside = beside.filter(|(.., others)| !others.is_empty());
        Some(match beside {
            None => Near { view: View::Alone(first), model, neighbours },
            Some((_, second, others)) => {
                let together = Together::of((first, &neighbours), (second, &others));
                let neighbours = together.neighbours(&neighbours, &others, count);
                Near { view: View::Together(together), model, neighbours }
            }
        })
    }
}

/// Returns a model's neighbours of a query; `None` if the model fails.
fn answer<'a>(
    (layer, space): &'a (Arc<Layer>, Arc<Space>),
    query: &str,
    allowed: Option<&RowSet>,
    count: usize,
) -> Option<(&'a Arc<Layer>, Asked, Vec<Neighbour>)> {
    match space.near(query, allowed, count) {
        Ok((query, neighbours)) => {
            layer.answered();
            Some((layer, Asked { space: Arc::clone(space), query }, neighbours))
        }
        Err(error) => {
            layer.did_not_answer(space, &error);
            None
        }
    }
}

/// The source of the cosines.
enum View {
    Alone(Asked),
    Together(Together),
}

impl Near {
    /// Returns whether two models are combined.
    pub(crate) fn is_together(&self) -> bool {
        matches!(self.view, View::Together(_))
    }

    /// Returns the nearness of each chunk to the query, in their order; `None` for a chunk without an embedding.
    pub(crate) fn nearness(&self, rows: &[ChunkRow]) -> Vec<Option<Nearness>> {
        match &self.view {
            View::Alone(asked) => {
                let alone = |cosine: f32| Nearness { told: cosine, greatest: cosine };
                asked.cosines(rows).into_iter().map(|cosine| cosine.map(alone)).collect()
            }
            View::Together(together) => together.nearness(rows),
        }
    }
}
