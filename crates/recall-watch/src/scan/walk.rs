//! A parallel walk over the directories of a root.

use std::ffi::OsString;
use std::fs::{self, DirEntry, FileType};
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex};
use recall_core::{DocPath, is_agent_file, leads_to_agent_files};

use super::{FoundFile, ScanError, SkippedFile};
use crate::change::modified;
use crate::ignore_files::{self, IgnoreFiles, Kind, Repository, Verdict};
use crate::listing::{self, Level};
use crate::rules::{Inclusion, Plan, Plans};
use crate::{Depth, IgnoreRules, Rules, SkipReason, names, symlink};

/// The result of a walk, unordered.
#[derive(Default)]
pub(super) struct Found {
    pub(super) files: Vec<FoundFile>,
    pub(super) skipped: Vec<SkippedFile>,
    /// The directories that were visited, possibly with duplicates.
    pub(super) directories: Vec<String>,
}

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
    let above = match rules.above {
        IgnoreRules::Honour => IgnoreFiles::above(&root),
        IgnoreRules::PassOver => None,
    };
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
    }
    Ok(found)
}

/// Returns the canonical root after checking that it can be listed.
fn check(root: &Path) -> Result<PathBuf, ScanError> {
    let refused = |source| ScanError::Root { path: root.to_owned(), source };
    let canonical = dunce::canonicalize(root).map_err(refused)?;
    fs::read_dir(&canonical).map_err(refused)?;
    Ok(canonical)
}

/// The directories still to be listed.
struct Queue<'a> {
    state: Mutex<State<'a>>,
    changed: Condvar,
    cancel: &'a AtomicBool,
}

struct State<'a> {
    waiting: Vec<Directory<'a>>,
    /// The number of directories being listed. Each may add more.
    in_progress: usize,
}

impl<'a> Queue<'a> {
    fn new(starts: Vec<Directory<'a>>, cancel: &'a AtomicBool) -> Self {
        Self { state: Mutex::new(State { waiting: starts, in_progress: 0 }), changed: Condvar::new(), cancel }
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

/// A directory to be listed.
struct Directory<'a> {
    plan: &'a Plan,
    /// Its path below the root; empty for the root itself.
    path: String,
    inclusion: Inclusion,
    /// The ignore files above it.
    ignore_files: Option<Arc<IgnoreFiles>>,
    content: Content,
}

/// Which files of a directory are indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// Those that the rules include.
    All,
    /// Of these only the instructions for agents, because git ignores the directory or it is skipped by default.
    AgentFiles,
}

/// Lists directories and collects what it finds. There is one per thread.
struct Lister<'a> {
    root: &'a Path,
    plans: &'a Plans<'a>,
    found: Found,
}

/// One entry of a directory.
struct Entry {
    name: OsString,
    file_type: FileType,
    handle: DirEntry,
}

impl<'a> Lister<'a> {
    fn new(root: &'a Path, plans: &'a Plans<'a>) -> Self {
        Self { root, plans, found: Found::default() }
    }

    fn into_found(self) -> Found {
        self.found
    }

