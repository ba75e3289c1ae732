//! Selection of the best neighbours.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use recall_core::{ChunkRow, Neighbour};

/// The best neighbours so far, by descending cosine, then by ascending row.
pub(crate) struct TopK {
    limit: usize,
    /// The worst on top.
    kept: BinaryHeap<Reverse<Ranked>>,
    /// The cosine that a new neighbour must reach.
    threshold: f32,
}

impl TopK {
    pub(crate) fn new(limit: usize) -> Self {
        // Callers that want all neighbours pass a larger number than there are.
        Self { limit, kept: BinaryHeap::with_capacity(limit.min(1024) + 1), threshold: f32::NEG_INFINITY }
    }

    /// Whether a neighbour with this cosine could be kept. An equal cosine could, because of its row.
    #[inline]
    pub(crate) fn could_keep(&self, cosine: f32) -> bool {
        cosine >= self.threshold
    }

    pub(crate) fn offer(&mut self, row: ChunkRow, cosine: f32) {
        if self.limit == 0 || !self.could_keep(cosine) {
            return;
        }
        self.kept.push(Reverse(Ranked { row, cosine }));
        if self.kept.len() > self.limit {
            self.kept.pop();
        }
        if self.kept.len() == self.limit {
            self.threshold = self.kept.peek().map_or(f32::NEG_INFINITY, |worst| worst.0.cosine);
        }
    }

    /// The best neighbours, in order.
    pub(crate) fn into_sorted(self) -> Vec<Neighbour> {
        // Ascending order of the reversed elements is best first.
        let sorted = self.kept.into_sorted_vec().into_iter();
        sorted.map(|Reverse(Ranked { row, cosine })| Neighbour { row, cosine }).collect()
    }
}

/// A neighbour, ordered from worst to best.
#[derive(Clone, Copy, Debug)]
struct Ranked {
    row: ChunkRow,
    cosine: f32,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cosine.total_cmp(&other.cosine).then_with(|| other.row.cmp(&self.row))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_the_first_of_all_in_order(cosines in prop::collection::vec(-3_i8..4, 0..40), limit in 0_usize..50) {
            let mut best = TopK::new(limit);
            let mut all: Vec<(i8, i64)> = cosines.iter().enumerate().map(|(row, cosine)| (-cosine, row as i64)).collect();
            for (cosine, row) in all.iter().rev() {
                best.offer(ChunkRow(*row), f32::from(-cosine));
            }
            all.sort_unstable();
            all.truncate(limit);
            let found: Vec<(i8, i64)> = best.into_sorted().iter().map(|n| (-(n.cosine as i8), n.row.0)).collect();
            prop_assert_eq!(found, all);
        }
    }
}
