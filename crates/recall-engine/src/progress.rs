//! The progress and the cancellation of long jobs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that asks a job to stop. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the job to stop at its next safe point. Committed batches stay.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the job was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.0
    }
}

/// The progress of an index job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The files were found and compared.
    Started {
        /// Files that are new or may have changed.
        files: u64,
    },
    /// More files were read.
    Advanced {
        /// Files that are written so far.
        files_done: u64,
        /// Files to read in all.
        files: u64,
        /// Bytes of text that are written so far.
        bytes: u64,
        /// The file that was read last.
        current: String,
    },
}
