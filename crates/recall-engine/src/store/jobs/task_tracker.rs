//! The count of a store's background threads.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// Counts the threads that work for a store outside of requests, so that closing it can wait for them.
#[derive(Debug, Default)]
pub(super) struct TaskTracker {
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
