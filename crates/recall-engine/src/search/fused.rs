//! What do the retrievers say together?

use recall_core::{Fused, RankedList, SearchRequest, Understood, fuse};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::prior::{Priors, asked_for, factors};
use crate::ranking::Factor;

/// A chunk as the retrievers rank it together.
#[derive(Clone, Debug)]
pub(super) struct FusedChunk {
    pub(super) fused: Fused,
    priors: Priors,
    /// The fused score times the factors of the priors.
    pub(super) score: f64,
}

impl FusedChunk {
    /// The factors of the priors that are not 1.
    pub(super) fn priors(&self) -> impl Iterator<Item = Factor> {
        self.priors.into_iter().flatten()
    }
}

/// How good the chunks of a document are, as the retrievers rank them together.
struct Support {
    /// The best score.
    best: f64,
    sum: f64,
}

/// Fuses the lists of one store and multiplies each score with its priors; in no particular order.
pub(super) fn fuse_and_weigh(
    lists: &[RankedList],
    understood: &Understood,
    request: &SearchRequest,
) -> Vec<FusedChunk> {
    let fused = fuse(lists);
    let mut support: FxHashMap<i64, Support> = FxHashMap::with_capacity_and_hasher(fused.len(), FxBuildHasher);
    for candidate in &fused {
        let best = candidate.score;
        support.entry(candidate.document.0).or_insert(Support { best, sum: 0.0 }).sum += candidate.score;
    }
    let asked_for = asked_for(understood);
    let weigh = |fused: Fused| {
        let Support { best, sum } = support[&fused.document.0];
        let priors = factors(fused.traits.file_kind, sum / best, &asked_for, request);
        let score = priors.iter().flatten().fold(fused.score, |product, factor| product * factor.value);
        FusedChunk { fused, priors, score }
    };
    fused.into_iter().map(weigh).collect()
}
