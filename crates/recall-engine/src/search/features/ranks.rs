//! Scores in relation to the other candidates: shares of the best score, and reciprocal ranks.

use recall_core::Retriever;

use crate::ranking::ContentKind;
use crate::ranking::inputs::RetrieverRanks;
use crate::search::candidates::KindCandidates;

/// The smoothing of the reciprocal rank: rank 1 scores 1/21, rank 22 half of that (1/42).
const SMOOTHING: f32 = 20.0;

fn reciprocal_rank(rank: usize) -> f32 {
    1.0 / (SMOOTHING + rank as f32)
}

/// Returns each score divided by the best; all 0 if the best is 0.
pub(super) fn shares_of_best(scores: &[f32]) -> impl Iterator<Item = f32> {
    let best = scores.iter().copied().fold(0.0, f32::max);
    let factor = if best > 0.0 { 1.0 / best } else { 0.0 };
    scores.iter().map(move |score| score * factor)
}

/// Returns the reciprocal rank of each score. Equal scores share a rank; a score of 0 has no rank and gives 0.
pub(super) fn reciprocal_ranks(scores: &[f32]) -> Vec<f32> {
    // The bit patterns of positive floats sort like the floats, and integers sort faster than pairs.
    let descending = |(&score, place): (&f32, u32)| u64::from(!score.to_bits()) << 32 | u64::from(place);
    let mut order: Vec<u64> = scores.iter().zip(0..).filter(|&(&score, _)| score > 0.0).map(descending).collect();
    order.sort_unstable();
    let mut reciprocal_ranks = vec![0.0; scores.len()];
    let (mut rank, mut before) = (0, None);
    for (at, key) in order.into_iter().enumerate() {
        let (score, place) = (key >> 32, key as u32 as usize);
        if before != Some(score) {
            (rank, before) = (at + 1, Some(score));
        }
        reciprocal_ranks[place] = reciprocal_rank(rank);
    }
    reciprocal_ranks
}

/// Returns the reciprocal ranks of each document in the lists of the retrievers.
pub(super) fn retriever_ranks(kind: &KindCandidates<'_>) -> Vec<RetrieverRanks> {
    let [lexical, symbol, path, semantic] =
        [Retriever::Lexical, Retriever::Symbol, Retriever::Path, Retriever::Semantic]
            .map(|one| ranks_in_list(kind, one));
    let ranks = |place: usize| RetrieverRanks {
        lexical: lexical[place],
        symbol: symbol[place],
        path: path[place],
        semantic: semantic[place],
    };
    (0..kind.documents.len()).map(ranks).collect()
}

/// Returns the reciprocal rank of each document in a retriever's list, by its best chunk, counted in documents of the kind; 0
/// if the list does not hold the document.
fn ranks_in_list(kind: &KindCandidates<'_>, retriever: Retriever) -> Vec<f32> {
    let mut reciprocal_ranks = vec![0.0; kind.documents.len()];
    let mut rank = 0;
    let lists = kind.of_store.lists.iter().filter(|list| list.retriever == retriever);
    let here = lists
        .flat_map(|list| &list.candidates)
        .filter(|candidate| ContentKind::from_traits(candidate.traits) == kind.kind);
    for place in here.filter_map(|candidate| kind.place(candidate.document)) {
        if reciprocal_ranks[place] == 0.0 {
            rank += 1;
            reciprocal_ranks[place] = reciprocal_rank(rank);
        }
    }
    reciprocal_ranks
}

/// Returns the reciprocal rank of each document by its best fused chunk; 0 if it has none.
pub(super) fn fused_ranks(kind: &KindCandidates<'_>) -> Vec<f32> {
    let chunks = kind.fused.iter().enumerate();
    let mut order: Vec<(f64, u64, usize)> =
        chunks.filter_map(|(place, chunk)| Some((chunk.as_ref()?.score, kind.ties[place], place))).collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let mut reciprocal_ranks = vec![0.0; kind.documents.len()];
    for (rank, (_, _, place)) in (1..).zip(order) {
        reciprocal_ranks[place] = reciprocal_rank(rank);
    }
    reciprocal_ranks
}
