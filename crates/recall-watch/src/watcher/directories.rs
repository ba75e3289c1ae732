//! The watched directories, with the roots that depend on them.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;

use super::reach::Reach;
use super::root::{Part, Root};

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
