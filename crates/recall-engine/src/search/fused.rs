//! Fusion of the retrievers' lists of one store by reciprocal rank, with the prior of the file kind.
//!
//! Scores of different retrievers do not compare, since BM25 has no upper bound and a cosine has one; ranks do. The fused score is a
//! feature of the learned rankers, and the order where they do not decide (ADR 6).

use recall_core::{Candidate, ChunkRow, DocumentRow, RankedList, Retriever, SearchRequest, Traits, Understood};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::prior::{asked_for, fused_factor};
use crate::ranking::Factor;

/// The smoothing constant of reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009).
const RRF_K: f64 = 60.0;

/// A chunk after fusion.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FusedChunk {
    pub(super) chunk: ChunkRow,
    pub(super) document: DocumentRow,
    pub(super) traits: Traits,
    /// The sum over the lists of `weight / (RRF_K + rank)`, ranks counted from 1.
    pub(super) fused: f64,
    /// The factor of the file's kind, if it is not 1.
    pub(super) prior: Option<Factor>,
    /// The fused score times that factor.
    pub(super) score: f64,
    /// The rank and score by each retriever, in the order of [`Retriever::ALL`].
    ranks: [Option<(u32, f32)>; Retriever::ALL.len()],
}

impl FusedChunk {
    /// The retrievers that found the chunk, with its rank there, counted from 1, and their own score.
    pub(super) fn ranks(&self) -> impl Iterator<Item = (Retriever, u32, f32)> + '_ {
        let ranks = Retriever::ALL.into_iter().zip(&self.ranks);
        ranks.filter_map(|(retriever, rank)| rank.map(|(rank, score)| (retriever, rank, score)))
    }
}

/// Fuses the lists of one store and multiplies each score by the factor of its file kind.
pub(super) fn fuse_and_weigh(
    lists: &[RankedList],
    understood: &Understood,
    request: &SearchRequest,
) -> Vec<FusedChunk> {
    let mut fused = fuse(lists);
    let asked_for = asked_for(understood);
    for one in &mut fused {
        one.prior = fused_factor(one.traits.file_kind, &asked_for, request);
        one.score = one.fused * one.prior.map_or(1.0, |factor| factor.value);
    }
    fused
}

/// Merges ranked lists, one per retriever, by weighted reciprocal rank fusion. The chunks have no prior and no score yet.
///
/// Candidates of one list with equal scores share the better rank, so the result does not depend on the order in which a store was
/// filled. The result is sorted best first. Ties are broken by chunk row, so the order of the lists does not matter.
fn fuse(lists: &[RankedList]) -> Vec<FusedChunk> {
    let most = lists.iter().map(|list| list.candidates.len()).sum();
    let mut places: FxHashMap<ChunkRow, usize> = FxHashMap::with_capacity_and_hasher(most, FxBuildHasher);
    let mut fused: Vec<FusedChunk> = Vec::with_capacity(most);
    let mut ordered: Vec<&RankedList> = lists.iter().filter(|list| list.weight > 0.0).collect();
    // Floating-point sums depend on their order; a fixed order makes equal inputs give equal bits.
    ordered.sort_by_key(|list| list.retriever);
    for list in ordered {
        let (mut rank, mut best) = (0_u32, None);
        for (place, candidate) in (1_u32..).zip(&list.candidates) {
            if best != Some(candidate.score) {
                (rank, best) = (place, Some(candidate.score));
            }
            let place = *places.entry(candidate.chunk).or_insert(fused.len());
            if place == fused.len() {
                let Candidate { chunk, document, traits, .. } = *candidate;
                let ranks = Default::default();
                fused.push(FusedChunk { chunk, document, traits, fused: 0.0, prior: None, score: 0.0, ranks });
            }
            let one = &mut fused[place];
            one.fused += list.weight / (RRF_K + f64::from(rank));
            one.ranks[list.retriever as usize] = Some((rank, candidate.score));
        }
    }
    fused.sort_unstable_by(|a, b| b.fused.total_cmp(&a.fused).then(a.chunk.cmp(&b.chunk)));
    fused
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use recall_core::DocumentType;
    use recall_text::{FileKind, Form};

    use super::*;

    const TRAITS: Traits = Traits { document_type: DocumentType::Code, file_kind: FileKind::Main, form: Form::Program };

    fn list(retriever: Retriever, weight: f64, chunks: &[i64]) -> RankedList {
        let candidates = chunks
            .iter()
            .zip((0_u16..).map(|place| 100.0 - f32::from(place)))
            .map(|(&row, score)| Candidate { chunk: ChunkRow(row), document: DocumentRow(row), score, traits: TRAITS })
            .collect();
        RankedList { retriever, weight, candidates }
    }

    fn order(lists: &[RankedList]) -> Vec<i64> {
        fuse(lists).iter().map(|fused| fused.chunk.0).collect()
    }

    #[test]
    fn a_chunk_high_in_two_lists_beats_the_first_of_one() {
        let lists = [list(Retriever::Lexical, 1.0, &[1, 2, 3]), list(Retriever::Symbol, 1.0, &[4, 2, 5])];
        assert_eq!(order(&lists), [2, 1, 4, 3, 5]);
    }

    #[test]
    fn ties_are_broken_by_chunk_row() {
        let lists = [list(Retriever::Lexical, 1.0, &[9]), list(Retriever::Path, 1.0, &[3])];
        assert_eq!(order(&lists), [3, 9]);
    }

    #[test]
    fn equal_scores_share_a_rank() {
        let mut tied = list(Retriever::Lexical, 1.0, &[5, 6, 7]);
        tied.candidates[1].score = tied.candidates[0].score;
        let ranks: Vec<u32> =
            fuse(&[tied]).iter().flat_map(|fused| fused.ranks().map(|(_, rank, _)| rank).collect::<Vec<_>>()).collect();
        assert_eq!(ranks, [1, 1, 3]);
    }

    #[test]
    fn a_list_of_weight_zero_is_ignored() {
        assert_eq!(order(&[list(Retriever::Path, 0.0, &[1]), list(Retriever::Lexical, 1.0, &[2])]), [2]);
    }

    proptest! {
        #[test]
        fn the_order_of_the_lists_does_not_matter(a in prop::collection::hash_set(0_i64..50, 0..20), b in prop::collection::hash_set(0_i64..50, 0..20)) {
            let (a, b): (Vec<_>, Vec<_>) = (a.into_iter().collect(), b.into_iter().collect());
            let one = list(Retriever::Lexical, 1.0, &a);
            let two = list(Retriever::Symbol, 0.7, &b);
            prop_assert_eq!(fuse(&[one.clone(), two.clone()]), fuse(&[two, one]));
        }
    }
}
