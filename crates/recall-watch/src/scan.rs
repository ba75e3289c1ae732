//! Scanning a root for the files to index.
//!
//! A scan costs a `stat` for each file and opens none but ignore files. Trusting the modification times of directories would be
//! cheaper, and they do not change when a file in them is written.

mod lister;
mod walk;

use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use self::lister::Found;
use self::walk::{walk, walk_few};
use crate::ignore_files::Kind;
use crate::rules::{Plan, Plans};
use crate::{LeftOut, Rules, SkipReason};
use lister::{Directory, Exclusion, Lister, ignore_files_above};
use recall_core::Timestamp;
use recall_text::DocPath;
use walk::check;

/// The result of a scan.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The files to index, sorted by path, without duplicates.
    pub files: Vec<FoundFile>,
    /// Files that are not indexed for a reason other than a rule, sorted by path.
    pub skipped: Vec<SkippedFile>,
    /// Files and directories that a rule leaves out, sorted by path, the first thousand. Of a directory, files that git
    /// tracks are indexed all the same. Paths that only `include` leaves out are not listed.
    pub left_out: Vec<LeftOut>,
    /// The number of files and directories that a rule leaves out.
    pub left_out_count: u64,
    /// The directories on which the result depends, relative to the root and sorted: those that were listed, those of
    /// individually added files, and those above missing additions. The root is the empty path.
    pub directories: Vec<String>,
    /// How long the scan took.
    pub took: Duration,
}

impl Scan {
    /// Returns whether a path is, or is below, something that the operating system did not let the scan read. If such a
    /// file was not found, it may still exist.
    pub fn is_unseen(&self, path: &DocPath) -> bool {
        self.skipped.iter().any(|skipped| {
            matches!(skipped.reason, SkipReason::Unreadable { .. }) && path.is_at_or_below(&skipped.path)
        })
    }
}

/// A file that is indexed, as far as its path and metadata say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// The path below the root.
    pub path: DocPath,
    /// The length in bytes.
    pub size_bytes: u64,
    /// When its content was last modified, as the file system says.
    pub modified: Timestamp,
    /// When its content or its metadata last changed; `modified` where the system keeps no such time.
    pub changed: Timestamp,
}

impl FoundFile {
    /// Returns a file of which nothing but its size and its modification time is known.
    pub fn new(path: DocPath, size_bytes: u64, modified: Timestamp) -> Self {
        Self { path, size_bytes, modified, changed: modified }
    }
}

/// A file that a scan found but that is not indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedFile {
    /// The path below the root. Invalid UTF-8 is replaced.
    pub path: String,
    /// Why it is not indexed.
    pub reason: SkipReason,
    /// The length in bytes, if the metadata was read.
    pub size_bytes: Option<u64>,
    /// The modification time, if the metadata was read.
    pub modified: Option<Timestamp>,
}

/// Finds the files of a root, on a number of threads.
///
/// A nested repository has a store of its own: its directory is reported as skipped and is not listed further, unless it was
/// added by name. A nested linked worktree is left out, unless the repository of the root is bare.
///
/// The scan opens no files but ignore files. Whether content is text is decided by
/// [`content::read`](crate::content::read). Equal trees and rules give equal results. A file that appears or vanishes
/// during the scan may be missed.
///
/// # Errors
/// The root cannot be listed, a glob of the rules is invalid, or `cancel` was set.
// A later scan cannot be made cheaper: the `stat` of each file is unavoidable and takes more than half of the time
// (bench `scan`). Trusting the modification times of directories would risk more than it saves.
pub fn scan(root: &Path, rules: &Rules, threads: NonZero<usize>, cancel: &AtomicBool) -> Result<Scan, ScanError> {
    let started = Instant::now();
    walk(root, rules, threads, cancel).map(|found| Scan::new(found, started))
}

/// Does the same for a root with at most `most` files to index or to skip, and at most as many directories, on the calling thread.
/// Returns `None` for a larger root, of which it visits no more than that and one directory.
///
/// # Errors
/// As [`scan`].
pub fn scan_few(root: &Path, rules: &Rules, most: usize, cancel: &AtomicBool) -> Result<Option<Scan>, ScanError> {
    let started = Instant::now();
    walk_few(root, rules, most, cancel).map(|found| found.map(|found| Scan::new(found, started)))
}

impl Scan {
    fn new(found: Found, started: Instant) -> Self {
        let Found { mut files, mut skipped, mut directories, mut left_out, left_out_count } = found;
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        // An addition may be in a directory that is walked anyway.
        files.dedup_by(|a, b| a.path == b.path);
        skipped.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        skipped.dedup_by(|a, b| a.path == b.path);
        left_out.sort_unstable();
        left_out.dedup();
        left_out.truncate(LISTED);
        directories.sort_unstable();
        directories.dedup();
        Self { files, skipped, left_out, left_out_count, directories, took: started.elapsed() }
    }
}

/// The most paths left out by a rule that a scan lists. A person reads the first few; most trees have some dozen.
const LISTED: usize = 1_000;

