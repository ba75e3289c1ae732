//! Watching roots for changes, by events of the operating system.
//!
//! A reader calls [`Watch::changes`] before it trusts what it knows. The watcher then touches a **marker**, a file that
//! it watches too, and waits for the marker's event. Events of one watcher arrive in the order in which they happened,
//! so once the marker's event is there, all earlier changes have been seen. Watchman synchronizes its clients in the
//! same way and calls such files cookies.
//!
//! An event only means that a root must be scanned again. Nothing else is derived from it, so that lost paths,
//! duplicate events and renames cannot corrupt an index.

mod directories;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::Mutex;

use self::directories::{Claim, Directories};
pub use directories::Part;
use directories::{Markers, Reach, Root};

/// A watcher for the directories of all roots of a process.
pub struct Watcher {
    shared: Arc<Shared>,
    /// The operating system's watches. Locked before the directories, and never by the thread that delivers events.
    system: Mutex<System>,
}

/// The state shared between the event thread and the readers.
struct Shared {
    directories: Directories,
    markers: Markers,
}

/// A watched root. Dropping it ends the watch.
pub struct Watch {
    watcher: Arc<Watcher>,
    root: Arc<Root>,
    is_local: bool,
    /// The maximum number of directories per part.
    most_directories: usize,
}

/// The changes in a root since its parts were last scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// All changes from before the call are known.
    Seen {
        /// Whether files may have changed.
        files: bool,
        /// Whether journals may have changed.
        journals: bool,
    },
    /// The watcher cannot tell; a scan is needed.
    Unknown,
}

/// Changes cannot be watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The operating system provides no watcher.
    #[error("cannot watch for file changes")]
    Watcher(#[source] notify::Error),
    /// The folder for markers cannot be created.
    #[error("cannot write to `{}`", path.display())]
    Markers {
        /// The folder in which markers are created.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: std::io::Error,
    },
    /// Events do not arrive in order on this platform.
    #[error("watching for file changes is not supported on this platform")]
    Platform,
}

impl Watcher {
    /// Creates a watcher that keeps its markers in a folder of its own. The folder is created.
    ///
    /// # Errors
    /// Events do not arrive in order on this platform, the operating system refuses, or the folder cannot be written.
    pub fn new(markers: &Path) -> Result<Self, WatchError> {
        Self::reaching(Reach::HERE.ok_or(WatchError::Platform)?, markers)
    }

    fn reaching(reach: Reach, markers: &Path) -> Result<Self, WatchError> {
        let failed = |source| WatchError::Markers { path: markers.to_owned(), source };
        let markers = Markers::new(markers, reach).map_err(failed)?;
        let shared = Arc::new(Shared { directories: Directories::new(reach), markers });
        let there = Arc::clone(&shared);
        let mut system = notify::recommended_watcher(move |event| there.receive(event)).map_err(WatchError::Watcher)?;
        system.watch(shared.markers.folder(), RecursiveMode::NonRecursive).map_err(WatchError::Watcher)?;
        Ok(Self { shared, system: Mutex::new(System::new(system, reach)) })
    }

    /// Removes the markers before the process ends. Afterwards everything counts as changed.
    pub fn remove_markers(&self) {
        self.shared.markers.remove();
    }

    /// Creates a watch of a root, with at most that many directories for each part. Nothing is watched until the first
    /// call of [`Watch::follow`]; until then everything counts as changed.
    pub fn watch(self: &Arc<Self>, root: &Path, most_directories: usize) -> Watch {
        let root = Root::new(root.to_owned());
        let is_local = directories::is_local(&root.path);
        Watch { watcher: Arc::clone(self), root: Arc::new(root), is_local, most_directories }
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").field("markers", &self.shared.markers.folder()).finish_non_exhaustive()
    }
}

impl Shared {
    /// Processes an event, on the watcher's own thread.
    fn receive(&self, event: notify::Result<Event>) {
        let event = match event {
            Ok(event) if event.need_rescan() => return self.directories.change_all(),
            Ok(event) => event,
            // It is unknown which events were lost.
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
            if !self.markers.receive(path) {
                self.directories.change(path, names);
            }
        }
    }
}

/// Returns whether an event only reports a read access.
fn is_reading(kind: EventKind) -> bool {
    matches!(kind, EventKind::Access(access) if access != AccessKind::Close(AccessMode::Write))
}

impl Watch {
    /// Returns what changed before this call. Waits at most `patience` for the operating system.
    pub fn changes(&self, patience: Duration) -> Changes {
        if self.problem().is_some() {
            return Changes::Unknown;
        }
        if !self.watcher.shared.markers.touch_and_wait(Instant::now() + patience) {
            return Changes::Unknown;
        }
        // After the wait: every event from before the call has left its mark by now.
        Changes::Seen { files: self.root.is_changed(Part::Files), journals: self.root.is_changed(Part::Journals) }
    }

