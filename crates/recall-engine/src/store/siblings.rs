//! The work trees of a repository. A new one starts with the index of another.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use recall_os::git::Repository;

use crate::settings::Places;
use crate::store_folder::StoreFolder;

/// The most linked work trees of a repository that are looked at.
const MOST_WORK_TREES: usize = 256;

/// Returns the roots of other work trees of the same repository that have an index, the last written first.
///
/// A work tree is one that the repository lists as its own, so an untrusted project cannot name another one.
pub(super) fn find(root: &Path, places: &Places) -> Vec<PathBuf> {
    let Some(place) = RepositoryPlace::find(root) else { return Vec::new() };
    let mut siblings: Vec<_> = StoreFolder::all(places)
        .into_iter()
        .filter_map(|(other, folder)| Some((folder.last_change()?, other)))
        .filter(|(_, other)| other != root && RepositoryPlace::find(other).is_some_and(|other| other == place))
        .collect();
    siblings.sort_unstable_by_key(|(changed, _)| Reverse(*changed));
    siblings.into_iter().map(|(_, root)| root).collect()
}

/// Returns the folders that the root is in the work trees of its repository: the root first, then the main work tree and the linked
/// ones.
///
/// Each must be a work tree of the same repository by its own files, so an untrusted project cannot name another one.
pub(crate) fn work_trees(root: &Path) -> Vec<PathBuf> {
    let mut roots = vec![root.to_owned()];
    let (Some(place), Some(repository)) = (RepositoryPlace::find(root), Repository::find(root)) else { return roots };
    let linked = repository.named_work_trees(MOST_WORK_TREES);
    for work_tree in std::iter::once(repository.main_work_tree().to_owned()).chain(linked) {
        // Joining an empty path would add a slash to the name.
        let other: PathBuf = work_tree.components().chain(place.path.components()).collect();
        if !roots.contains(&other) && RepositoryPlace::find(&other).is_some_and(|other| other == place) {
            roots.push(other);
        }
    }
    roots
}

/// A place in a repository, whatever the work tree.
#[derive(PartialEq, Eq)]
struct RepositoryPlace {
    repository: PathBuf,
    /// Relative to the top of the work tree.
    path: PathBuf,
}

impl RepositoryPlace {
    fn find(root: &Path) -> Option<Self> {
        let Repository { work_tree, common_dir, .. } = Repository::find(root)?;
        let path = dunce::canonicalize(root).ok()?.strip_prefix(&work_tree).ok()?.to_owned();
        Some(Self { repository: common_dir, path })
    }
}
