//! What do the retrievers say together?

use recall_core::{Fused, RankedList, SearchRequest, Understood, fuse};
use rustc_hash::FxHashMap;

use super::prior::{asked_for, factors};
use crate::answer::Factor;

/// A chunk as the retrievers rank it together.
#[derive(Clone, Debug)]
pub(super) struct FusedChunk {
    pub(super) fused: Fused,
    /// The factors of the priors that are not 1.
    pub(super) priors: Vec<Factor>,
    /// The fused score times the factors.
    pub(super) score: f64,
}

/// Fuses the lists of one store and multiplies each score with its priors; in no particular order.
pub(super) fn fuse_and_weigh(
    lists: &[RankedList],
    understood: &Understood,
    request: &SearchRequest,
) -> Vec<FusedChunk> {
    let fused = fuse(lists);
    let mut best: FxHashMap<i64, f64> = FxHashMap::default();
    let mut support: FxHashMap<i64, f64> = FxHashMap::default();
    for candidate in &fused {
        let document = candidate.document.0;
        best.entry(document).or_insert(candidate.score);
        *support.entry(document).or_default() += candidate.score;
    }
    let asked_for = asked_for(understood);
    let weigh = |fused: Fused| {
        let document = fused.document.0;
        let priors = factors(fused.traits.file_kind, support[&document] / best[&document], &asked_for, request);
        let score = priors.iter().fold(fused.score, |product, factor| product * factor.value);
        FusedChunk { fused, priors, score }
    };
    fused.into_iter().map(weigh).collect()
}