/// A scan did not finish.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The root cannot be listed.
    #[error("cannot list `{}`", path.display())]
    Root {
        /// The root that cannot be listed.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// A glob of the rules is invalid.
    #[error("invalid glob `{glob}`")]
    Glob {
        /// The glob as given.
        glob: String,
        /// What is wrong with it.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The scan was cancelled.
    #[error("the scan was cancelled")]
    Cancelled,
}

/// What the rules say about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// Nothing excludes it, judging by its path and metadata.
    Included,
    /// A rule leaves out the file, or a directory above it.
    LeftOut(LeftOut),
    /// The file, or a directory above it, is not indexed for another reason.
    Skipped {
        /// The path of the file or directory.
        path: String,
        /// Why the file or directory is not indexed.
        reason: SkipReason,
    },
    /// No file is at the path.
    NoFile,
}

/// Explains whether a scan under these rules finds a file. Costs a listing of each directory above it.
///
/// # Errors
/// The root cannot be listed, or a glob of the rules is invalid.
pub fn explain(root: &Path, rules: &Rules, path: &DocPath) -> Result<Explanation, ScanError> {
    let root = check(root)?;
    let plans = Plans::compile(rules)?;
    let mut first = None;
    for plan in &plans.all {
        let said = Lister::new(&root, &plans).explain(plan, rules, path);
        if said == Some(Explanation::Included) {
            return Ok(Explanation::Included);
        }
        // The first plan is that of the whole root, and an addition says why what it covers is left out after all.
        let said = said.filter(|said| *said != Explanation::NoFile);
        first = if plan.start.is_some() { said.or(first) } else { first.or(said) };
    }
    Ok(first.unwrap_or(Explanation::NoFile))
}

impl<'a> Lister<'a> {
    /// Explains what one plan says about a file; `None` if the file is not below its start.
    fn explain(mut self, plan: &'a Plan, rules: &Rules, path: &DocPath) -> Option<Explanation> {
        let below = match &plan.start {
            Some(start) if path == start => "",
            Some(start) => path.as_str().strip_prefix(start.as_str())?.strip_prefix('/')?,
            None => path.as_str(),
        };
        let above = ignore_files_above(self.root, rules, self.plans);
        let Some(mut directory) = self.start(plan, above) else { return Some(self.explain_recorded()) };
        let mut parts = below.split('/').filter(|part| !part.is_empty()).peekable();
        while let Some(part) = parts.next() {
            let Some((entered, entries)) = self.enter(directory) else { return Some(self.explain_recorded()) };
            let Some(entry) = entries.iter().find(|entry| entry.name == part) else {
                return Some(Explanation::NoFile);
            };
            let place = if entered.path.is_empty() { part.to_owned() } else { format!("{}/{part}", entered.path) };
            let kind = if entry.file_type.is_dir() { Kind::Directory } else { Kind::File };
            match self.inclusion_of(&entered, &place, part, kind, &entries) {
                Err(Exclusion::Rule(cause)) => {
                    let rule = self.rule(&entered, &place, kind, cause);
                    return Some(Explanation::LeftOut(LeftOut {
                        path: place,
                        is_directory: kind == Kind::Directory,
                        rule,
                    }));
                }
                Err(Exclusion::Above) => return Some(self.explain_above()),
                Ok((inclusion, content)) => {
                    if content != entered.content {
                        self.leave_out(&entered, place.clone(), kind, Self::exception(&entered, &place, kind));
                    }
                    if parts.peek().is_none() {
                        if kind == Kind::Directory {
                            return Some(Explanation::NoFile);
                        }
                        self.file(&place, part, entry.file_type, || entry.handle.metadata());
                        return Some(self.explain_recorded());
                    }
                    let Directory { plan, ignore_files, .. } = entered;
                    directory = Directory { plan, path: place, inclusion, ignore_files, content };
                }
            }
        }
        Some(Explanation::NoFile)
    }

    /// Explains by the last rule above the file that leaves it out: it was recorded on the way.
    fn explain_above(self) -> Explanation {
        self.into_found().left_out.pop().map_or(Explanation::NoFile, Explanation::LeftOut)
    }

    /// Explains by what the last step recorded.
    fn explain_recorded(self) -> Explanation {
        let mut found = self.into_found();
        if let Some(SkippedFile { path, reason, .. }) = found.skipped.pop() {
            return Explanation::Skipped { path, reason };
        }
        if !found.files.is_empty() {
            return Explanation::Included;
        }
        found.left_out.pop().map_or(Explanation::NoFile, Explanation::LeftOut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_below_an_unreadable_directory_are_unseen() {
        let skipped =
            |path: &str, reason| SkippedFile { path: path.to_owned(), reason, size_bytes: None, modified: None };
        let scan = Scan {
            skipped: vec![
                skipped("dir", SkipReason::Unreadable { error: "no".to_owned() }),
                skipped("fifo", SkipReason::NotRegular),
            ],
            ..Scan::default()
        };
        for (path, expected) in
            [("dir", true), ("dir/a/b", true), ("dir-b/a", false), ("fifo", false), ("other", false)]
        {
            assert_eq!(scan.is_unseen(&DocPath::new(path).expect("plain")), expected, "{path}");
        }
    }
}
