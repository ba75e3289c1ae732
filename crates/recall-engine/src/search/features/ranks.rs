//! What place does a score have among all?

use recall_core::{DocumentRow, RankedList};
use recall_lexical::DocumentEvidence;
use rustc_hash::FxHashMap;

use crate::rankers::Side;
use crate::search::fused::FusedChunk;

/// How fast a rank loses worth: the first is worth 1/21, the twentieth half of that.
const SMOOTHING: f32 = 20.0;

fn worth(rank: usize) -> f32 {
    1.0 / (SMOOTHING + rank as f32)
}

/// Each document's score, divided by the best; 0 where nothing scored.
pub(super) fn relative(documents: &[&DocumentEvidence], score: fn(&DocumentEvidence) -> f32) -> Vec<f32> {
    let best = documents.iter().map(|document| score(document)).fold(0.0, f32::max);
    let factor = if best > 0.0 { 1.0 / best } else { 0.0 };
    documents.iter().map(|document| score(document) * factor).collect()
}

/// The worth of each document's rank by a score.
pub(super) fn places(documents: &[&DocumentEvidence], score: fn(&DocumentEvidence) -> f32) -> Vec<f32> {
    worths(&documents.iter().map(|document| score(document)).collect::<Vec<_>>())
}

/// The worth of each score's rank; equal scores share a rank, a score of 0 has none and is worth 0.
pub(super) fn worths(scores: &[f32]) -> Vec<f32> {
    let mut order: Vec<(f32, usize)> = scores
        .iter()
        .copied()
        .enumerate()
        .map(|(place, score)| (score, place))
        .filter(|&(score, _)| score > 0.0)
        .collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut worths = vec![0.0; scores.len()];
    let mut rank = 0;
    for at in 0..order.len() {
        if at == 0 || order[at].0 < order[at - 1].0 {
            rank = at + 1;
        }
        worths[order[at].1] = worth(rank);
    }
    worths
}

/// The worth of each document's rank in a retriever's list, by document row: its best chunk's, counted in the documents of
/// one side.
pub(super) fn of_documents(list: &RankedList, side: Side) -> FxHashMap<i64, f32> {
    let mut ranks = FxHashMap::default();
    for candidate in list.candidates.iter().filter(|candidate| Side::of(candidate.traits) == side) {
        let rank = ranks.len() + 1;
        ranks.entry(candidate.document.0).or_insert_with(|| worth(rank));
    }
    ranks
}

/// The worth of each document's rank by its best fused chunk; `tie` decides between equal ones.
pub(super) fn of_chunks(chunks: &FxHashMap<i64, &FusedChunk>, tie: impl Fn(DocumentRow) -> u64) -> FxHashMap<i64, f32> {
    let mut order: Vec<(f64, i64)> = chunks.iter().map(|(&document, chunk)| (chunk.score, document)).collect();
    let place = |document: i64| (tie(DocumentRow(document)), document);
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| place(a.1).cmp(&place(b.1))));
    order.into_iter().zip(1..).map(|((_, document), rank)| (document, worth(rank))).collect()
}
