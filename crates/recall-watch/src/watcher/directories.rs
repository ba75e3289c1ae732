//! The directories that are watched, and the roots for which.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;

use super::{Part, Root};

/// Which roots depend on each watched directory: worktrees and stores within stores share some.
#[derive(Default)]
pub(super) struct Directories(RwLock<HashMap<PathBuf, Watched>>);

/// A directory that a root depends on, as it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// It was watched for this.
    Kept,
    /// It was watched for something else.
    Shared,
    /// It was not watched.
    New,
    /// It was watched, and another directory may be in its place since.
    Replaced,
}

struct Watched {
    roots: Vec<(Arc<Root>, Part)>,
    /// Whether another directory may be in its place since.
    is_lost: bool,
}

impl Directories {
    /// Takes note that something happened at a path: `names` if a name came, went or now means something else.
    pub(super) fn change(&self, path: &Path, names: bool) {
        let directories = self.0.read();
        let mut is_known = false;
        for place in [path.parent(), Some(path)].into_iter().flatten() {
            if let Some(watched) = directories.get(place) {
                is_known = true;
                watched.change();
            }
        }
        let is_directory = names && directories.contains_key(path);
        if !is_known {
            // The watch of a directory that was renamed brings the name that it had.
            directories.values().for_each(Watched::change);
        }
        drop(directories);
        if is_directory {
            let mut directories = self.0.write();
            let below = directories.iter_mut().filter(|(directory, _)| directory.starts_with(path));
            below.for_each(|(_, watched)| watched.is_lost = true);
        }
    }

    /// Takes note that anything may have happened anywhere.
    pub(super) fn change_all(&self) {
        self.0.read().values().for_each(Watched::change);
    }

    /// Has a directory watched for a part of a root; the operating system is to be asked for a new or replaced one.
    pub(super) fn claim(&self, root: &Arc<Root>, part: Part, directory: &Path) -> Claim {
        let mut directories = self.0.write();
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
            // Nobody saw what happened there in the meantime.
            watched.change();
            return Claim::Replaced;
        }
        if is_known { Claim::Kept } else { Claim::Shared }
    }

    /// A directory could not be watched.
    pub(super) fn forget(&self, directory: &Path) {
        self.0.write().remove(directory);
    }

    /// No longer watches for a part of a root but what is to be kept. Returns the directories that nobody needs any more.
    pub(super) fn release(&self, root: &Arc<Root>, part: Part, keep: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
        let mut unused = Vec::new();
        self.0.write().retain(|directory, watched| {
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

    /// How many directories are watched for a root.
    pub(super) fn count(&self, root: &Arc<Root>) -> usize {
        let directories = self.0.read();
        directories.values().filter(|watched| watched.roots.iter().any(|(other, _)| Arc::ptr_eq(other, root))).count()
    }
}

impl Watched {
    fn change(&self) {
        self.roots.iter().for_each(|(root, part)| root.change(*part));
    }
}
