//! The directories that a walk has still to list, shared by its threads.

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex};

use super::lister::{Directory, Lister};

/// The directories still to be listed.
pub(super) struct Queue<'a> {
    state: Mutex<QueueState<'a>>,
    changed: Condvar,
    cancel: &'a AtomicBool,
}

struct QueueState<'a> {
    waiting: Vec<Directory<'a>>,
    /// The number of directories being listed. Each may add more.
    in_progress: usize,
}

impl<'a> Queue<'a> {
    pub(super) fn new(starts: Vec<Directory<'a>>, cancel: &'a AtomicBool) -> Self {
        Self { state: Mutex::new(QueueState { waiting: starts, in_progress: 0 }), changed: Condvar::new(), cancel }
    }

    /// Lists one directory and queues its subdirectories. Waits while other threads may still add some. Returns `false`
    /// once none is left or the walk was cancelled.
    pub(super) fn list_next(&self, lister: &mut Lister<'a>) -> bool {
        let Some(directory) = self.take() else { return false };
        let mut listing_guard = Listing { queue: self, below: Vec::new() };
        listing_guard.below = lister.list(directory);
        true
    }

    fn take(&self) -> Option<Directory<'a>> {
        let mut state = self.state.lock();
        loop {
            if self.cancel.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(directory) = state.waiting.pop() {
                state.in_progress += 1;
                return Some(directory);
            }
            if state.in_progress == 0 {
                return None;
            }
            self.changed.wait(&mut state);
        }
    }
}

/// A directory being listed. Dropping it, even by a panic, releases it, so that the other threads do not wait forever.
struct Listing<'q, 'a> {
    queue: &'q Queue<'a>,
    /// The subdirectories.
    below: Vec<Directory<'a>>,
}

impl Drop for Listing<'_, '_> {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock();
        state.in_progress -= 1;
        let wakes = !self.below.is_empty() || state.in_progress == 0;
        state.waiting.append(&mut self.below);
        drop(state);
        if wakes {
            self.queue.changed.notify_all();
        }
    }
}
