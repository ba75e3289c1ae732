//! The work of an ingest, with its progress and cancellation.

use std::collections::HashSet;

use crate::indexing::ingest::prepare::Task;
use crate::progress::{Cancel, Progress};

/// The files that an ingest reads, removes or records.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// Files to read.
    pub(crate) read: Vec<Task>,
    /// Paths that no longer exist or are no longer indexed.
    pub(crate) gone: Vec<String>,
    /// Files that are skipped because of their stat, with the reason.
    pub(crate) skipped: Vec<recall_catalog::FileFailure>,
}

/// The most files of a small ingest, whose states are read one by one afterwards.
const FEW_FILES: usize = 64;

/// The most bytes of an ingest without a turn to import, and the most bytes in flight of such an ingest.
pub(crate) const FEW_BYTES: u64 = 4 * 1024 * 1024;

impl Work {
    /// Returns whether it writes so few files that the states of all others need not be read again.
    pub(crate) fn is_small(&self) -> bool {
        let Self { read, gone, skipped } = self;
        read.len() + gone.len() + skipped.len() <= FEW_FILES
    }

    /// Returns whether it takes so much memory that it needs a turn to import.
    pub(crate) fn is_import(&self) -> bool {
        !self.is_small() || self.read.iter().map(|task| task.size_bytes).sum::<u64>() > FEW_BYTES
    }

    /// Returns the paths that it may write.
    pub(crate) fn paths(&self) -> HashSet<&str> {
        let Self { read, gone, skipped } = self;
        let skipped = skipped.iter().map(|failure| failure.path.as_str());
        read.iter().map(|task| task.path.as_str()).chain(gone.iter().map(String::as_str)).chain(skipped).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        let Self { read, gone, skipped } = self;
        read.is_empty() && gone.is_empty() && skipped.is_empty()
    }
}

/// The progress callback and the cancellation of an ingest.
pub(crate) struct Supervision<'a> {
    pub(crate) progress: &'a mut dyn FnMut(Progress),
    pub(crate) cancel: &'a Cancel,
}
