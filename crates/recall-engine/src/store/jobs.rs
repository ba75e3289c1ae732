//! The work of a store outside of requests: its threads, its index runs, and how they are stopped.

mod task_tracker;

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::coverage::Indexing;
use crate::index_runs::IndexRuns;
use crate::progress::Cancel;

pub(crate) use task_tracker::TaskGuard;

use task_tracker::TaskTracker;

/// The jobs of a store.
pub(crate) struct Jobs {
    threads: Arc<TaskTracker>,
    /// Asks the jobs to stop.
    cancel: Cancel,
    /// The queue of index runs, shared by all stores.
    index_runs: Arc<IndexRuns>,
    indexing: Mutex<Option<Indexing>>,
}

impl Jobs {
    pub(super) fn new(index_runs: &Arc<IndexRuns>) -> Self {
        Self {
            threads: Arc::default(),
            cancel: Cancel::default(),
            index_runs: Arc::clone(index_runs),
            indexing: Mutex::new(None),
        }
    }

    /// Counts a thread that is about to start. Closing the store waits until it drops the guard.
    pub(crate) fn begin_thread(&self) -> TaskGuard {
        self.threads.begin()
    }

    /// Waits until no thread works; returns whether that was before the timeout.
    pub(super) fn wait(&self, patience: Duration) -> bool {
        self.threads.wait(patience)
    }

    /// Returns what asks the jobs to stop.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Returns the queue of index runs.
    pub(crate) fn index_runs(&self) -> &Arc<IndexRuns> {
        &self.index_runs
    }

    /// Sets the progress of the running index job; `None` if none is running.
    pub(crate) fn set_indexing(&self, indexing: Option<Indexing>) {
        *self.indexing.lock() = indexing;
    }

    /// Returns the progress of the running index job; `None` if none is running.
    pub(crate) fn indexing(&self) -> Option<Indexing> {
        *self.indexing.lock()
    }
}
