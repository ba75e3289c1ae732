//! The choice of the embeddings that answer a query, and their nearest chunks.

use std::sync::Arc;
use std::time::Duration;

use recall_core::{ChunkRow, Generation, ModelError, ModelFingerprint, Neighbour, RowSet};

use crate::embeddings::model_index::ModelIndex;
use crate::embeddings::model_vectors::{ModelVectors, NearError};
use crate::embeddings::role::{ModelRole, UpdateMode};
use crate::embeddings::score_blend::{EmbeddedQuery, Nearness, ScoreBlend};

/// The embeddings that answer a query, those of the best model first.
///
/// All but the first cover every chunk of a generation. The first may be of an encoder that has embedded a part so far, if the built-in
/// model covers the rest and no other encoder covers everything.
pub(crate) struct AnsweringModels {
    spaces: Vec<(Arc<ModelIndex>, Arc<ModelVectors>)>,
    /// The encoder that has embedded a part.
    partial: Option<ModelFingerprint>,
}

/// The chunks nearest to a query.
pub(crate) struct Near {
    view: View,
    /// The name of the model; if two models are combined, of the encoder.
    pub(crate) model: Arc<str>,
    /// Ordered by descending cosine.
    pub(crate) neighbours: Vec<Neighbour>,
}

impl AnsweringModels {
    pub(crate) fn new(indexes: &[Arc<ModelIndex>], generation: Generation) -> Option<Self> {
        let covers = |index: &Arc<ModelIndex>| Some((Arc::clone(index), index.complete_vectors(generation)?));
        let mut spaces: Vec<_> = indexes.iter().filter_map(covers).collect();
        let has_encoder = spaces.first()?.0.role() != ModelRole::BuiltIn;
        let mut partial = None;
        if !has_encoder
            && let Some((index, vectors)) = indexes.iter().find_map(|index| Some((index, index.partial_vectors()?)))
        {
            partial = Some(index.fingerprint());
            spaces.insert(0, (Arc::clone(index), vectors));
        }
        Some(Self { spaces, partial })
    }

    /// Returns the name of the best model that answered when it was last asked.
    pub(crate) fn model(&self) -> Option<Arc<str>> {
        self.spaces.iter().find(|(index, _)| index.problem().is_none()).map(|(index, _)| index.name())
    }

    /// Returns the models, the best first.
    pub(crate) fn models(&self) -> Vec<ModelFingerprint> {
        self.spaces.iter().map(|(index, _)| index.fingerprint()).collect()
    }

    /// Keeps the embeddings by these models only.
    pub(crate) fn retain(mut self, models: &[ModelFingerprint]) -> Self {
        self.spaces.retain(|(index, _)| models.contains(&index.fingerprint()));
        self
    }

    /// Finds the chunks nearest to a query. If a model fails, or its embeddings cannot be read, the next one is used; returns
    /// `None` if all fail. Damaged embeddings are rebuilt.
    ///
    /// If an encoder and the built-in model both answer, their results are [combined](ScoreBlend). Chunks that the encoder has not
    /// embedded yet, although the query is near to them, are embedded next.
    pub(crate) fn near(&self, query: &str, allowed: Option<&RowSet>, count: usize) -> Option<Near> {
        let mut answers = self.spaces.iter().filter_map(|one| {
            let patience = if self.is_partial(&one.0) { WAIT_FOR_PART } else { Duration::MAX };
            answer(one, query, allowed, count, patience)
        });
        let (index, first, neighbours) = answers.next()?;
        let beside = match index.role().update_mode() {
            UpdateMode::Inline => None,
            UpdateMode::Background => answers.find(|(index, ..)| index.role().update_mode() == UpdateMode::Inline),
        };
        match beside {
            Some((_, second, others)) if !others.is_empty() => {
                if self.is_partial(index) {
                    first.space.embed_next(&others);
                }
                let blend = ScoreBlend::new((first, &neighbours), (second, &others));
                let neighbours = blend.neighbours(&neighbours, &others, count);
                Some(Near { view: View::Blended(blend), model: index.name(), neighbours })
            }
            // Alone, a part of the embeddings would hide the chunks without one.
            beside if self.is_partial(index) => {
                let (index, second, others) = beside?;
                Some(Near { view: View::Alone(second), model: index.name(), neighbours: others })
            }
            // A query without a word that the built-in model knows has no neighbours by it.
            _ => Some(Near { view: View::Alone(first), model: index.name(), neighbours }),
        }
    }

    /// Returns whether the model has embedded only a part.
    fn is_partial(&self, index: &ModelIndex) -> bool {
        self.partial == Some(index.fingerprint())
    }
}

/// How long a query waits at most for an encoder that has embedded a part. It embeds chunks meanwhile, and the built-in model answers too.
const WAIT_FOR_PART: Duration = Duration::from_millis(60);

/// Returns a model's neighbours of a query; `None` if the model fails, or does not answer within `patience` or its own limit.
fn answer<'a>(
    (index, space): &'a (Arc<ModelIndex>, Arc<ModelVectors>),
    query: &str,
    allowed: Option<&RowSet>,
    count: usize,
    patience: Duration,
) -> Option<(&'a Arc<ModelIndex>, EmbeddedQuery, Vec<Neighbour>)> {
    match space.near(query, allowed, count, patience) {
        Ok((query, neighbours)) => {
            index.note_answer();
            Some((index, EmbeddedQuery { space: Arc::clone(space), query }, neighbours))
        }
        // It is busy with chunks, and answers the next query.
        Err(NearError::Model(ModelError::Late { .. })) if patience < Duration::MAX => None,
        Err(error) => {
            index.did_not_answer(space, &error);
            None
        }
    }
}

/// The source of the cosines.
enum View {
    Alone(EmbeddedQuery),
    Blended(ScoreBlend),
}

impl Near {
    /// Returns whether two models are combined.
    pub(crate) fn is_blended(&self) -> bool {
        matches!(self.view, View::Blended(_))
    }

    /// Returns the nearness of each chunk to the query, in their order; `None` for a chunk without an embedding.
    pub(crate) fn nearness(&self, rows: &[ChunkRow]) -> Vec<Option<Nearness>> {
        match &self.view {
            View::Alone(query) => {
                let alone = |cosine: f32| Nearness { cosine, greatest: cosine, preferred: cosine };
                query.cosines(rows).into_iter().map(|cosine| cosine.map(alone)).collect()
            }
            View::Blended(blend) => blend.nearness(rows),
        }
    }
}
