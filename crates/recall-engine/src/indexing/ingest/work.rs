//! What an ingest is to do, and who controls it.

use std::collections::HashSet;

use crate::indexing::ingest::prepare::Task;
use crate::progress::{Cancel, Progress};

/// What an ingest is to do.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// Files to read.
    pub(crate) read: Vec<Task>,
    /// Paths that are no longer there, or no longer to be indexed.
    pub(crate) gone: Vec<String>,
    /// Files that are passed over by their stat alone, with the reason.
    pub(crate) skipped: Vec<recall_catalog::FileFailure>,
}

/// Up to how many files what is known of them is read one by one.
const FEW_FILES: usize = 64;

/// Up to how many bytes of files are read without a turn to import, and lie between reading and the catalog then.
pub(crate) const FEW_BYTES: u64 = 4 * 1024 * 1024;

impl Work {
    /// Whether it writes so few files that what is known of all others need not be read anew.
    pub(crate) fn is_small(&self) -> bool {
        let Self { read, gone, skipped } = self;
        read.len() + gone.len() + skipped.len() <= FEW_FILES
    }

    /// Whether it takes so much memory that it wants a turn to import.
    pub(crate) fn is_import(&self) -> bool {
        !self.is_small() || self.read.iter().map(|task| task.size_bytes).sum::<u64>() > FEW_BYTES
    }

    /// The files that it may write.
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

/// Who reports and who may stop an ingest.
pub(crate) struct Supervision<'a> {
    pub(crate) progress: &'a mut dyn FnMut(Progress),
    pub(crate) cancel: &'a Cancel,
}
