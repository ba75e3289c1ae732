//! Which files does a root hold?

use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use recall_core::{DocPath, Timestamp};

use crate::walk::{Found, walk};
use crate::{Rules, SkipReason};

/// The files of a root.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The files to index, sorted by path, none twice.
    pub files: Vec<FoundFile>,
    /// The files that are not indexed though no rule of the user says so, sorted by path. Ignored files are not here.
    pub skipped: Vec<SkippedFile>,
    /// The directories on which the answer depends, below the root and sorted: those that were listed, those of files that were
    /// added by themselves, and those above what was added and is not there. The root is the empty path.
    pub directories: Vec<String>,
    /// How long the scan took.
    pub took: Duration,
}

impl Scan {
    /// Whether a path is, or lies below, something that the system refused to let the scan look at. That such a file was
    /// not found does not mean that it is gone.
    pub fn is_unseen(&self, path: &DocPath) -> bool {
        let lies_in = |place: &str| {
            path.as_str().strip_prefix(place).is_some_and(|below| below.is_empty() || below.starts_with('/'))
        };
        self.skipped
            .iter()
            .any(|skipped| matches!(skipped.reason, SkipReason::Unreadable { .. }) && lies_in(&skipped.path))
    }
}

/// A file that a scan found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// Where it is.
    pub path: DocPath,
    /// Its length.
    pub size_bytes: u64,
    /// Its modification time.
    pub modified: Timestamp,
}

/// A file that a scan found and that is not indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedFile {
    /// Where it is below the root; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// Why it is not indexed.
    pub reason: SkipReason,
    /// Its length, where it was looked at.
    pub size_bytes: Option<u64>,
    /// Its modification time, where it was looked at.
    pub modified: Option<Timestamp>,
}

/// Finds the files of a root.
///
/// Opens no file but ignore files: whether a content is text, [`content::read`](crate::content::read) says. `threads` walk
/// at once. The same tree under the same rules gives the same answer, whoever asks. A file that appears or vanishes
/// meanwhile may be missed.
///
/// # Errors
/// The root cannot be listed, a glob of the rules cannot be read, or `cancel` was set.
// There is no cheaper way for a second scan: the stats of the files, which nothing spares, are more than half of it (bench
// scan), so that trusting the times of directories would gain less than it risks.
pub fn scan(root: &Path, rules: &Rules, threads: NonZero<usize>, cancel: &AtomicBool) -> Result<Scan, ScanError> {
    let started = Instant::now();
    let Found { mut files, mut skipped, mut directories } = walk(root, rules, threads, cancel)?;
    files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    // An addition may lie below what is walked anyhow.
    files.dedup_by(|a, b| a.path == b.path);
    skipped.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    skipped.dedup_by(|a, b| a.path == b.path);
    directories.sort_unstable();
    directories.dedup();
    Ok(Scan { files, skipped, directories, took: started.elapsed() })
}

/// A scan could not be finished.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The root cannot be listed.
    #[error("`{}` cannot be listed", path.display())]
    Root {
        /// The root.
        path: PathBuf,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
    /// A glob of the rules cannot be read.
    #[error("`{glob}` is not a glob")]
    Glob {
        /// What was given.
        glob: String,
        /// What is wrong with it.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The scan was cancelled.
    #[error("the scan was cancelled")]
    Cancelled,
}

#[cfg(test)]
mod tests;
