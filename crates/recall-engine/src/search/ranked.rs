//! A chunk in the order of the answer, and how scores become an order.

use std::sync::Arc;

use recall_core::{DocumentRow, Selectable};
use recall_rank::Columns;

use super::fused::FusedChunk;
use crate::ranking::{Basis, Factor};
use crate::search::answer::Reranked;

/// A chunk in the order of the answer, before it is read.
#[derive(Clone, Debug)]
pub(super) struct Ranked<'a> {
    /// Which of the request's stores it is in.
    pub(super) store: usize,
    pub(super) document: DocumentRow,
    pub(super) chunk: recall_core::ChunkRow,
    /// What decides between equal scores; see [`Known::tie`](crate::known::Known::tie).
    pub(super) tie: u64,
    /// Comparable within one answer; above 0.
    pub(super) score: f64,
    /// The chunk as the retrievers ranked it; where a ranker decided, the best of its document, if one was ranked.
    pub(super) fused: Option<&'a FusedChunk>,
    /// What the file's kind put on the odds, where rankers decided; the score has it already.
    pub(super) stepping_back: Option<Factor>,
    /// What the ranker saw of the document.
    pub(super) learned: Option<Learned>,
    /// The factors that being a memory, and what was said of the item, put on the score.
    pub(super) item_priors: Vec<Factor>,
    /// What a cross-encoder said of it.
    pub(super) reranked: Option<Reranked>,
}

/// What the ranker saw of a document, and how sure it is.
#[derive(Clone, Debug)]
pub(super) struct Learned {
    /// On what the ranker decided.
    pub(super) basis: Basis,
    /// The features of all documents of the kind, and which of these this one is.
    pub(super) features: Arc<Columns>,
    pub(super) place: usize,
    /// How likely it is that the document answers, 0 to 1.
    pub(super) confidence: f32,
    /// How much speaks for it that anything here answers; see `order::support`.
    pub(super) support: f32,
}

impl Selectable for Ranked<'_> {
    type Document = (usize, i64);

    fn document(&self) -> Self::Document {
        (self.store, self.document.0)
    }
}

/// Puts chunks in order, best first.
pub(super) fn sort(ranked: &mut [Ranked<'_>]) {
    let place = |one: &Ranked<'_>| (one.store, one.tie, one.chunk);
    ranked.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b))));
}

/// How many of the ranked chunks the first `count` are, with what has the same score as the last of them: the order of these is
/// known only when they are read.
pub(super) fn with_ties(ranked: &[Ranked<'_>], count: usize) -> usize {
    let Some(last) = ranked.get(count - 1) else { return ranked.len() };
    count + ranked[count..].iter().take_while(|ranked| ranked.score.total_cmp(&last.score).is_eq()).count()
}

/// How scores are spread, so that those of different scales compare by how far each stands out.
pub(super) struct Standard {
    mean: f64,
    deviation: f64,
}

impl Standard {
    pub(super) fn of(scores: &[f32]) -> Self {
        let count = scores.len().max(1) as f64;
        let mean = scores.iter().copied().map(f64::from).sum::<f64>() / count;
        let variance = scores.iter().map(|&score| (f64::from(score) - mean).powi(2)).sum::<f64>() / count;
        Self { mean, deviation: variance.sqrt().max(1e-6) }
    }

    pub(super) fn of_score(&self, score: f32) -> f64 {
        (f64::from(score) - self.mean) / self.deviation
    }
}

/// A probability whose odds are multiplied by a factor.
pub(super) fn with_odds(probability: f64, factor: f64) -> f64 {
    probability * factor / (1.0 - probability + probability * factor)
}

/// The probability of log odds.
pub(super) fn logistic(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_as_good_as_the_last_belongs_to_the_first() {
        let ranked = |(row, score): (i64, f64)| Ranked {
            store: 0,
            document: DocumentRow(row),
            chunk: recall_core::ChunkRow(row),
            tie: 0,
            score,
            fused: None,
            learned: None,
            stepping_back: None,
            item_priors: Vec::new(),
            reranked: None,
        };
        let all: Vec<Ranked<'_>> = (1..).zip([0.9, 0.8, 0.8, 0.8, 0.7]).map(ranked).collect();
        let counts: Vec<usize> = (1..=6).map(|count| with_ties(&all, count)).collect();
        assert_eq!(counts, [1, 4, 4, 4, 5, 5]);
    }

    #[test]
    fn odds_are_multiplied() {
        assert!((with_odds(0.5, 1.0) - 0.5).abs() < 1e-12);
        assert!((with_odds(0.5, 0.5) - 1.0 / 3.0).abs() < 1e-12);
        assert!(with_odds(0.998, 0.2) < 0.998);
    }
}
