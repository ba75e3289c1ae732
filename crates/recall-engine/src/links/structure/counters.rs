//! Counters of walks, kept between walks.

use parking_lot::Mutex;

/// What is on its way to each document, 0 for all between walks: a place for each, because a hub alone has hundreds of
/// neighbours, and to hash every one costs more than all the rest of a search. Kept, because to clear a place for each of 100,000
/// documents costs as much again.
#[derive(Debug, Default)]
pub(crate) struct Counters(Mutex<Vec<f32>>);

impl Counters {
    /// Counters for so many documents, those of the last walk unless another one has them.
    pub(crate) fn take(&self, count: usize) -> Vec<f32> {
        let mut counters = std::mem::take(&mut *self.0.lock());
        counters.resize(count, 0.0);
        counters
    }

    /// Takes counters back; all of them are 0.
    pub(crate) fn put(&self, counters: Vec<f32>) {
        *self.0.lock() = counters;
    }
}