    /// Marks a part as about to be scanned: only later events count as changes.
    pub fn begin_scan(&self, part: Part) {
        self.root.begin_scan(part);
    }

    /// Marks a part as changed because its scan failed.
    pub fn abort_scan(&self, part: Part) {
        self.root.change(part);
    }

    /// Watches exactly these directories for a part. If a directory was not watched before, the part counts as changed,
    /// since something may have happened there after it was listed.
    pub fn follow(&self, part: Part, wanted: &BTreeSet<PathBuf>) {
        if !self.is_local {
            return;
        }
        let most = self.most_directories;
        let is_within = wanted.len() <= most;
        let mut problem = (!is_within).then(|| {
            format!("{} directories exceed the limit of {most} (setting `limits.watched_directories`)", wanted.len())
        });
        let mut system = self.watcher.system.lock();
        let directories = &self.watcher.shared.directories;
        // Release before claiming, since a renamed directory has the same system watch under both names.
        let released = directories.release(&self.root, part, |directory| is_within && wanted.contains(directory));
        system.unwatch(&released, directories);
        for directory in wanted.iter().filter(|_| is_within) {
            let claim = directories.claim(&self.root, part, directory);
            if claim == Claim::Kept {
                continue;
            }
            self.root.change(part);
            if claim == Claim::Shared {
                continue;
            }
            let watched = match claim {
                Claim::Replaced => system.watch_again(directory, directories),
                _ => system.watch(directory, directories),
            };
            if let Err(error) = watched {
                directories.forget(directory);
                if !is_gone(&error) {
                    problem = Some(reason(&error));
                    break;
                }
            }
        }
        drop(system);
        self.root.set_problem(part, problem);
    }

    /// Returns why changes are not seen; `None` if they are.
    pub fn problem(&self) -> Option<String> {
        if self.is_local { self.root.problem() } else { Some("the root is not on a local file system".to_owned()) }
    }

    /// Returns the number of directories watched for the root.
    pub fn directories(&self) -> usize {
        self.watcher.shared.directories.count(&self.root)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let mut system = self.watcher.system.lock();
        let directories = &self.watcher.shared.directories;
        for part in [Part::Files, Part::Journals] {
            let released = directories.release(&self.root, part, |_| false);
            system.unwatch(&released, directories);
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("root", &self.root).finish_non_exhaustive()
    }
}

/// Returns whether a directory could not be watched because it is gone. An event of its parent reports that.
fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => {
            matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
        }
        _ => false,
    }
}

/// Returns why the operating system refuses a watch, with a remedy if there is one.
fn reason(error: &notify::Error) -> String {
    match error.kind {
        notify::ErrorKind::MaxFilesWatch => {
            "the system limit on watched directories was reached; raise `sysctl fs.inotify.max_user_watches`".to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;

/// The watches that cover the claimed directories.
struct System {
    watcher: RecommendedWatcher,
    reach: Reach,
}

impl System {
    fn new(watcher: RecommendedWatcher, reach: Reach) -> Self {
        Self { watcher, reach }
    }

    /// Covers a directory, unless a tree covers it already.
    ///
    /// # Errors
    /// The directory is gone, or the system refuses.
    fn watch(&mut self, directory: &Path, directories: &Directories) -> notify::Result<()> {
        match self.reach {
            Reach::Directory => self.watcher.watch(directory, RecursiveMode::NonRecursive),
            Reach::Tree if directories.is_in_tree(directory) => Ok(()),
            Reach::Tree => {
                self.watcher.watch(directory, RecursiveMode::Recursive)?;
                directories.add_tree(directory);
                directories.change_all();
                Ok(())
            }
        }
    }

    /// Covers a directory that has taken the place of another one.
    ///
    /// # Errors
    /// See [`System::watch`].
    fn watch_again(&mut self, directory: &Path, directories: &Directories) -> notify::Result<()> {
        if self.reach == Reach::Directory {
            // The watch may be gone with its directory.
            let _ = self.watcher.unwatch(directory);
        }
        self.watch(directory, directories)
    }

    /// Ends the watches that nobody needs any more, after these directories were released.
    fn unwatch(&mut self, released: &[PathBuf], directories: &Directories) {
        match self.reach {
            Reach::Directory => {
                for directory in released {
                    // The directory may be gone already.
                    let _ = self.watcher.unwatch(directory);
                }
            }
            Reach::Tree => {
                for tree in directories.take_unused_trees() {
                    let _ = self.watcher.unwatch(&tree);
                    directories.change_all();
                }
            }
        }
    }
}
