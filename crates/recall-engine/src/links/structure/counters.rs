//! Reusable counters of walks.

use parking_lot::Mutex;

/// The residue of each document, all 0 between walks. An array, because a hub alone has hundreds of neighbours, and hashing
/// them costs more than the rest of a search. It is reused, because clearing an array of 100,000 entries costs as much again.
#[derive(Debug, Default)]
pub(crate) struct Counters(Mutex<Vec<f32>>);

impl Counters {
    /// Returns counters for `count` documents, all 0: those of the last walk, unless another walk uses them.
    pub(crate) fn take(&self, count: usize) -> Vec<f32> {
        let mut counters = std::mem::take(&mut *self.0.lock());
        counters.resize(count, 0.0);
        counters
    }

    /// Returns counters for reuse. All of them must be 0.
    pub(crate) fn put(&self, counters: Vec<f32>) {
        *self.0.lock() = counters;
    }
}
