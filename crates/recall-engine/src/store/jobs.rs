//! The jobs of a store outside of requests: its threads, its index runs, and how they are stopped.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::index_runs::{Cancel, IndexRuns};
use crate::warning::Indexing;

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

/// Counts the threads that work for a store outside of requests, so that closing it can wait for them.
#[derive(Debug, Default)]
struct TaskTracker {
    working: Mutex<usize>,
    ended: Condvar,
}

/// The guard of one counted thread. The thread drops it after its reference to the store.
pub(crate) struct TaskGuard(Arc<TaskTracker>);

impl TaskTracker {
    /// Counts a thread that is about to start.
    pub(crate) fn begin(self: &Arc<Self>) -> TaskGuard {
        *self.working.lock() += 1;
        TaskGuard(Arc::clone(self))
    }

    /// Waits until no thread works; returns whether that was before the timeout.
    pub(crate) fn wait(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut working = self.working.lock();
        while *working > 0 {
            if self.ended.wait_until(&mut working, deadline).timed_out() {
                return *working == 0;
            }
        }
        true
    }
}

impl Drop for TaskGuard {
    fn drop(&mut self) {
        *self.0.working.lock() -= 1;
        self.0.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_ends_when_the_last_thread_has_ended() {
        let background = Arc::new(TaskTracker::default());
        assert!(background.wait(Duration::ZERO));
        let working = background.begin();
        assert!(!background.wait(Duration::ZERO));
        let thread = std::thread::spawn(move || drop(working));
        assert!(background.wait(Duration::from_secs(30)));
        thread.join().expect("no panic");
    }
}
