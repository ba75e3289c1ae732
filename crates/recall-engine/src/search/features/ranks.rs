//! What place does a score have among all?

use recall_core::RankedList;

use crate::ranking::Kind;
use crate::search::pool::OfKind;

/// How fast a rank loses worth: the first is worth 1/21, the twentieth half of that.
const SMOOTHING: f32 = 20.0;

fn worth(rank: usize) -> f32 {
    1.0 / (SMOOTHING + rank as f32)
}

/// Each score, divided by the best; 0 where nothing scored.
pub(super) fn relative(scores: &[f32]) -> impl Iterator<Item = f32> {
    let best = scores.iter().copied().fold(0.0, f32::max);
    let factor = if best > 0.0 { 1.0 / best } else { 0.0 };
    scores.iter().map(move |score| score * factor)
}

/// The worth of each score's rank; equal scores share a rank, a score of 0 has none and is worth 0.
pub(super) fn worths(scores: &[f32]) -> Vec<f32> {
    // The bits of numbers above 0 are in the order of the numbers, and whole words are sorted faster than pairs.
    let descending = |(&score, place): (&f32, u32)| u64::from(!score.to_bits()) << 32 | u64::from(place);
    let mut order: Vec<u64> = scores.iter().zip(0..).filter(|&(&score, _)| score > 0.0).map(descending).collect();
    order.sort_unstable();
    let mut worths = vec![0.0; scores.len()];
    let (mut rank, mut before) = (0, None);
    for (at, key) in order.into_iter().enumerate() {
        let (score, place) = (key >> 32, key as u32 as usize);
        if before != Some(score) {
            (rank, before) = (at + 1, Some(score));
        }
        worths[place] = worth(rank);
    }
    worths
}

/// The worth of each document's rank in a retriever's list: its best chunk's, counted in the documents of the kind; 0 for one
/// that it did not bring.
pub(super) fn of_documents(list: &RankedList, kind: &OfKind<'_>) -> Vec<f32> {
    let mut worths = vec![0.0; kind.documents.len()];
    let mut rank = 0;
    let here = list.candidates.iter().filter(|candidate| Kind::of(candidate.traits) == kind.kind);
    for place in here.filter_map(|candidate| kind.place(candidate.document)) {
        if worths[place] == 0.0 {
            rank += 1;
            worths[place] = worth(rank);
        }
    }
    worths
}

/// The worth of each document's rank by its best fused chunk; 0 for one without.
pub(super) fn of_fused(kind: &OfKind<'_>) -> Vec<f32> {
    let chunks = kind.fused.iter().enumerate();
    let mut order: Vec<(f64, u64, usize)> =
        chunks.filter_map(|(place, chunk)| Some((chunk.as_ref()?.score, kind.ties[place], place))).collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let mut worths = vec![0.0; kind.documents.len()];
    for (rank, (_, _, place)) in (1..).zip(order) {
        worths[place] = worth(rank);
    }
    worths
}
