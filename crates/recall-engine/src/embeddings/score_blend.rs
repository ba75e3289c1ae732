//! The combination of the cosines of two models.
//!
//! An encoder is better at natural language, the built-in model was trained on code, and their errors differ. The cosines of two
//! models are not comparable: one may give .7 to everything. So each cosine is standardised over the candidates of both models,
//! and the mean of the two is mapped to the scale of the built-in model, which is the scale that the rankers were trained on. A chunk
//! that the encoder has not embedded yet has the standard score of the built-in model.

use std::cmp::Ordering;
use std::sync::Arc;

use recall_core::{ChunkRow, Embedding, Neighbour};
use rustc_hash::FxHashSet;

use crate::embeddings::model_vectors::ModelVectors;
use crate::ranking::ZScore;

/// The weight of the encoder; the other model has the rest.
const ENCODER: f32 = 0.5;

/// The number of the encoder's nearest chunks that are neighbours whatever the built-in model says.
const SURE: usize = 25;

/// Below this standard deviation, all chunks count as equally near.
const LEAST_DEVIATION: f32 = 1e-3;

/// The nearness of a chunk to a query: cosines, from -1 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearness {
    /// The cosine used for ranking; for two models the combined one.
    pub(crate) cosine: f32,
    /// The greatest cosine by any model, on the model's own scale.
    pub(crate) greatest: f32,
    /// The cosine by the preferred model, on its own scale.
    pub(crate) preferred: f32,
}

/// A query embedded by a model, and the embeddings by that model.
pub(crate) struct EmbeddedQuery {
    pub(crate) space: Arc<ModelVectors>,
    pub(crate) query: Embedding,
}

impl EmbeddedQuery {
    /// Returns the cosine of the query to each chunk, in their order; `None` for a chunk without an embedding.
    pub(crate) fn cosines(&self, rows: &[ChunkRow]) -> Vec<Option<f32>> {
        self.space.cosines(&self.query, rows)
    }
}

/// A query embedded by two models.
pub(crate) struct ScoreBlend {
    encoder: (EmbeddedQuery, ZScore<f32>),
    /// The model that follows at once.
    built_in: (EmbeddedQuery, ZScore<f32>),
}

impl ScoreBlend {
    /// Computes the scale of each model over the neighbours found by either.
    pub(crate) fn new(encoder: (EmbeddedQuery, &[Neighbour]), built_in: (EmbeddedQuery, &[Neighbour])) -> Self {
        let rows = rows_of(encoder.1, built_in.1);
        let with_scale = |query: EmbeddedQuery| {
            let cosines: Vec<f32> = query.cosines(&rows).into_iter().flatten().collect();
            (query, ZScore::compute(&cosines))
        };
        Self { encoder: with_scale(encoder.0), built_in: with_scale(built_in.0) }
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
            Some(Nearness {
                cosine: of_built_in.value(blend).clamp(-1.0, 1.0),
                greatest: encoder.max(built_in),
                preferred: encoder,
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

/// Returns the standard score of a cosine; 0 if the deviation is negligible.
fn standard(scale: ZScore<f32>, cosine: f32) -> f32 {
    if scale.deviation < LEAST_DEVIATION { 0.0 } else { scale.score(cosine) }
}
