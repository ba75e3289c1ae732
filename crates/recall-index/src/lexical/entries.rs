//! Sets of entries of a segment, and a cache of those that pass filters.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use recall_core::{Filters, RowSet};
use tantivy::{DocId, TantivyError};

/// A set of entries of one segment.
#[derive(Clone, Debug)]
pub(crate) struct Entries {
    words: Vec<u64>,
    len: usize,
}

impl Entries {
    /// An empty set for a segment with `entries` entries.
    pub(crate) fn none(entries: DocId) -> Self {
        Self { words: vec![0; (entries as usize).div_ceil(64)], len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn contains(&self, entry: DocId) -> bool {
        self.words[entry as usize / 64] >> (entry % 64) & 1 == 1
    }

    /// The entries, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = DocId> {
        (0_u32..).zip(&self.words).flat_map(|(place, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(place * 64 + bit)
            })
        })
    }

    pub(crate) fn insert(&mut self, entry: DocId) {
        let word = &mut self.words[entry as usize / 64];
        let bit = 1 << (entry % 64);
        self.len += usize::from(*word & bit == 0);
        *word |= bit;
    }

    pub(crate) fn remove(&mut self, entry: DocId) {
        let word = &mut self.words[entry as usize / 64];
        let bit = 1 << (entry % 64);
        self.len -= usize::from(*word & bit != 0);
        *word &= !bit;
    }

    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
        self.len = self.words.iter().map(|word| word.count_ones() as usize).sum();
        self
    }
}

/// The number of filters cached for a snapshot: those of a few sessions. Each takes 250 KB per million chunks.
const CAPACITY: usize = 8;

/// The entries that pass some filters.
pub(crate) struct FilterMatches {
    /// The entries of each segment, in the snapshot's order. None of them is removed.
    pub(crate) entries: Vec<Arc<Entries>>,
    /// The rows of the chunks that pass. Computed at first use.
    pub(crate) rows: OnceLock<Arc<RowSet>>,
}

/// The results of the most recently used filters, the latest last.
#[derive(Default)]
pub(crate) struct FilterCache(Mutex<Vec<(Filters, Arc<FilterMatches>)>>);

impl FilterCache {
    /// Returns the cached result for the filters, or computes and caches it.
    pub(crate) fn get_or_compute(
        &self,
        filters: &Filters,
        find: impl FnOnce() -> Result<Vec<Arc<Entries>>, TantivyError>,
    ) -> Result<Arc<FilterMatches>, TantivyError> {
        if let Some(known) = self.get(filters) {
            return Ok(known);
        }
        // Computed without the lock, so that others need not wait. It is harmless if two threads compute the same.
        let found = Arc::new(FilterMatches { entries: find()?, rows: OnceLock::new() });
        let mut cache = self.lock();
        cache.retain(|(known, _)| known != filters);
        if cache.len() == CAPACITY {
            cache.remove(0);
        }
        cache.push((filters.clone(), Arc::clone(&found)));
        Ok(found)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Filters, Arc<FilterMatches>)>> {
        // A panic while the lock is held leaves the list intact.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, filters: &Filters) -> Option<Arc<FilterMatches>> {
        let mut cache = self.lock();
        let place = cache.iter().position(|(known, _)| known == filters)?;
        let latest = cache.remove(place);
        let found = Arc::clone(&latest.1);
        cache.push(latest);
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use recall_core::PathFilter;

    use super::*;

    #[test]
    fn recently_used_filters_are_not_evaluated_again() {
        let cache = FilterCache::default();
        let finds = Cell::new(0);
        let ask = |number: usize| {
            let filters = Filters { paths: vec![PathFilter(number.to_string())], ..Filters::default() };
            let find = || {
                finds.set(finds.get() + 1);
                Ok(Vec::new())
            };
            cache.get_or_compute(&filters, find).map(drop).expect("it cannot fail");
            finds.get()
        };
        assert_eq!([ask(0), ask(0)], [1, 1]);
        for number in 1..CAPACITY {
            ask(number);
        }
        assert_eq!(ask(0), CAPACITY, "it is cached, and becomes the latest");
        ask(CAPACITY);
        assert_eq!(ask(0), CAPACITY + 1);
        assert_eq!(ask(1), CAPACITY + 2, "the least recently used one was evicted");
    }
}