    /// Returns the directories from which the plans start. A plan for a single file is completed here.
    fn starts(&mut self, above: Option<&Arc<IgnoreFiles>>) -> Vec<Directory<'a>> {
        let plans = &self.plans.all;
        plans.iter().filter_map(|plan| self.start(plan, above.cloned())).collect()
    }

    fn start(&mut self, plan: &'a Plan, above: Option<Arc<IgnoreFiles>>) -> Option<Directory<'a>> {
        let inclusion = plan.inclusion();
        let Some(start) = &plan.start else {
            return Some(Directory {
                plan,
                path: String::new(),
                inclusion,
                ignore_files: above,
                content: Content::All,
            });
        };
        let is_internal = start.components().any(listing::is_version_control) || is_internal_path(start.as_str());
        if is_internal || self.plans.is_removed_with_parents(start) {
            return None;
        }
        let mut place = self.root.to_owned();
        let mut ignore_files = above;
        let mut way = String::new();
        for component in start.components() {
            if plan.ignore_rules == IgnoreRules::Honour {
                ignore_files = self.read_ignore_files(&way, ignore_files);
            }
            self.found.directories.push(way.clone());
            place.push(component);
            way = join(&way, component);
            // An added path may have become a symlink since.
            let file_type = place.symlink_metadata().ok()?.file_type();
            if file_type.is_symlink() {
                self.skip(way, symlink::reason(self.root, &place));
                return None;
            }
        }
        let metadata = place.symlink_metadata().ok()?;
        if metadata.is_dir() {
            return Some(Directory { plan, path: way, inclusion, ignore_files, content: Content::All });
        }
        self.file(&way, start.file_name(), metadata.file_type(), || Ok(metadata));
        None
    }

    fn read_ignore_files(&self, path: &str, above: Option<Arc<IgnoreFiles>>) -> Option<Arc<IgnoreFiles>> {
        let is_top = self.root.join(path).join(".git").symlink_metadata().is_ok();
        IgnoreFiles::below(self.root, path, if is_top { Repository::Top } else { Repository::No }, above)
    }

    /// Lists a directory. Keeps its files and returns its subdirectories to be listed.
    fn list(&mut self, directory: Directory<'a>) -> Vec<Directory<'a>> {
        let Directory { plan, path, inclusion, ignore_files, content } = directory;
        let entries = match self.read(&path) {
            Ok(entries) => entries,
            Err(error) if is_missing(&error) => return Vec::new(),
            Err(error) => {
                self.skip(path, SkipReason::Unreadable { error: error.to_string() });
                return Vec::new();
            }
        };
        self.found.directories.push(path.clone());
        let is_top = entries.iter().any(|entry| entry.name == ".git");
        let names = entries.iter().filter_map(|entry| entry.name.to_str());
        if !path.is_empty() && ignore_files::is_git_folder(names) {
            return Vec::new();
        }
        let is_start = path.is_empty() || plan.start.as_ref().is_some_and(|start| start.as_str() == path);
        if is_top && !is_start && plan.ignore_rules == IgnoreRules::Honour {
            let place = self.root.join(&path);
            // A linked worktree is a second copy of a repository's files, unless the repository is bare.
            let is_linked = ignore_files::is_linked_worktree(&place);
            if is_linked && !ignore_files::is_bare(self.root) {
                return Vec::new();
            }
            if is_linked || ignore_files::is_repository(&place) {
                if inclusion == Inclusion::In {
                    self.skip(path, SkipReason::Repository);
                }
                return Vec::new();
            }
        }
        let ignore_files = match plan.ignore_rules {
            IgnoreRules::PassOver => None,
            IgnoreRules::Honour if entries.iter().any(|entry| ignore_files::is_ignore_file_or_git(&entry.name)) => {
                let repository = if is_top { Repository::Top } else { Repository::No };
                IgnoreFiles::below(self.root, &path, repository, ignore_files)
            }
            IgnoreRules::Honour => ignore_files,
        };
        let directory = Directory { plan, path, inclusion, ignore_files, content };
        let mut below = Vec::new();
        for Entry { name, file_type, handle } in &entries {
            let shown = name.to_string_lossy();
            let path = join(&directory.path, &shown);
            let kind = if file_type.is_dir() { Kind::Directory } else { Kind::File };
            let Some((inclusion, content)) = self.inclusion_of(&directory, &path, &shown, kind, &entries) else {
                continue;
            };
            if name.to_str().is_none() {
                self.skip(path, SkipReason::NotUtf8Name);
                continue;
            }
            match kind {
                Kind::Directory => {
                    let ignore_files = directory.ignore_files.clone();
                    below.push(Directory { plan, path, inclusion, ignore_files, content });
                }
                Kind::File => self.file(&path, &shown, *file_type, || handle.metadata()),
            }
        }
        below
    }

    fn read(&self, path: &str) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for handle in fs::read_dir(self.root.join(path))? {
            let handle = handle?;
            match handle.file_type() {
                Ok(file_type) => entries.push(Entry { name: handle.file_name(), file_type, handle }),
                // If the listing has no types, each type is a separate lookup, and an entry may vanish in between.
                Err(error) if is_missing(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(entries)
    }

    /// Applies the rules to an entry. Returns the inclusion and the content of what is below it, or `None` if the entry is
    /// excluded.
    fn inclusion_of(
        &self,
        directory: &Directory<'_>,
        path: &str,
        name: &str,
        kind: Kind,
        siblings: &[Entry],
    ) -> Option<(Inclusion, Content)> {
        let Directory { plan, path: above, inclusion, ignore_files, content } = directory;
        let mut content = *content;
        let is_internal = listing::is_version_control(name) || is_internal_path(path);
        if is_internal || self.plans.is_removed(path) || self.plans.is_ignored_by_addition(path, kind) {
            return None;
        }
        if kind == Kind::Directory && plan.depth == Depth::Flat {
            return None;
        }
        let is_session_history = path == ".recall" || above == ".recall";
        if !is_session_history {
            let verdict = ignore_files.as_ref().map_or(Verdict::NoMatch, |files| files.verdict(path, kind));
            if verdict == Verdict::Ignored || plan.excludes(path, kind) {
                return None;
            }
            if verdict == Verdict::IgnoredByGit {
                content = Content::AgentFiles;
            }
            let asked = verdict == Verdict::ForcedIn || plan.ignore_rules == IgnoreRules::PassOver;
            if kind == Kind::Directory && !asked {
                let level = if above.is_empty() { Level::Root } else { Level::Below };
                let names = siblings.iter().filter_map(|entry| entry.name.to_str());
                if listing::is_skipped_by_default(name, level, names) {
                    content = Content::AgentFiles;
                }
            }
        }
        if content == Content::AgentFiles && !self.is_adopted(path, kind) {
            return None;
        }
        let inclusion = plan.inclusion_of(path, kind, *inclusion);
        (kind == Kind::Directory || inclusion == Inclusion::In).then_some((inclusion, content))
    }

    /// Returns whether an entry that git ignores or that is skipped by default holds instructions for agents.
    fn is_adopted(&self, path: &str, kind: Kind) -> bool {
        self.plans.agent_files == IgnoreRules::PassOver
            && match kind {
                Kind::Directory => leads_to_agent_files(path),
                Kind::File => is_agent_file(path),
            }
    }

    /// Records a file that the rules include, unless it is of a kind that is not indexed.
    fn file(
        &mut self,
        path: &str,
        name: &str,
        file_type: FileType,
        metadata: impl FnOnce() -> io::Result<fs::Metadata>,
    ) {
        if file_type.is_symlink() {
            return self.skip(path.to_owned(), symlink::reason(self.root, &self.root.join(path)));
        }
        if !file_type.is_file() {
            return self.skip(path.to_owned(), SkipReason::NotRegular);
        }
        if let Some(reason) = names::skip_reason(name) {
            return self.skip(path.to_owned(), reason);
        }
        let metadata = match metadata() {
            Ok(metadata) => metadata,
            Err(error) if is_missing(&error) => return,
            Err(error) => return self.skip(path.to_owned(), SkipReason::Unreadable { error: error.to_string() }),
        };
        let (size_bytes, modified, limit_bytes) = (metadata.len(), modified(&metadata), self.plans.file_bytes);
        if size_bytes > limit_bytes {
            self.found.skipped.push(SkippedFile {
                path: path.to_owned(),
                reason: SkipReason::TooLarge { bytes: size_bytes, limit_bytes },
                size_bytes: Some(size_bytes),
                modified: Some(modified),
            });
            return;
        }
        let path = DocPath::new(path).expect("names of a directory have neither `/` nor NUL and are not `.` or `..`");
        self.found.files.push(FoundFile { path, size_bytes, modified });
    }

    fn skip(&mut self, path: String, reason: SkipReason) {
        self.found.skipped.push(SkippedFile { path, reason, size_bytes: None, modified: None });
    }
}

/// Returns whether a path belongs to recall itself: everything in the root's `.recall` except the history of sessions,
/// and every nested `.recall`, which belongs to another store.
fn is_internal_path(path: &str) -> bool {
    let mut parts = path.split('/');
    if parts.next() == Some(".recall") && !matches!(parts.next(), None | Some("history")) {
        return true;
    }
    path.ends_with("/.recall")
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        return name.to_owned();
    }
    let mut path = String::with_capacity(directory.len() + 1 + name.len());
    path.push_str(directory);
    path.push('/');
    path.push_str(name);
    path
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
