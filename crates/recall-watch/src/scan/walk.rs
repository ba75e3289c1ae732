//! A parallel walk over the directories of a root.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::ScanError;
use super::lister::{Found, Lister, ignore_files_above};
use super::queue::Queue;
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
    let above = ignore_files_above(&root, rules, &plans);
    let queue = Queue::new(lister.starts(above.as_ref()), cancel);
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

/// Returns the canonical root after checking that it can be listed.
pub(super) fn check(root: &Path) -> Result<PathBuf, ScanError> {
    let refused = |source| ScanError::Root { path: root.to_owned(), source };
    let canonical = dunce::canonicalize(root).map_err(refused)?;
    fs::read_dir(&canonical).map_err(refused)?;
    Ok(canonical)
}
