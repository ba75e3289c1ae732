//! Whose embeddings answer a query?

use std::sync::Arc;

use recall_core::{ChunkRow, Generation, ModelFingerprint, Neighbour, RowSet};

use crate::embeddings::layer::Layer;
use crate::embeddings::part::Pace;
use crate::embeddings::space::Space;
use crate::embeddings::together::{Asked, Nearness, Together};

/// Embeddings that hold every chunk of a generation, those of the best model first.
pub(crate) struct Covering {
    spaces: Vec<(Arc<Layer>, Arc<Space>)>,
}

/// What lies near a query in meaning.
pub(crate) struct Near {
    view: View,
    /// The name of the model; of the encoder, where the model that follows at once is asked beside it.
    pub(crate) model: Arc<str>,
    /// The greatest cosine first.
    pub(crate) neighbours: Vec<Neighbour>,
}

impl Covering {
    pub(crate) fn of(layers: &[Arc<Layer>], generation: Generation) -> Option<Self> {
        let covers = |layer: &Arc<Layer>| Some((Arc::clone(layer), layer.covering(generation)?));
        let spaces: Vec<_> = layers.iter().filter_map(covers).collect();
        (!spaces.is_empty()).then_some(Self { spaces })
    }

    /// The name of the model that is asked first.
    pub(crate) fn model(&self) -> Option<Arc<str>> {
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
    ///
    /// Where an encoder answers and the model that follows at once does too, both tell it [together](Together).
    pub(crate) fn near(&self, query: &str, allowed: Option<&RowSet>, count: usize) -> Option<Near> {
        let mut answers = self.spaces.iter().filter_map(|one| answer(one, query, allowed, count));
        let (layer, first, neighbours) = answers.next()?;
        let model = layer.name();
        let beside = match layer.part().pace() {
            Pace::AtOnce => None,
            Pace::Patient => answers.find(|(layer, ..)| layer.part().pace() == Pace::AtOnce),
        };
        // A query without a word that the model knows lies near nothing.
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

/// What a model says; `None` where it does not answer.
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

/// Whose cosines are told.
enum View {
    Alone(Asked),
    Together(Together),
}

impl Near {
    /// Whether two models tell it.
    pub(crate) fn is_together(&self) -> bool {
        matches!(self.view, View::Together(_))
    }

    /// How near the query each chunk is, in their order; `None` for a chunk without an embedding.
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
