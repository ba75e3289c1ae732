//! A ranked chunk, and the sorting of chunks by score.

use std::sync::Arc;

use recall_core::{DocumentRow, Selectable};
use recall_rank::Columns;

use super::fused::FusedChunk;
use crate::ranking::{Factor, FeatureSet};
use crate::search::answer::Reranked;

/// A ranked chunk, before its text is read.
#[derive(Clone, Debug)]
pub(super) struct Ranked<'a> {
    /// The index of its store in the request's list of stores.
    pub(super) store: usize,
    pub(super) document: DocumentRow,
    pub(super) chunk: recall_core::ChunkRow,
    /// The tie-breaker of equal scores; see [`Known::tie_breaker`](crate::known::Known::tie_breaker).
    pub(super) tie: u64,
    /// Comparable within one answer; above 0.
    pub(super) score: f64,
    /// The fused chunk. If a ranker decided, this is the best chunk of the document, if any was ranked.
    pub(super) fused: Option<&'a FusedChunk>,
    /// The factor of the file kind on the odds, if rankers decided. The score includes it.
    pub(super) demotion: Option<Factor>,
    /// The features and scores of the ranker.
    pub(super) learned: Option<Learned>,
    /// The priors of the item: those of a memory, or the feedback on a file.
    pub(super) item_priors: Vec<Factor>,
    /// The score of the cross-encoder.
    pub(super) reranked: Option<Reranked>,
}

/// The features of a document and what the rankers made of them.
#[derive(Clone, Debug)]
pub(super) struct Learned {
    pub(super) set: FeatureSet,
    /// The features of all documents of the kind, and the row of this one.
    pub(super) features: Arc<Columns>,
    pub(super) place: usize,
    /// The probability that the document answers, 0 to 1.
    pub(super) confidence: f32,
    /// How strongly the document supports that the query has an answer; see [`Signs`](super::verdict::Signs).
    pub(super) support: f32,
}

impl Selectable for Ranked<'_> {
    type Document = (usize, i64);

    fn document(&self) -> Self::Document {
        (self.store, self.document.0)
    }
}

/// Sorts chunks, best first.
pub(super) fn sort(ranked: &mut [Ranked<'_>]) {
    let place = |one: &Ranked<'_>| (one.store, one.tie, one.chunk);
    ranked.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b))));
}

/// Returns `count`, extended by the chunks with the same score as the last one. The order of equal scores depends on texts that
/// are not read yet.
pub(super) fn with_ties(ranked: &[Ranked<'_>], count: usize) -> usize {
    let Some(last) = ranked.get(count - 1) else { return ranked.len() };
    count + ranked[count..].iter().take_while(|ranked| ranked.score.total_cmp(&last.score).is_eq()).count()
}

/// The least standard deviation of rankers' scores that are standardised: below it, all count as equal.
pub(super) const MIN_DEVIATION: f64 = 1e-6;

/// Returns the probability after multiplying its odds by a factor.
pub(super) fn with_odds(probability: f64, factor: f64) -> f64 {
    probability * factor / (1.0 - probability + probability * factor)
}

/// Converts log odds to a probability.
pub(super) fn logistic(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_include_all_that_tie_with_the_last() {
        let ranked = |(row, score): (i64, f64)| Ranked {
            store: 0,
            document: DocumentRow(row),
            chunk: recall_core::ChunkRow(row),
            tie: 0,
            score,
            fused: None,
            learned: None,
            demotion: None,
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
