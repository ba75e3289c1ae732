//! Opening of a store, with the repair of damaged parts; in a new work tree with the index of another one of the
//! repository.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use recall_chunk::CodeParser;
use recall_core::{StoreScope, Timestamp};
use recall_os::git::Repository;
use recall_text::PROJECT_FOLDER;
use recall_watch::Watcher;

use super::files::{FileReaders, kept_in, selection_stamps};
use super::index::{quarantine_catalog, quarantine_part};
use super::settings::stamps;
use super::{CurrentSettings, Files, Index, IndexLock, IndexLocks, IndexPart, ItemFacts, Jobs, Repairs, Store};
use crate::embeddings::Models;
use crate::error::StoreError;
use crate::fault::Fault;
use crate::git::Head;
use crate::home_memory::HomeMemory;
use crate::index_runs::IndexRuns;
use crate::ledger::{Ledger, Own, RepositoryLog};
use crate::past_root::PastRoot;
use crate::session_log::Sessions;
use crate::settings::{JournalSource, Places, StoreSettings, StoreSettingsSource};
use crate::store_folder::StoreFolder;

/// The shared objects that opening a store needs.
pub(crate) struct OpenContext<'a> {
    pub(crate) places: &'a Places,
    pub(crate) models: &'a Models,
    pub(crate) journals: &'a JournalSource,
    pub(crate) settings_source: &'a Arc<StoreSettingsSource>,
    pub(crate) own: &'a Arc<Own>,
    pub(crate) locks: &'a Arc<IndexLocks>,
    pub(crate) index_runs: &'a Arc<IndexRuns>,
    pub(crate) code_parser: Option<&'a Arc<dyn CodeParser>>,
    pub(crate) watcher: Option<&'a Arc<Watcher>>,
    pub(crate) now: Timestamp,
    /// Whether the root is the memory of another program. Then journals, sessions and the selection are kept in the store's folder.
    pub(crate) is_adopted: bool,
}

impl Store {
    /// Opens the store of a root, and creates it if it does not exist.
    ///
    /// A damaged catalog or lexical index is quarantined under another name and rebuilt: the catalog from the files
    /// by the next scan, the lexical index from the catalog at once. `damaged` is the part that an earlier read found damaged.
    ///
    /// While another process has the store open, its index is only read.
    ///
    /// # Errors
    /// The folder cannot be used, the index is damaged while another process has it open, or the catalog was written by a
    /// newer version, which is left untouched.
    pub(crate) fn open(
        scope: StoreScope,
        root: &Path,
        settings: StoreSettings,
        context: &OpenContext<'_>,
        damaged: Option<IndexPart>,
    ) -> Result<Self, StoreError> {
        let new_lock = || IndexLock::new(root, StoreFolder::lock(root, context.places), context.locks);
        let lock = new_lock();
        // Every write takes the lock again and reports the failure.
        let _ = lock.take();
        let repaired = match damaged {
            Some(part) => vec![quarantine_part(root, context.places, &lock, part, context.now)?],
            None => Vec::new(),
        };
        match Self::open_once(scope, root, settings.clone(), context, lock, repaired) {
            // Rebuilding the lexical index reads every text, and so finds damage in the catalog that opening it does not.
            Err(error @ (StoreError::ReadCatalog { .. } | StoreError::WriteCatalog { .. }))
                if error.fault() == Fault::Damaged =>
            {
                let folder = StoreFolder::prepare(root, context.places)?;
                let lock = new_lock();
                let kept = quarantine_catalog(&folder.catalog(), &lock, context.now)?;
                Self::open_once(scope, root, settings, context, lock, vec![kept])
            }
            opened => opened,
        }
    }

