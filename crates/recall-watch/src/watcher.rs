//! A watcher that tells whether the files of a root may have changed, by the events of the operating system.
//!
//! A reader asks [`Watch::changes`] before it trusts what it knows. The watcher then touches a **marker**, a file that it watches
//! too, and waits for the marker's event: events of one watcher come in the order of what happened, so everything that happened
//! before the question has arrived by then. Watchman synchronises its clients in the same way and calls such files cookies.
//!
//! An event only says that a root is to be scanned again. No event is taken for more than that, so that lost paths, doubled events
//! and renames cannot make an index wrong.

mod directories;
mod local;
mod markers;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::Mutex;

use self::directories::{Claim, Directories};
use self::markers::Markers;

/// Whether the events of all watched directories come in the order of what happened. Elsewhere a marker proves nothing, so that
/// nothing is watched.
const EVENTS_ARE_ORDERED: bool = cfg!(target_os = "linux");

/// Watches the directories of all roots of a process.
pub struct Watcher {
    shared: Arc<Shared>,
    /// The operating system's watches. Taken before the directories, never by the thread that brings events.
    system: Mutex<RecommendedWatcher>,
}

/// What the thread that brings events shares with those who ask.
struct Shared {
    directories: Directories,
    markers: Markers,
}

/// A root that is watched, until it is dropped.
pub struct Watch {
    watcher: Arc<Watcher>,
    root: Arc<Root>,
    is_local: bool,
    /// The most directories of one part.
    most_directories: usize,
}

/// What is known of a root's changes.
#[derive(Debug)]
struct Root {
    path: PathBuf,
    /// Whether each part may have changed since it was last looked at.
    files: AtomicBool,
    journals: AtomicBool,
    /// Why not all directories of the files and of the journals are watched.
    problems: Mutex<[Option<String>; 2]>,
}

/// What is looked at by itself in a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The files that are indexed.
    Files,
    /// The journals, which are written by those who ask as well.
    Journals,
}

/// What may have changed in a root since it was last looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// What was seen, of everything that happened before the question.
    Seen {
        /// Whether anything happened to its files.
        files: bool,
        /// Whether anything happened to its journals.
        journals: bool,
    },
    /// Nobody knows: only a scan can tell.
    Unknown,
}

/// The directories of a root cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The operating system gives no watcher.
    #[error("changes of files cannot be watched")]
    Watcher(#[source] notify::Error),
    /// The folder for markers cannot be made.
    #[error("`{}` cannot be written", path.display())]
    Markers {
        /// The folder.
        path: PathBuf,
        /// The system's answer.
        #[source]
        source: std::io::Error,
    },
    /// Nobody promises that events come in order.
    #[error("changes of files are not watched on this platform")]
    Platform,
}

impl Watcher {
    /// A watcher that keeps its markers in a folder of its own, which is made.
    ///
    /// # Errors
    /// The platform does not bring events in order, the operating system refuses, or the folder cannot be written.
    pub fn new(markers: &Path) -> Result<Self, WatchError> {
        if !EVENTS_ARE_ORDERED {
            return Err(WatchError::Platform);
        }
        let failed = |source| WatchError::Markers { path: markers.to_owned(), source };
        let markers = Markers::new(markers).map_err(failed)?;
        let shared = Arc::new(Shared { directories: Directories::default(), markers });
        let there = Arc::clone(&shared);
        let mut system = notify::recommended_watcher(move |event| there.receive(event)).map_err(WatchError::Watcher)?;
        system.watch(shared.markers.folder(), RecursiveMode::NonRecursive).map_err(WatchError::Watcher)?;
        Ok(Self { shared, system: Mutex::new(system) })
    }

    /// Begins to watch a root, at most so many directories for each of its parts. None is watched yet: until [`Watch::follow`] was
    /// called, everything may have changed.
    pub fn watch(self: &Arc<Self>, root: &Path, most_directories: usize) -> Watch {
        let root = Root {
            path: root.to_owned(),
            files: AtomicBool::new(true),
            journals: AtomicBool::new(true),
            problems: Mutex::default(),
        };
        let is_local = local::is_local(&root.path);
        Watch { watcher: Arc::clone(self), root: Arc::new(root), is_local, most_directories }
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").field("markers", &self.shared.markers.folder()).finish_non_exhaustive()
    }
}

