//! A parallel walk over the directories of a root, and the queue of those that its threads have still to list.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex};

use super::ScanError;
use super::lister::{Directory, Found, Lister, ignore_files_above};
use crate::Rules;
use crate::rules::Plans;

/// Visits every directory that the rules include.
pub(super) fn walk(
    root: &Path,
    rules: &Rules,
    threads: NonZero<usize>,
    cancel: &AtomicBool,
) -> Result<Found, ScanError> {
    let root = check(root)?;
    let plans = Plans::compile(rules)?;
    let mut lister = Lister::new(&root, &plans);
    let queue = Queue::start(&root, rules, &plans, &mut lister, cancel);
    let mut others = Vec::new();
    std::thread::scope(|scope| {
        // A root without subdirectories is finished before a thread would have started.
        if queue.list_next(&mut lister) {
            let helpers: Vec<_> = (1..threads.get())
                .map(|_| {
                    scope.spawn(|| {
                        let mut lister = Lister::new(&root, &plans);
                        while queue.list_next(&mut lister) {}
                        lister.into_found()
                    })
                })
                .collect();
            while queue.list_next(&mut lister) {}
            others = helpers
                .into_iter()
                .map(|helper| helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect();
        }
    });
    if cancel.load(Ordering::Relaxed) {
        return Err(ScanError::Cancelled);
    }
    let mut found = lister.into_found();
    for other in others {
        found.files.extend(other.files);
        found.skipped.extend(other.skipped);
        found.directories.extend(other.directories);
        found.left_out.extend(other.left_out);
        found.left_out_count += other.left_out_count;
    }
    Ok(found)
}

/// Visits the directories that the rules include, on the calling thread. Returns `None` once more than `most` files, or more than
/// `most` directories, are found; what is left is not visited.
pub(super) fn walk_few(
    root: &Path,
    rules: &Rules,
    most: usize,
    cancel: &AtomicBool,
) -> Result<Option<Found>, ScanError> {
    let root = check(root)?;
    let plans = Plans::compile(rules)?;
    let mut lister = Lister::new(&root, &plans);
    let queue = Queue::start(&root, rules, &plans, &mut lister, cancel);
    while queue.list_next(&mut lister) {
        if lister.has_more_than(most) {
            return Ok(None);
        }
    }
    if cancel.load(Ordering::Relaxed) { Err(ScanError::Cancelled) } else { Ok(Some(lister.into_found())) }
}

/// Returns the canonical root after checking that it can be listed.
pub(super) fn check(root: &Path) -> Result<PathBuf, ScanError> {
    let refused = |source| ScanError::Root { path: root.to_owned(), source };
    let canonical = dunce::canonicalize(root).map_err(refused)?;
    fs::read_dir(&canonical).map_err(refused)?;
    Ok(canonical)
}

/// The directories still to be listed.
struct Queue<'a> {
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
    /// Creates the queue of the directories in which the plans of the rules start.
    fn start(
        root: &Path,
        rules: &Rules,
        plans: &'a Plans<'a>,
        lister: &mut Lister<'a>,
        cancel: &'a AtomicBool,
    ) -> Self {
        let above = ignore_files_above(root, rules, plans);
        let starts = lister.starts(above.as_ref());
        Self { state: Mutex::new(QueueState { waiting: starts, in_progress: 0 }), changed: Condvar::new(), cancel }
    }

    /// Lists one directory and queues its subdirectories. Waits while other threads may still add some. Returns `false`
    /// once none is left or the walk was cancelled.
    fn list_next(&self, lister: &mut Lister<'a>) -> bool {
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
