//! How much of a store did an answer see?

use std::path::PathBuf;

use recall_core::{Generation, StoreScope, Timestamp};

/// What an answer saw of one store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// What the store is the store of.
    pub scope: StoreScope,
    /// Its root.
    pub root: PathBuf,
    /// The generation that answered.
    pub generation: Generation,
    /// How many documents it held.
    pub documents: u64,
    /// The modification time of its newest document.
    pub newest: Option<Timestamp>,
    /// The index job that was running beside, if one was.
    pub indexing: Option<Indexing>,
}

impl Coverage {
    /// How many files a running index job has still to read.
    pub(crate) fn files_to_come(&self) -> u64 {
        self.indexing.map_or(0, |job| job.files.saturating_sub(job.files_done))
    }
}

/// How far a running index job is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Indexing {
    /// Files read.
    pub files_done: u64,
    /// Files to read in all; 0 while they are still being looked for.
    pub files: u64,
}
