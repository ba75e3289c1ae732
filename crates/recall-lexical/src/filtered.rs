//! What did filters let through, in one state of the index?
//!
//! Agents ask with the same few filters again and again, and to find what they let through takes longer than the search: of
//! 30,000 chunks 1 ms by type, 4 ms by path.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use recall_core::{Filters, RowSet};
use tantivy::TantivyError;

use crate::filter::Entries;
use crate::snapshot::Segment;

/// How many filters are remembered of a state: those of a few sessions. Of a million chunks each takes 250 KB.
const REMEMBERED: usize = 8;

/// What some filters let through.
pub(crate) struct Filtered {
    /// In each segment, in the snapshot's order; none of them is removed.
    pub(crate) entries: Vec<Arc<Entries>>,
    rows: OnceLock<Arc<RowSet>>,
}

/// What filters let through that were asked for lately, the latest last.
#[derive(Default)]
pub(crate) struct Remembered(Mutex<Vec<(Filters, Arc<Filtered>)>>);

impl Filtered {
    /// The chunks that they let through; `segments` are those of the same snapshot.
    pub(crate) fn rows(&self, segments: &[Arc<Segment>]) -> Arc<RowSet> {
        let of_segments = || segments.iter().zip(&self.entries);
        let rows = || of_segments().flat_map(|(segment, entries)| entries.iter().map(|entry| segment.chunk_row(entry)));
        Arc::clone(self.rows.get_or_init(|| Arc::new(rows().collect())))
    }
}

impl Remembered {
    /// What filters let through: known, or found and remembered.
    pub(crate) fn get_or_find(
        &self,
        filters: &Filters,
        find: impl FnOnce() -> Result<Vec<Arc<Entries>>, TantivyError>,
    ) -> Result<Arc<Filtered>, TantivyError> {
        if let Some(known) = self.get(filters) {
            return Ok(known);
        }
        // Beside the lock: others need not wait, and two that find the same do no harm.
        let found = Arc::new(Filtered { entries: find()?, rows: OnceLock::new() });
        let mut remembered = self.lock();
        remembered.retain(|(known, _)| known != filters);
        if remembered.len() == REMEMBERED {
            remembered.remove(0);
        }
        remembered.push((filters.clone(), Arc::clone(&found)));
        Ok(found)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Filters, Arc<Filtered>)>> {
        // Whoever panicked with it has left a whole list.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, filters: &Filters) -> Option<Arc<Filtered>> {
        let mut remembered = self.lock();
        let place = remembered.iter().position(|(known, _)| known == filters)?;
        let latest = remembered.remove(place);
        let found = Arc::clone(&latest.1);
        remembered.push(latest);
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use recall_core::PathFilter;

    use super::*;

    #[test]
    fn what_was_asked_for_lately_is_not_found_again() {
        let remembered = Remembered::default();
        let finds = Cell::new(0);
        let ask = |number: usize| {
            let filters = Filters { paths: vec![PathFilter(number.to_string())], ..Filters::default() };
            let find = || {
                finds.set(finds.get() + 1);
                Ok(Vec::new())
            };
            remembered.get_or_find(&filters, find).map(drop).expect("it cannot fail");
            finds.get()
        };
        assert_eq!([ask(0), ask(0)], [1, 1]);
        for number in 1..REMEMBERED {
            ask(number);
        }
        assert_eq!(ask(0), REMEMBERED, "it is there, and the latest");
        ask(REMEMBERED);
        assert_eq!(ask(0), REMEMBERED + 1);
        assert_eq!(ask(1), REMEMBERED + 2, "the one asked for longest ago has gone");
    }
}
