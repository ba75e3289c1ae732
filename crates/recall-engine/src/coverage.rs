//! The coverage of an answer: which state of a store it is from.

use std::path::PathBuf;

use recall_core::{Generation, StoreScope, Timestamp};

/// The state of one store that an answer is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Whether it is a project's, a domain's or the global store.
    pub scope: StoreScope,
    /// The root of its files; for a shared store its name.
    pub root: PathBuf,
    /// The generation that was searched.
    pub generation: Generation,
    /// The number of its documents.
    pub documents: u64,
    /// The modification time of its newest document.
    pub newest: Option<Timestamp>,
    /// Whether it belongs to another project than the client's.
    pub is_elsewhere: bool,
    /// Whether it is a store that a team shares.
    pub is_shared: bool,
    /// The index job that was running meanwhile, if any.
    pub indexing: Option<Indexing>,
}

impl Coverage {
    /// Returns the number of files that a running index job has yet to read.
    pub(crate) fn files_to_come(&self) -> u64 {
        self.indexing.map_or(0, |job| job.files.saturating_sub(job.files_done))
    }
}

/// The progress of a running index job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Indexing {
    /// Files that are written, of `files`.
    pub files_done: u64,
    /// Files to read in all; 0 while they are being searched for.
    pub files: u64,
}
