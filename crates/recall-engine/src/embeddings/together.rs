//! How do two models tell one nearness?
//!
//! An encoder knows more of language, the built-in model has learnt from code, and where one errs the other often does not. Cosines by
//! two models do not compare: one may call everything .7. So each is counted by how far it stands out among what either model
//! calls near, and the mean of both is told on the scale of the model that follows at once, which is the one that the rankers
//! know.

use std::cmp::Ordering;
use std::sync::Arc;

use recall_core::{ChunkRow, Embedding, Neighbour};

use crate::embeddings::space::Space;

/// What the encoder counts for; the other model counts for the rest.
const ENCODER: f32 = 0.5;

/// A spread below this is none: all chunks are as near.
const LEAST_DEVIATION: f32 = 1e-3;

/// How near a query a chunk is: cosines, from -1 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearness {
    /// What counts; of two models what both say together.
    pub(crate) told: f32,
    /// The greatest that any model says, on its own scale.
    pub(crate) greatest: f32,
}

/// A query by a model, and its embeddings.
pub(crate) struct Asked {
    pub(crate) space: Arc<Space>,
    pub(crate) query: Embedding,
}

impl Asked {
    /// The cosine of the query to each chunk, in their order; `None` for a chunk without an embedding.
    pub(crate) fn cosines(&self, rows: &[ChunkRow]) -> Vec<Option<f32>> {
        self.space.cosines(&self.query, rows)
    }
}

/// A query by two models.
pub(crate) struct Together {
    encoder: (Asked, Scale),
    /// The model that follows at once.
    instant: (Asked, Scale),
}

impl Together {
    /// Takes the scale of each model from what either calls near.
    pub(crate) fn of(encoder: (Asked, &[Neighbour]), instant: (Asked, &[Neighbour])) -> Self {
        let rows = rows_of(encoder.1, instant.1);
        let with_scale = |asked: Asked| {
            let cosines: Vec<f32> = asked.cosines(&rows).into_iter().flatten().collect();
            let scale = Scale::of(&cosines);
            (asked, scale)
        };
        Self { encoder: with_scale(encoder.0), instant: with_scale(instant.0) }
    }

    /// How near the query each chunk is, in their order; `None` for a chunk that either has no embedding of.
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

    /// The nearest of what either model calls near, at most so many, the nearest first.
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

/// How a model's cosines are spread.
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

    /// By how many deviations a cosine is above the mean; 0 where nothing stands out.
    fn standard(self, cosine: f32) -> f32 {
        if self.deviation < LEAST_DEVIATION { 0.0 } else { (cosine - self.mean) / self.deviation }
    }

    /// The cosine that stands out so far.
    fn cosine(self, standard: f32) -> f32 {
        (self.mean + self.deviation * standard).clamp(-1.0, 1.0)
    }
}
