//! A watched root.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

/// What is known about changes in a root.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) path: PathBuf,
    /// For each part, whether it may have changed since the last scan.
    files: AtomicBool,
    journals: AtomicBool,
    /// For the files and the journals, why not all of their directories are watched.
    problems: Mutex<[Option<String>; 2]>,
}

/// A part of a root that is scanned separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The files that a scan indexes.
    Files,
    /// The journals, which the reader itself also writes.
    Journals,
}

impl Root {
    /// Everything counts as changed.
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, files: AtomicBool::new(true), journals: AtomicBool::new(true), problems: Mutex::default() }
    }

    fn flag(&self, part: Part) -> &AtomicBool {
        match part {
            Part::Files => &self.files,
            Part::Journals => &self.journals,
        }
    }

    /// Returns why the changes of a part are not seen; `None` if those of all parts are.
    pub(super) fn problem(&self) -> Option<String> {
        self.problems.lock().iter().flatten().next().cloned()
    }

    /// Sets why not all directories of a part are watched.
    pub(super) fn set_problem(&self, part: Part, problem: Option<String>) {
        self.problems.lock()[part as usize] = problem;
    }

    /// Returns whether a part may have changed.
    pub(super) fn is_changed(&self, part: Part) -> bool {
        self.flag(part).load(Ordering::Acquire)
    }

    pub(super) fn change(&self, part: Part) {
        self.flag(part).store(true, Ordering::Release);
    }

    /// Records that a part is about to be scanned.
    pub(super) fn begin_scan(&self, part: Part) {
        self.flag(part).store(false, Ordering::Release);
    }
}
