//! Forks of stores: a new work tree of a repository starts with the index of another work tree.

use std::cmp::Reverse;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use recall_chunk::ChunkLimits;
use recall_os::git::Repository;

use super::Store;
use crate::error::StoreError;
use crate::settings::{Places, StoreSettings};
use crate::store_folder::StoreFolder;

/// How long a fork waits for the writer of the other index. A first index takes longer; the new work tree is then indexed from
/// its files.
const WRITER_PATIENCE: Duration = Duration::from_secs(2);

impl Store {
    /// Writes the index to the folder of another root that has none. The files that are never written again are shared; the
    /// next scan of the other root finds what differs there.
    ///
    /// An error leaves an index that is repaired or rebuilt when it is opened.
    pub(crate) fn fork(&self, target: &StoreFolder) -> Result<(), StoreError> {
        let failed = |source: io::Error| StoreError::Folder { path: target.index.clone(), source };
        self.index_lock.take()?;
        let writing = self.writing.try_lock_for(WRITER_PATIENCE).filter(|_| !self.holds_nothing());
        let _writing = writing.ok_or_else(|| failed(io::Error::other("it is still being written")))?;
        // Its merges would delete files.
        self.close_lexical_writer();
        self.lexical.fork(&target.lexical()).map_err(failed)?;
        self.embeddings.fork(&target.vectors()).map_err(failed)?;
        // Last, because a folder without a catalog has no index.
        self.catalog
            .fork(&target.catalog())
            .map_err(|source| StoreError::OpenCatalog { root: self.root.clone(), source })
    }

    /// Whether files are cut into the same chunks with these settings.
    pub(crate) fn cuts_like(&self, settings: &StoreSettings) -> bool {
        let own = self.settings();
        own.types == settings.types && ChunkLimits::from(&own.limits) == ChunkLimits::from(&settings.limits)
    }
}

/// The roots of other work trees of the same repository that have an index, the last written first.
///
/// A work tree is one that the repository lists as its own, so an untrusted project cannot name another one.
pub(crate) fn siblings(root: &Path, places: &Places) -> Vec<PathBuf> {
    let Some(place) = RepositoryPlace::find(root) else { return Vec::new() };
    let mut siblings: Vec<_> = StoreFolder::all(places)
        .into_iter()
        .filter_map(|(other, folder)| Some((folder.last_change()?, other)))
        .filter(|(_, other)| other != root && RepositoryPlace::find(other).is_some_and(|other| other == place))
        .collect();
    siblings.sort_unstable_by_key(|(changed, _)| Reverse(*changed));
    siblings.into_iter().map(|(_, root)| root).collect()
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
