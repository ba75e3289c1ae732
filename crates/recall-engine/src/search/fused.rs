//! Fusion of the retrievers' lists of one store, with the prior of the file kind.

use recall_core::{Fused, RankedList, SearchRequest, Understood, fuse};

use super::prior::{asked_for, fused_factor};
use crate::ranking::Factor;

/// A chunk with its fused score.
#[derive(Clone, Debug)]
pub(super) struct FusedChunk {
    pub(super) fused: Fused,
    /// The factor of the file's kind, if it is not 1.
    pub(super) prior: Option<Factor>,
    /// The fused score times that factor.
    pub(super) score: f64,
}

/// Fuses the lists of one store and multiplies each score by the factor of its file kind. The result is not sorted.
pub(super) fn fuse_and_weigh(
    lists: &[RankedList],
    understood: &Understood,
    request: &SearchRequest,
) -> Vec<FusedChunk> {
    let fused = fuse(lists);
    let asked_for = asked_for(understood);
    let weigh = |fused: Fused| {
        let prior = fused_factor(fused.traits.file_kind, &asked_for, request);
        let score = fused.score * prior.map_or(1.0, |factor| factor.value);
        FusedChunk { fused, prior, score }
    };
    fused.into_iter().map(weigh).collect()
}