impl Shared {
    /// Takes an event; runs on the watcher's own thread.
    fn receive(&self, event: notify::Result<Event>) {
        let event = match event {
            Ok(event) if event.need_rescan() => return self.directories.change_all(),
            Ok(event) => event,
            // Which events were lost nobody knows.
            Err(_) => return self.directories.change_all(),
        };
        if is_reading(event.kind) {
            return;
        }
        let names = matches!(
            event.kind,
            EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(notify::event::ModifyKind::Name(_))
        );
        for path in &event.paths {
            if !self.markers.arrive(path) {
                self.directories.change(path, names);
            }
        }
    }
}

/// Whether an event says no more than that somebody read.
fn is_reading(kind: EventKind) -> bool {
    matches!(kind, EventKind::Access(access) if access != AccessKind::Close(AccessMode::Write))
}

impl Watch {
    /// What may have changed of everything that happened before this call. Waits at most so long for the operating system.
    pub fn changes(&self, patience: Duration) -> Changes {
        if self.problem().is_some() {
            return Changes::Unknown;
        }
        if !self.watcher.shared.markers.pass(Instant::now() + patience) {
            return Changes::Unknown;
        }
        let seen = |flag: &AtomicBool| flag.load(Ordering::Acquire);
        Changes::Seen { files: seen(&self.root.files), journals: seen(&self.root.journals) }
    }

    /// Takes note that a part is about to be looked at: only what happens from now on counts as a change.
    pub fn look(&self, part: Part) {
        self.root.flag(part).store(false, Ordering::Release);
    }

    /// Takes note that a look came to nothing: the part counts as changed.
    pub fn look_failed(&self, part: Part) {
        self.root.change(part);
    }

    /// Watches these directories for the part from now on, and no others. The part counts as changed if one of them was not watched
    /// before, since something may have happened there after it was listed.
    pub fn follow(&self, part: Part, wanted: &BTreeSet<PathBuf>) {
        if !self.is_local {
            return;
        }
        let most = self.most_directories;
        let is_within = wanted.len() <= most;
        let mut problem = (!is_within)
            .then(|| format!("{} directories are more than the {most} of `limits.watched_directories`", wanted.len()));
        let mut system = self.watcher.system.lock();
        let directories = &self.watcher.shared.directories;
        // First, since the watch of a renamed directory is the same under both names.
        for directory in directories.release(&self.root, part, |directory| is_within && wanted.contains(directory)) {
            // It may be gone already.
            let _ = system.unwatch(&directory);
        }
        for directory in wanted.iter().filter(|_| is_within) {
            let claim = directories.claim(&self.root, part, directory);
            if claim == Claim::Kept {
                continue;
            }
            self.root.change(part);
            if claim == Claim::Shared {
                continue;
            }
            if claim == Claim::Replaced {
                let _ = system.unwatch(directory);
            }
            if let Err(error) = system.watch(directory, RecursiveMode::NonRecursive) {
                directories.forget(directory);
                if !is_gone(&error) {
                    problem = Some(reason(&error));
                    break;
                }
            }
        }
        drop(system);
        self.root.problems.lock()[part as usize] = problem;
    }

    /// Why changes are not seen, if they are not.
    pub fn problem(&self) -> Option<String> {
        if self.is_local { self.root.problem() } else { Some("it is not on a local file system".to_owned()) }
    }

    /// How many directories are watched for the root.
    pub fn directories(&self) -> usize {
        self.watcher.shared.directories.count(&self.root)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut system = self.watcher.system.lock();
        for part in [Part::Files, Part::Journals] {
            for directory in self.watcher.shared.directories.release(&self.root, part, |_| false) {
                let _ = system.unwatch(&directory);
            }
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Root {
    fn flag(&self, part: Part) -> &AtomicBool {
        match part {
            Part::Files => &self.files,
            Part::Journals => &self.journals,
        }
    }

    fn problem(&self) -> Option<String> {
        self.problems.lock().iter().flatten().next().cloned()
    }

    fn change(&self, part: Part) {
        self.flag(part).store(true, Ordering::Release);
    }
}

/// Whether a directory could not be watched because it is no longer there: its parent's event tells that.
fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => {
            matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
        }
        _ => false,
    }
}

/// Why the operating system refuses a watch, with what helps.
fn reason(error: &notify::Error) -> String {
    match error.kind {
        notify::ErrorKind::MaxFilesWatch => {
            "the system's limit of watched directories is reached; raise `sysctl fs.inotify.max_user_watches`"
                .to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