    fn open_once(
        scope: StoreScope,
        root: &Path,
        settings: StoreSettings,
        context: &OpenContext<'_>,
        index_lock: IndexLock,
        mut repaired: Vec<String>,
    ) -> Result<Self, StoreError> {
        let &OpenContext {
            places,
            models,
            journals,
            settings_source,
            own,
            locks: _,
            index_runs,
            code_parser,
            watcher,
            now,
            is_adopted,
        } = context;
        let folder = StoreFolder::prepare(root, places)?;
        let index = Index::open(root, &folder, index_lock, models, now, &mut repaired)?;
        let kept_in = kept_in(root, &folder.path, is_adopted);
        // Taken before the selection is read, so that a write in between is noticed.
        let stamps = stamps(&settings, selection_stamps(kept_in, &folder.path));
        let most_directories = settings.limits.watched_directories as usize;
        let watcher = watcher.filter(|_| most_directories > 0);
        let readers = FileReaders {
            user_git: places.git(),
            watch: watcher.map(|watcher| watcher.watch(root, most_directories)),
            code_parser: code_parser.cloned(),
            home: if is_adopted { None } else { HomeMemory::for_store(scope, root, places) },
        };
        let files = Files::open(root, &folder.path, is_adopted, readers, |problem| repaired.push(problem));
        if index.has_outdated_documents()? {
            tracing::info!(root = %root.display(), "an older version parsed the documents; they are parsed again");
            files.dirty().rewrite_everything();
        }
        let ledger = Ledger::new(
            kept_in,
            journals(kept_in, Path::new(PROJECT_FOLDER)),
            own.log(scope, root),
            RepositoryLog::find(own, scope, root).filter(|_| !is_adopted),
        );
        ledger.admit_clones(settings.review.clone);
        Ok(Self {
            scope,
            root: root.to_owned(),
            settings: CurrentSettings::new(root, settings, settings_source, stamps),
            index,
            files,
            ledger,
            facts: ItemFacts::open(root, &folder.index),
            sessions: Sessions::new(kept_in, &folder.path),
            jobs: Jobs::new(index_runs),
            past: PastRoot::read(root, places),
            oppositions: Arc::default(),
            repairs: Repairs { found: repaired, are_reported: AtomicBool::new(false) },
            repository: OnceLock::new(),
            folder,
        })
    }

    /// Rebuilds everything that is derived from the files, since the content of the catalog cannot be trusted.
    pub(super) fn rebuild_derived(&self) -> Result<(), StoreError> {
        self.files.dirty().rewrite_everything();
        self.index.rebuild_derived()?;
        self.settle();
        Ok(())
    }
}

/// The most linked work trees of a repository that are looked at.
const MOST_WORK_TREES: usize = 256;

/// Returns the roots of other work trees of the same repository that have an index, the most similar first.
///
/// A work tree is one that the repository lists as its own, so an untrusted project cannot name another one.
pub(super) fn find_sibling(root: &Path, places: &Places) -> Vec<PathBuf> {
    let Some(place) = RepositoryPlace::find(root) else { return Vec::new() };
    let commit = Head::read_from(root).commit;
    let mut siblings: Vec<_> = StoreFolder::all(places)
        .into_iter()
        .filter(|(other, _)| other != root)
        .filter_map(|(other, folder)| Some((folder.last_change()?, other, folder)))
        .filter(|(_, other, _)| RepositoryPlace::find(other).is_some_and(|other| other == place))
        .map(|(changed, other, folder)| {
            let has_same_commit = Head::read_from(&other).commit == commit;
            Sibling { has_same_commit, catalog_bytes: folder.catalog_bytes(), changed, root: other }
        })
        .collect();
    siblings.sort_unstable_by_key(Sibling::distance);
    siblings.into_iter().map(|sibling| sibling.root).collect()
}

/// Another work tree of the repository.
struct Sibling {
    has_same_commit: bool,
    /// The size of its own catalog, without the base.
    catalog_bytes: u64,
    /// When its index was last written.
    changed: SystemTime,
    root: PathBuf,
}

impl Sibling {
    /// Returns the rank by which siblings are tried, ascending.
    ///
    /// Work trees of one commit differ by uncommitted changes. Of them, the one with the smallest catalog has the fewest: a fork of
    /// the latest fork would collect the changes of all before it. Of other commits, the last written one is the best guess.
    fn distance(&self) -> (bool, u64, Reverse<SystemTime>) {
        let own_bytes = if self.has_same_commit { self.catalog_bytes } else { 0 };
        (!self.has_same_commit, own_bytes, Reverse(self.changed))
    }
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn sibling(root: &str, has_same_commit: bool, catalog_bytes: u64, seconds: u64) -> Sibling {
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        Sibling { has_same_commit, catalog_bytes, changed, root: root.into() }
    }

    #[test]
    fn a_work_tree_starts_with_the_index_of_the_same_commit_that_has_the_fewest_changes() {
        let mut siblings = [
            sibling("an old commit", false, 1, 10),
            sibling("a later commit", false, 9, 20),
            sibling("many changes", true, 8, 30),
            sibling("few changes", true, 4, 5),
        ];
        siblings.sort_unstable_by_key(Sibling::distance);
        let roots = siblings.map(|sibling| sibling.root);
        assert_eq!(
            roots.map(|root| root.display().to_string()),
            ["few changes", "many changes", "a later commit", "an old commit"]
        );
    }
}
