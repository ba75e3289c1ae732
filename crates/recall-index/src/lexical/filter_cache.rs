//! A cache of the entries that pass filters, for one snapshot.
//!
//! Agents repeat the same few filters, and evaluating one takes longer than the search: for 30,000 chunks 1 ms by type
//! and 4 ms by path.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use recall_core::{Filters, RowSet};
use tantivy::TantivyError;

use crate::lexical::entries::Entries;

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
