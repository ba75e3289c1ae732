//! The watched directories and the roots that depend on them, how far one watch of the operating system reaches, which file
//! systems report all changes, and marker files, whose events prove that all earlier events have arrived.

use std::collections::{BTreeSet, HashMap};
use std::fs::{File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use parking_lot::{Condvar, Mutex, RwLock};
use recall_os::Folder;

/// The roots that depend on each watched directory. Worktrees and nested stores share directories.
pub(super) struct Directories {
    watched: RwLock<HashMap<PathBuf, Watched>>,
    /// The directories that are watched with everything below them. Empty if each is watched by itself.
    trees: RwLock<BTreeSet<PathBuf>>,
    reach: Reach,
}

/// The state of a directory before it was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// It was watched for this part.
    Kept,
    /// It was watched for other parts only.
    Shared,
    /// It was not watched.
    New,
    /// It was watched, but another directory may have taken its place.
    Replaced,
}

struct Watched {
    roots: Vec<(Arc<Root>, Part)>,
    /// Whether another directory may have taken its place.
    is_lost: bool,
}

impl Directories {
    pub(super) fn new(reach: Reach) -> Self {
        Self { watched: RwLock::default(), trees: RwLock::default(), reach }
    }

    /// Records an event at a path. `names` says whether a name was created, removed or renamed.
    pub(super) fn change(&self, path: &Path, names: bool) {
        let directories = self.watched.read();
        let mut is_known = false;
        for place in [path.parent(), Some(path)].into_iter().flatten() {
            if let Some(watched) = directories.get(place) {
                is_known = true;
                watched.change();
            }
        }
        let is_directory = names && directories.contains_key(path);
        // The watch of a renamed directory reports its old name. A tree also has directories that nobody depends on.
        if !is_known && !self.is_in_tree(path) {
            directories.values().for_each(Watched::change);
        }
        drop(directories);
        if is_directory && self.reach == Reach::Directory {
            let mut directories = self.watched.write();
            let below = directories.iter_mut().filter(|(directory, _)| directory.starts_with(path));
            below.for_each(|(_, watched)| watched.is_lost = true);
        }
    }

    /// Records that anything may have changed anywhere.
    pub(super) fn change_all(&self) {
        self.watched.read().values().for_each(Watched::change);
    }

    /// Registers a directory for a part of a root. If it is new or replaced, the caller must watch it.
    pub(super) fn claim(&self, root: &Arc<Root>, part: Part, directory: &Path) -> Claim {
        let mut directories = self.watched.write();
        let Some(watched) = directories.get_mut(directory) else {
            let watched = Watched { roots: vec![(Arc::clone(root), part)], is_lost: false };
            directories.insert(directory.to_owned(), watched);
            return Claim::New;
        };
        let is_known = watched.roots.iter().any(|(other, of)| Arc::ptr_eq(other, root) && *of == part);
        if !is_known {
            watched.roots.push((Arc::clone(root), part));
        }
        if std::mem::take(&mut watched.is_lost) {
            // Changes in the new directory went unseen until now.
            watched.change();
            return Claim::Replaced;
        }
        if is_known { Claim::Kept } else { Claim::Shared }
    }

    /// Removes a directory that could not be watched.
    pub(super) fn forget(&self, directory: &Path) {
        self.watched.write().remove(directory);
    }

    /// Releases the directories of a part of a root, except those to keep. Returns the directories that are no longer
    /// needed.
    pub(super) fn release(&self, root: &Arc<Root>, part: Part, keep: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
        let mut unused = Vec::new();
        self.watched.write().retain(|directory, watched| {
            if !keep(directory) {
                watched.roots.retain(|(other, of)| !Arc::ptr_eq(other, root) || *of != part);
            }
            if watched.roots.is_empty() {
                unused.push(directory.clone());
            }
            !watched.roots.is_empty()
        });
        unused
    }

    /// Returns whether a path is in a watched tree.
    pub(super) fn is_in_tree(&self, path: &Path) -> bool {
        let trees = self.trees.read();
        !trees.is_empty() && path.ancestors().any(|directory| trees.contains(directory))
    }

    /// Records that a directory is watched with everything below it.
    pub(super) fn add_tree(&self, directory: &Path) {
        self.trees.write().insert(directory.to_owned());
    }

    /// Removes the trees in which no directory is registered, and returns them.
    pub(super) fn take_unused_trees(&self) -> Vec<PathBuf> {
        let directories = self.watched.read();
        let is_used = |tree: &PathBuf| directories.keys().any(|directory| directory.starts_with(tree));
        self.trees.write().extract_if(.., |tree| !is_used(tree)).collect()
    }

    /// Returns the number of watched trees.
    #[cfg(all(test, target_os = "linux"))]
    pub(super) fn trees(&self) -> usize {
        self.trees.read().len()
    }

    /// Returns the number of directories watched for a root.
    pub(super) fn count(&self, root: &Arc<Root>) -> usize {
        let directories = self.watched.read();
        directories.values().filter(|watched| watched.roots.iter().any(|(other, _)| Arc::ptr_eq(other, root))).count()
    }
}

impl Watched {
    fn change(&self) {
        self.roots.iter().for_each(|(root, part)| root.change(*part));
    }
}

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

/// What one watch of the operating system covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// One directory (inotify). After a rename, its events have the old name.
    Directory,
    /// A directory and everything below it (`FSEvents`). All watches are one stream, which restarts with each further
    /// watch: what happens meanwhile is lost. An event may be reported twice.
    Tree,
}

