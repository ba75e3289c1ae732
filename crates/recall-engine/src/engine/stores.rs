//! The stores that a request reads: those of its scope, those of the repositories nested in the project, that of the project's auto
//! memory, and those of other projects that it asks for.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recall_core::{OtherProjects, Scope, StoreScope};
use recall_text::error_chain;
use recall_watch::root;

use crate::error::StoreError;
use crate::mount::Mount;
use crate::origin::{Origin, OriginError};
use crate::store::Store;
use crate::store_folder::StoreFolder;
use crate::warning::{Coverage, Warning};
use crate::{Engine, auto_memory};

/// A store that a request reads.
#[derive(Clone)]
pub(crate) struct MountedStore {
    pub(crate) store: Arc<Store>,
    /// Where its root lies in the client's project.
    pub(crate) mount: Mount,
    /// Whether it belongs to another project than the client's.
    pub(crate) is_elsewhere: bool,
    /// Whether it holds the auto memory of the client's project.
    pub(crate) is_auto_memory: bool,
}

impl MountedStore {
    /// Returns a store of the request's scope.
    pub(crate) fn in_scope(store: Arc<Store>) -> Self {
        Self { store, mount: Mount::default(), is_elsewhere: false, is_auto_memory: false }
    }

    /// Returns what an answer given now covers.
    pub(crate) fn coverage(&self) -> Coverage {
        Coverage { is_elsewhere: self.is_elsewhere, ..self.store.coverage() }
    }
}

impl Deref for MountedStore {
    type Target = Arc<Store>;

    fn deref(&self) -> &Arc<Store> {
        &self.store
    }
}

/// The stores that a request reads, and what went wrong.
pub(crate) struct MountedStores {
    /// Those of the scope, the project's first, then those of nested repositories by depth and path, then that of the auto memory,
    /// then those of other projects.
    pub(crate) stores: Vec<MountedStore>,
    pub(crate) warnings: Vec<Warning>,
}

impl Engine {
    /// Returns the stores that a request of that scope reads, as they are.
    pub(crate) fn stores(&self, origin: &Origin, scope: Scope) -> Result<Vec<MountedStore>, StoreError> {
        let as_is = |_: &Arc<Store>| Ok(Vec::new());
        let MountedStores { stores, warnings } = self.prepared_stores(origin, scope, &OtherProjects::None, as_is)?;
        for warning in warnings.into_iter().filter(|warning| !matches!(warning, Warning::AsOf { .. })) {
            tracing::warn!(?warning, "a nested repository is left out");
        }
        Ok(stores)
    }

    /// Returns the stores that a request of that scope reads, each after `prepare`. A store whose preparation fails is a warning if
    /// another store has documents.
    ///
    /// The last scan of a store knows its nested repositories, so each store is prepared before these are looked up. A request for
    /// other projects may come from a folder that is not a project.
    ///
    /// # Errors
    /// The client's project or a named one cannot be used, a store of the scope cannot be opened, or no store could be prepared.
    pub(crate) fn prepared_stores(
        &self,
        origin: &Origin,
        scope: Scope,
        others: &OtherProjects,
        mut prepare: impl FnMut(&Arc<Store>) -> Result<Vec<Warning>, StoreError>,
    ) -> Result<MountedStores, StoreError> {
        let of_scope = match self.registry.stores(origin, scope, &*self.clock) {
            Err(StoreError::Origin(_)) if *others != OtherProjects::None => Vec::new(),
            opened => opened?,
        };
        let mut gathered = Gathered {
            engine: self,
            project: of_scope.first().map(|store| store.root.clone()).unwrap_or_default(),
            room: self.settings.stores_per_request,
            stores: of_scope.into_iter().map(MountedStore::in_scope).collect(),
            failed: Vec::new(),
            left_out: 0,
        };
        // No other store is of that time.
        let is_past = origin.is_past(&self.registry.places);
        let mut warnings: Vec<Warning> =
            gathered.stores.first().and_then(|store| store.past_warning()).into_iter().collect();
        warnings.extend(gathered.prepare_from(0, &mut prepare));
        let with_memory = gathered.stores.len();
        if !is_past {
            gathered.open_auto_memory();
        }
        warnings.extend(gathered.prepare_from(with_memory, &mut prepare));
        let prepared = gathered.stores.len();
        for root in if is_past { Vec::new() } else { self.roots_of(others)? } {
            gathered.open(&root, true);
        }
        warnings.extend(gathered.prepare_from(prepared, &mut prepare));
        gathered.finish(warnings)
    }

