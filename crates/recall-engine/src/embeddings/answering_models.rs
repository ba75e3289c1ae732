//! The choice of the embeddings that answer a query, the combination of the cosines of two models, and the nearest
//! chunks.
//!
//! An encoder is better at natural language, the built-in model was trained on code, and their errors differ. The cosines of two
//! models are not comparable: one may give .7 to everything. So each cosine is standardised over the candidates of both models,
//! and the mean of the two is mapped to the scale of the built-in model, which is the scale that the rankers were trained on. A chunk
//! that the encoder has not embedded yet has the standard score of the built-in model. Where an encoder's cosine is compared with a
//! constant, it is converted (`conversion`).

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use recall_core::{ChunkRow, Generation, ModelError, ModelFingerprint, Neighbour, RowSet};
use rustc_hash::FxHashSet;

use crate::embeddings::conversion::{Conversion, standard};
use crate::embeddings::model_index::ModelIndex;
use crate::embeddings::model_vectors::{EmbeddedQuery, ModelVectors, NearError};
use crate::embeddings::models::{ModelRole, UpdateMode};
use crate::ranking::ZScore;

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
                Some(Near { view: View::Alone(second, Conversion::NONE), model: index.name(), neighbours: others })
            }
            // A query without a word that the built-in model knows has no neighbours by it.
            _ => {
                let conversion = match index.role() {
                    ModelRole::BuiltIn => Conversion::NONE,
                    ModelRole::Selected | ModelRole::Previous => Conversion::measure(&first),
                };
                let mut neighbours = neighbours;
                for neighbour in &mut neighbours {
                    neighbour.cosine = conversion.convert(neighbour.cosine);
                }
                Some(Near { view: View::Alone(first, conversion), model: index.name(), neighbours })
            }
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
    /// Of one model, with the conversion of its cosines.
    Alone(EmbeddedQuery, Conversion),
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
            View::Alone(query, conversion) => {
                let cosines = query.cosines(rows).into_iter();
                cosines.map(|own| own.map(|own| Nearness::by_one_model(conversion.convert(own)))).collect()
            }
            View::Blended(blend) => blend.nearness(rows),
        }
    }
}

/// The weight of the encoder; the other model has the rest.
const ENCODER: f32 = 0.5;

/// The number of the encoder's nearest chunks that are neighbours whatever the built-in model says.
const SURE: usize = 25;

/// The nearness of a chunk to a query: cosines, from -1 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearness {
    /// The cosine used for ranking; for two models the combined one.
    pub(crate) cosine: f32,
    /// The greatest cosine by any model, an encoder's converted to the scale of the built-in model.
    pub(crate) greatest: f32,
    /// The cosine that compares kinds, by the encoder if there is one, converted.
    pub(crate) preferred: f32,
}

impl Nearness {
    fn by_one_model(cosine: f32) -> Self {
        Self { cosine, greatest: cosine, preferred: cosine }
    }
}

/// A query embedded by two models.
pub(crate) struct ScoreBlend {
    encoder: (EmbeddedQuery, ZScore<f32>),
    /// The model that follows at once.
    built_in: (EmbeddedQuery, ZScore<f32>),
    conversion: Conversion,
}

impl ScoreBlend {
    /// Computes the scale of each model over the neighbours found by either.
    pub(crate) fn new(encoder: (EmbeddedQuery, &[Neighbour]), built_in: (EmbeddedQuery, &[Neighbour])) -> Self {
        let rows = rows_of(encoder.1, built_in.1);
        let with_scale = |query: EmbeddedQuery| {
            let cosines: Vec<f32> = query.cosines(&rows).into_iter().flatten().collect();
            (query, ZScore::compute(&cosines))
        };
        let conversion = Conversion::measure(&encoder.0);
        Self { encoder: with_scale(encoder.0), built_in: with_scale(built_in.0), conversion }
    }

    /// Returns the nearness of each chunk, in their order; `None` for a chunk that the built-in model has no embedding of.
    pub(crate) fn nearness(&self, rows: &[ChunkRow]) -> Vec<Option<Nearness>> {
        let ((encoder, of_encoder), (built_in, of_built_in)) = (&self.encoder, &self.built_in);
        let both = encoder.cosines(rows).into_iter().zip(built_in.cosines(rows));
        both.map(|(encoder, built_in)| {
            let built_in = built_in?;
            let score = standard(*of_built_in, built_in);
            let encoder = encoder.unwrap_or_else(|| of_encoder.value(score).clamp(-1.0, 1.0));
            let blend = ENCODER * standard(*of_encoder, encoder) + (1.0 - ENCODER) * score;
            let converted = self.conversion.convert(encoder);
            Some(Nearness {
                cosine: of_built_in.value(blend).clamp(-1.0, 1.0),
                greatest: converted.max(built_in),
                preferred: converted,
            })
        })
        .collect()
    }

    /// Returns at most `count` of the neighbours found by either model, the nearest first, and after them the nearest ones of the
    /// encoder that are not among them: what it alone is sure of is a candidate.
    pub(crate) fn neighbours(&self, encoder: &[Neighbour], built_in: &[Neighbour], count: usize) -> Vec<Neighbour> {
        let rows = rows_of(encoder, built_in);
        let known = rows.iter().zip(self.nearness(&rows));
        let mut neighbours: Vec<Neighbour> =
            known.filter_map(|(&row, nearness)| Some(Neighbour { row, cosine: nearness?.cosine })).collect();
        neighbours.sort_unstable_by(nearer);
        let (of_both, rest) = neighbours.split_at(count.min(neighbours.len()));
        let sure: FxHashSet<ChunkRow> = encoder.iter().take(SURE).map(|neighbour| neighbour.row).collect();
        let added = rest.iter().filter(|neighbour| sure.contains(&neighbour.row));
        of_both.iter().chain(added).copied().collect()
    }
}

fn nearer(one: &Neighbour, other: &Neighbour) -> Ordering {
    other.cosine.total_cmp(&one.cosine).then(one.row.cmp(&other.row))
}

fn rows_of(some: &[Neighbour], others: &[Neighbour]) -> Vec<ChunkRow> {
    let mut rows: Vec<ChunkRow> = some.iter().chain(others).map(|neighbour| neighbour.row).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}
