//! Detection of foreign changes to the index files of an open store.

use std::fmt;
use std::time::{Duration, Instant};

use recall_index::catalog::Disturbance;

use super::{Index, IndexPart};

/// A foreign change to the index files of an open store, which then has to be opened again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disturbed {
    /// The path of the open catalog has another file or none.
    Replaced,
    /// The bytes of a part were changed.
    Overwritten(IndexPart),
}

impl fmt::Display for Disturbed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Replaced => "the catalog was replaced",
            Self::Overwritten(IndexPart::Catalog) => "the catalog was overwritten",
            Self::Overwritten(IndexPart::Lexical) => "the lexical index was overwritten",
        })
    }
}

impl Index {
    /// Checks whether another process has changed the index files, at most once per `interval`, and not while this process
    /// writes them.
    ///
    /// Changed embeddings are quarantined and rebuilt in place. For the other parts the store has to be opened again.
    pub(in crate::store) fn find_disturbance(&self, interval: Duration) -> Option<Disturbed> {
        // The first request after the index was deleted, as by `rm -r`, must notice it, so this check has no interval.
        if !self.catalog.is_in_place() && self.writing.try_lock().is_some() {
            return Some(Disturbed::Replaced);
        }
        {
            let mut checked = self.checked.lock();
            if checked.is_some_and(|checked| checked.elapsed() < interval) {
                return None;
            }
            *checked = Some(Instant::now());
        }
        let writing = self.writing.try_lock()?;
        if writing.is_some() {
            return None;
        }
        match self.catalog.disturbance() {
            Some(Disturbance::Replaced) => return Some(Disturbed::Replaced),
            Some(Disturbance::Overwritten) => return Some(Disturbed::Overwritten(IndexPart::Catalog)),
            None => {}
        }
        // A commit of another process is not damage; the next scan publishes it.
        let is_followed =
            self.catalog.generation().is_ok_and(|generation| generation == self.views.known.load().generation);
        if is_followed && self.lexical.is_disturbed() {
            return Some(Disturbed::Overwritten(IndexPart::Lexical));
        }
        self.embeddings.quarantine_disturbed();
        None
    }
}