    /// Returns the roots of other projects; of all projects, those first whose indexes changed last.
    fn roots_of(&self, others: &OtherProjects) -> Result<Vec<PathBuf>, StoreError> {
        let places = &self.registry.places;
        match others {
            OtherProjects::None => Ok(Vec::new()),
            OtherProjects::Named(roots) => {
                let checked = |root: &PathBuf| {
                    let failed = |source| OriginError::Root { path: root.clone(), source };
                    let checked = root::check_root(root, places.home.as_deref(), root::RootCheck::Checked);
                    Ok(checked.map_err(failed)?)
                };
                roots.iter().map(checked).collect()
            }
            OtherProjects::Every => {
                let kept = StoreFolder::all(places).into_iter();
                let mut kept: Vec<_> = kept.filter_map(|(root, folder)| Some((folder.last_change()?, root))).collect();
                kept.sort_unstable_by(|a, b| b.cmp(a));
                Ok(kept.into_iter().map(|(_, root)| root).filter(|root| root.is_dir()).collect())
            }
        }
    }
}

/// The stores of a request while they are gathered.
struct Gathered<'e> {
    engine: &'e Engine,
    /// The root of the client's project.
    project: PathBuf,
    stores: Vec<MountedStore>,
    /// How many more may be opened.
    room: u32,
    /// The stores that could not be opened or prepared.
    failed: Vec<(StoreScope, StoreError)>,
    /// How many were not opened, because there was no room.
    left_out: u64,
}

impl Gathered<'_> {
    /// Opens the store of a root besides those of the scope, if there is room.
    fn open(&mut self, root: &Path, is_elsewhere: bool) {
        if self.stores.iter().any(|known| known.root == root) {
            return;
        }
        if self.room == 0 {
            self.left_out += 1;
            return;
        }
        self.room -= 1;
        match self.engine.registry.open_beside(root, &*self.engine.clock) {
            Ok(store) => {
                let mount = if is_elsewhere { Mount::default() } else { Mount::new(root, &self.project) };
                self.stores.push(MountedStore { store, mount, is_elsewhere, is_auto_memory: false });
            }
            Err(error) => self.failed.push((StoreScope::Project, error)),
        }
    }

    /// Opens the store of the auto memory of the client's project, if there is one.
    fn open_auto_memory(&mut self) {
        let is_own = |store: &&MountedStore| store.scope == StoreScope::Project && !store.files.are_adopted();
        let Some(project) = self.stores.first().filter(is_own) else { return };
        if !project.settings().adopt.auto_memory {
            return;
        }
        let Some(root) = auto_memory::folder_of(&project.root, &self.engine.registry.places) else { return };
        match self.engine.registry.open_beside(&root, &*self.engine.clock) {
            Ok(store) => {
                let mount = Mount::with_name(auto_memory::MOUNT);
                self.stores.push(MountedStore { store, mount, is_elsewhere: false, is_auto_memory: true });
            }
            Err(error) => self.failed.push((StoreScope::Project, error)),
        }
    }

    /// Prepares the stores from an index on, and opens and prepares the repositories that are nested in them. Returns the warnings.
    fn prepare_from(
        &mut self,
        mut at: usize,
        prepare: &mut impl FnMut(&Arc<Store>) -> Result<Vec<Warning>, StoreError>,
    ) -> Vec<Warning> {
        let mut warnings = Vec::new();
        while let Some(MountedStore { store, is_elsewhere, .. }) = self.stores.get(at).cloned() {
            at += 1;
            match prepare(&store) {
                Ok(more) => warnings.extend(more),
                Err(error) => self.failed.push((store.scope, error)),
            }
            if store.scope == StoreScope::Project && !store.files.are_adopted() {
                for root in nested_roots(&store) {
                    self.open(&root, is_elsewhere);
                }
            }
        }
        warnings
    }

    fn finish(self, mut warnings: Vec<Warning>) -> Result<MountedStores, StoreError> {
        let has_documents = self.stores.iter().any(|store| !store.index.holds_nothing());
        for (scope, error) in self.failed {
            if !has_documents {
                return Err(error);
            }
            warnings.push(Warning::StoreUnavailable { scope, reason: error_chain(&error) });
        }
        let limit = u64::from(self.engine.settings.stores_per_request);
        if self.left_out > 0 && limit > 0 {
            warnings.push(Warning::StoresLeftOut { left_out: self.left_out, limit });
        }
        Ok(MountedStores { stores: self.stores, warnings })
    }
}

/// Returns the roots of the repositories in a store's root, in the order of their paths. One that is no longer a repository, or is
/// reached through a link, is left out; the next scan forgets it.
fn nested_roots(store: &Store) -> Vec<PathBuf> {
    let known = store.index.known_documents();
    let roots = known.repositories.iter().map(|path| store.root.join(path.as_str()));
    let is_there = |root: &PathBuf| {
        root.join(".git").symlink_metadata().is_ok()
            && dunce::canonicalize(root).is_ok_and(|canonical| canonical == *root)
    };
    roots.filter(is_there).collect()
}
