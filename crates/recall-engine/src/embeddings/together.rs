//! The combination of the cosines of two models.
//!
//! An encoder is better at natural language, the built-in model was trained on code, and their errors differ. The cosines of two
//! models are not comparable: one may give .7 to everything. So each cosine is standardised over the candidates of both models,
//! and the mean of the two is mapped to the scale of the instant model, which is the scale that the rankers were trained on.

use std::cmp::Ordering;
use std::sync::Arc;

use recall_core::{ChunkRow, Embedding, Neighbour};

use crate::embeddings::space::Space;

/// The weight of the encoder; the other model has the rest.
const ENCODER: f32 = 0.5;

/// Below this standard deviation, all chunks count as equally near.
const LEAST_DEVIATION: f32 = 1e-3;

/// The nearness of a chunk to a query: cosines, from -1 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearness {
    /// The cosine used for ranking; for two models the combined one.
    pub(crate) told: f32,
    /// The greatest cosine by any model, on the model's own scale.
    pub(crate) greatest: f32,
}

/// A query embedded by a model, and the embeddings by that model.
pub(crate) struct Asked {
    pub(crate) space: Arc<Space>,
    pub(crate) query: Embedding,
}

impl Asked {
    /// Returns the cosine of the query to each chunk, in their order; `None` for a chunk without an embedding.
    pub(crate) fn cosines(&self, rows: &[ChunkRow]) -> Vec<Option<f32>> {
        self.space.cosines(&self.query, rows)
    }
}

/// A query embedded by two models.
pub(crate) struct Together {
    encoder: (Asked, Scale),
    /// The model that follows at once.
    instant: (Asked, Scale),
}

impl Together {
    /// Computes the scale of each model over the neighbours found by either.
    pub(crate) fn of(encoder: (Asked, &[Neighbour]), instant: (Asked, &[Neighbour])) -> Self {
        let rows = rows_of(encoder.1, instant.1);
        let with_scale = |asked: Asked| {
            let cosines: Vec<f32> = asked.cosines(&rows).into_iter().flatten().collect();
            let scale = Scale::of(&cosines);
            (asked, scale)
        };
        Self { encoder: with_scale(encoder.0), instant: with_scale(instant.0) }
    }

    /// Returns the nearness of each chunk, in their order; `None` for a chunk that one of the models has no embedding of.
    pub(crate) fn nearness(&self, rows: &[ChunkRow]) -> Vec<Option<Nearness>> {
        let ((encoder, of_encoder), (instant, of_instant)) = (&self.encoder, &self.instant);
        let both = encoder.cosines(rows).into_iter().zip(instant.cosines(rows));
        both.map(|(encoder, instant)| {
            let (encoder, instant) = (encoder?, instant?);
            let standard = ENCODER * of_encoder.standard(encoder) + (1.0 - ENCODER) * of_instant.standard(instant);
            Some(Nearness { told: of_instant.cosine(standard), greatest: encoder.max(instant) })
        })
        .collect()
    }

    /// Returns at most `count` of the neighbours found by either model, the nearest first.
    pub(crate) fn neighbours(&self, encoder: &[Neighbour], instant: &[Neighbour], count: usize) -> Vec<Neighbour> {
        let rows = rows_of(encoder, instant);
        let known = rows.iter().zip(self.nearness(&rows));
        let mut neighbours: Vec<Neighbour> =
            known.filter_map(|(&row, nearness)| Some(Neighbour { row, cosine: nearness?.told })).collect();
        neighbours.sort_unstable_by(nearer);
        neighbours.truncate(count);
        neighbours
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

/// The mean and standard deviation of a model's cosines.
#[derive(Clone, Copy, Debug)]
struct Scale {
    mean: f32,
    deviation: f32,
}

impl Scale {
    fn of(cosines: &[f32]) -> Self {
        let count = cosines.len().max(1) as f32;
        let mean = cosines.iter().sum::<f32>() / count;
        let variance = cosines.iter().map(|cosine| (cosine - mean).powi(2)).sum::<f32>() / count;
        Self { mean, deviation: variance.sqrt() }
    }

    /// Returns the standard score of a cosine; 0 if the deviation is negligible.
    fn standard(self, cosine: f32) -> f32 {
        if self.deviation < LEAST_DEVIATION { 0.0 } else { (cosine - self.mean) / self.deviation }
    }

    /// Returns the cosine with a standard score.
    fn cosine(self, standard: f32) -> f32 {
        (self.mean + self.deviation * standard).clamp(-1.0, 1.0)
    }
}