impl Reach {
    /// The reach on this system; `None` if the events of all watches do not arrive in order. A marker proves nothing then, so
    /// nothing is watched.
    ///
    /// On Windows, each watch has a queue of its own.
    pub(super) const HERE: Option<Self> = if cfg!(target_os = "linux") {
        Some(Self::Directory)
    } else if cfg!(target_os = "macos") {
        Some(Self::Tree)
    } else {
        None
    };
}

/// The magic numbers (`statfs`) of file systems that other machines may change: NFS, SMB, CIFS, SMB2, 9P, FUSE, Ceph,
/// AFS, Coda, `VirtualBox` shares. They are from Linux's `magic.h` and the file systems' own headers.
#[cfg(target_os = "linux")]
const REMOTE: [u32; 10] = [
    0x0000_6969,
    0x0000_517b,
    0xff53_4d42,
    0xfe53_4d42,
    0x0102_1997,
    0x6573_5546,
    0x00c3_6400,
    0x5346_414f,
    0x7375_7245,
    0x786f_4256,
];

/// Returns whether all changes below a path are made by this system, so that events report them.
#[cfg(target_os = "linux")]
pub(super) fn is_local(path: &Path) -> bool {
    // The type is a signed or unsigned word, depending on the architecture; magic numbers have 32 bits.
    #[expect(clippy::allow_attributes, reason = "on some architectures the cast changes nothing")]
    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the magic numbers have 32 bits"
    )]
    rustix::fs::statfs(path).is_ok_and(|stat| !REMOTE.contains(&(stat.f_type as u32)))
}

/// Returns whether all changes below a path are made by this system, so that events report them.
#[cfg(target_os = "macos")]
pub(super) fn is_local(path: &Path) -> bool {
    /// `MNT_LOCAL` of macOS's `sys/mount.h`.
    const LOCAL: u32 = 0x1000;
    rustix::fs::statfs(path).is_ok_and(|stat| stat.f_flags & LOCAL != 0)
}

/// On other systems nothing is watched.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(super) fn is_local(_path: &Path) -> bool {
    false
}

/// The maximum number of simultaneous waiters. A further one gets no answer.
const MARKERS: usize = 32;

/// The marker files of a watcher.
pub(super) struct Markers {
    folder: PathBuf,
    reach: Reach,
    all: Mutex<Vec<Marker>>,
    arrived: Condvar,
}

struct Marker {
    name: String,
    file: File,
    state: MarkerState,
    /// How often it was touched. Each time it gets a new modification time.
    touched: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MarkerState {
    Free,
    /// A reader waits for its event.
    Waiting,
    Arrived,
    /// The reader stopped waiting before the event arrived.
    Abandoned,
}

impl Markers {
    pub(super) fn new(folder: &Path, reach: Reach) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let folder = dunce::canonicalize(folder)?;
        let marker = |number: usize| {
            let name = format!("{number}");
            let file = File::create(folder.join(&name))?;
            Ok(Marker { name, file, state: MarkerState::Free, touched: 0 })
        };
        let markers = (0..MARKERS).map(marker).collect::<io::Result<_>>()?;
        Ok(Self { folder, reach, all: Mutex::new(markers), arrived: Condvar::new() })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Touches a marker and waits for its event. Returns `false` if it does not arrive in time.
    pub(super) fn touch_and_wait(&self, deadline: Instant) -> bool {
        let mut markers = self.all.lock();
        let Some(place) = markers.iter().position(|marker| marker.state == MarkerState::Free) else { return false };
        let marker = &mut markers[place];
        marker.touched += 1;
        let touched = match self.reach {
            Reach::Directory => {
                // Any new time causes an event.
                let time = SystemTime::UNIX_EPOCH + Duration::from_secs(marker.touched);
                marker.file.set_times(FileTimes::new().set_modified(time))
            }
            // A second report of an earlier event has an earlier name.
            Reach::Tree => {
                let name = format!("{place}-{}", marker.touched);
                std::fs::rename(self.folder.join(&marker.name), self.folder.join(&name)).map(|()| marker.name = name)
            }
        };
        if touched.is_err() {
            return false;
        }
        marker.state = MarkerState::Waiting;
        while markers[place].state == MarkerState::Waiting {
            if self.arrived.wait_until(&mut markers, deadline).timed_out() {
                break;
            }
        }
        let has_arrived = markers[place].state == MarkerState::Arrived;
        markers[place].state = if has_arrived { MarkerState::Free } else { MarkerState::Abandoned };
        has_arrived
    }

    /// Removes the folder. No event arrives from then on.
    pub(super) fn remove(&self) {
        let (Some(parent), Some(name)) = (self.folder.parent(), self.folder.file_name()) else { return };
        // The next watcher removes anything that is left.
        let _ = Folder::open(parent).and_then(|parent| parent.remove(name));
    }

    /// Processes an event. Returns whether its path is that of a marker.
    pub(super) fn receive(&self, path: &Path) -> bool {
        if path.parent() != Some(&*self.folder) {
            return path == self.folder;
        }
        let mut markers = self.all.lock();
        let Some(marker) = markers.iter_mut().find(|marker| path.file_name().is_some_and(|name| name == &*marker.name))
        else {
            return true;
        };
        marker.state = match marker.state {
            MarkerState::Waiting => MarkerState::Arrived,
            MarkerState::Abandoned => MarkerState::Free,
            state => state,
        };
        drop(markers);
        self.arrived.notify_all();
        true
    }
}

impl Drop for Markers {
    fn drop(&mut self) {
        self.remove();
    }
}
