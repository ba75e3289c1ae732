//! The long operations that run now, and how far each is, for clients that wait for one.
//!
//! An indexing run is not among them: its store knows how far it is. What an operation found or wrote is in its report; here are only
//! two numbers, which any thread may read.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

/// A kind of long operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    /// Files are copied into a backup.
    Backup,
    /// Files of a backup are added.
    Restore,
    /// Documents are sent to a shared store.
    Publish,
}

impl OperationKind {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Backup => "backup",
            Self::Restore => "restore",
            Self::Publish => "publish",
        }
    }

    /// Returns what is counted, in the plural.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Backup | Self::Restore => "files",
            Self::Publish => "documents",
        }
    }
}

/// How far a long operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationProgress {
    /// The kind.
    pub kind: OperationKind,
    /// How much is done.
    pub done: u64,
    /// How much there is to do; 0 while that is not known.
    pub total: u64,
}

/// The operations that run now.
#[derive(Debug, Default)]
pub(crate) struct Operations(Mutex<Vec<Arc<RunningOperation>>>);

#[derive(Debug)]
struct RunningOperation {
    kind: OperationKind,
    /// The root of the project that it was requested for.
    root: PathBuf,
    done: AtomicU64,
    total: AtomicU64,
}

impl Operations {
    /// Lists an operation until its handle is dropped.
    pub(crate) fn begin(&self, kind: OperationKind, root: &Path) -> OperationHandle<'_> {
        let (root, done, total) = (root.to_owned(), AtomicU64::new(0), AtomicU64::new(0));
        let running = Arc::new(RunningOperation { kind, root, done, total });
        self.0.lock().push(Arc::clone(&running));
        OperationHandle { list: self, running }
    }

    /// Returns how far the operations for a project are, the latest first.
    pub(crate) fn progress(&self, root: &Path) -> Vec<OperationProgress> {
        let running = self.0.lock();
        let here = running.iter().rev().filter(|running| running.root == root);
        let number = |number: &AtomicU64| number.load(Ordering::Relaxed);
        here.map(|running| OperationProgress {
            kind: running.kind,
            done: number(&running.done),
            total: number(&running.total),
        })
        .collect()
    }
}

/// A running operation, which reports how far it is.
#[derive(Debug)]
pub(crate) struct OperationHandle<'l> {
    list: &'l Operations,
    running: Arc<RunningOperation>,
}

impl OperationHandle<'_> {
    /// Reports how much is done, of how much.
    pub(crate) fn report(&self, done: u64, total: u64) {
        self.running.done.store(done, Ordering::Relaxed);
        self.running.total.store(total, Ordering::Relaxed);
    }
}

impl Drop for OperationHandle<'_> {
    fn drop(&mut self) {
        self.list.0.lock().retain(|running| !Arc::ptr_eq(running, &self.running));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_listed_for_its_project_until_it_ends() {
        let operations = Operations::default();
        let backup = operations.begin(OperationKind::Backup, Path::new("/p"));
        let publish = operations.begin(OperationKind::Publish, Path::new("/p"));
        let _elsewhere = operations.begin(OperationKind::Restore, Path::new("/q"));
        backup.report(3, 10);
        let expected = |kind, done, total| OperationProgress { kind, done, total };
        let listed = operations.progress(Path::new("/p"));
        assert_eq!(listed, [expected(OperationKind::Publish, 0, 0), expected(OperationKind::Backup, 3, 10)]);
        drop(publish);
        assert_eq!(operations.progress(Path::new("/p")), [expected(OperationKind::Backup, 3, 10)]);
        drop(backup);
        assert!(operations.progress(Path::new("/p")).is_empty());
    }
}
