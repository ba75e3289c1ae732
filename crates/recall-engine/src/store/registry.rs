//! The registry of open stores: which stores a request sees, and when one is opened, opened again, forked or closed.
//!
//! Each root has a slot with a lock of its own: two requests open a store once, and opening one root blocks no other. Closing drops
//! the registry's reference; requests that hold the store finish on it. Only stores that no request holds are closed to keep within
//! the capacity, so it may be exceeded while all are in use.
//!
//! A file must not be renamed while it is open. So damage is recorded when a request finds it, and the part is quarantined when the
//! store is opened again, after the last user has let go of it. A work tree without an index starts with a fork of another one's
//! (ADR 27).

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use recall_chunk::CodeParser;
use recall_core::{Clock, Scope, StoreScope};
use recall_index::catalog::Catalog;
use recall_text::error_chain;
use recall_watch::Watcher;

use crate::auto_memory;
use crate::embeddings::{Encoders, Models};
use crate::error::StoreError;
use crate::fault::Fault;
use crate::home_memory::HomeMemory;
use crate::index_runs::IndexRuns;
use crate::ledger::Own;
use crate::origin::Origin;
use crate::settings::{EngineSettings, JournalSource, Places, StoreSettings, StoreSettingsSource};
use crate::store::settings::cuts_alike;
use crate::store::{Disturbed, IndexLock, IndexLocks, IndexPart, OpenContext, Store, open};
use crate::store_folder::StoreFolder;

/// How long closing waits for the jobs of a store, which were asked to stop.
const CLOSING_PATIENCE: Duration = Duration::from_secs(2);

/// How often closing checks whether a store is closed.
const CLOSING_LOOK: Duration = Duration::from_millis(2);

/// How long a fork waits for the writer of the other index. A first index takes longer; the new work tree is then indexed from
/// its files.
const WRITER_PATIENCE: Duration = Duration::from_secs(2);

/// The open stores of a user. The least recently used one is closed first.
pub(crate) struct Registry {
    pub(crate) places: Places,
    capacity: NonZero<usize>,
    store_settings: Arc<StoreSettingsSource>,
    models: ArcSwap<Models>,
    journals: Arc<JournalSource>,
    /// The events that the user's recall wrote, and the confirmations of the user.
    pub(crate) own: Arc<Own>,
    locks: Arc<IndexLocks>,
    slots: Mutex<Vec<StoreSlot>>,
    /// The damaged parts of stores that have to be opened again.
    damaged: Mutex<BTreeMap<PathBuf, Damage>>,
    uses: AtomicU64,
    closing: AtomicBool,
    pub(crate) index_runs: Arc<IndexRuns>,
    /// The watcher of the stores' files; `None` if files are not watched.
    watcher: Option<Arc<Watcher>>,
    code_parser: Option<Arc<dyn CodeParser>>,
}

/// A part of a store that was found damaged.
struct Damage {
    part: IndexPart,
    /// The store, which may still be used.
    of: Weak<Store>,
}

/// A place for one root. The inner lock is held while the store is opened, so that two requests open it once.
struct StoreSlot {
    root: PathBuf,
    used: u64,
    store: Arc<Mutex<Option<Arc<Store>>>>,
}

impl Registry {
    pub(crate) fn new(
        places: Places,
        settings: &EngineSettings,
        store_settings: Box<StoreSettingsSource>,
        models: Models,
        journals: Box<JournalSource>,
        index_runs: IndexRuns,
        watcher: Option<Arc<Watcher>>,
    ) -> Self {
        let journals: Arc<JournalSource> = Arc::from(journals);
        let own = Arc::new(Own::new(&places, Arc::clone(&journals)));
        Self {
            places,
            capacity: settings.open_stores,
            code_parser: settings.code_parser.clone(),
            store_settings: Arc::from(store_settings),
            models: ArcSwap::from_pointee(models),
            journals,
            own,
            locks: Arc::default(),
            slots: Mutex::default(),
            damaged: Mutex::default(),
            uses: AtomicU64::new(0),
            closing: AtomicBool::new(false),
            index_runs: Arc::new(index_runs),
            watcher,
        }
    }

    /// Returns the stores that a request of that scope sees, the project's first.
    pub(crate) fn stores(
        &self,
        origin: &Origin,
        scope: Scope,
        clock: &dyn Clock,
    ) -> Result<Vec<Arc<Store>>, StoreError> {
        if origin.is_past(&self.places) {
            // Other stores are of the present only.
            return if scope.sees(StoreScope::Project) {
                Ok(vec![self.project(origin, clock)?])
            } else {
                Ok(Vec::new())
            };
        }
        let mut stores = Vec::with_capacity(2);
        if scope.sees(StoreScope::Project) || scope.sees(StoreScope::Domain) {
            // Finding its root takes about two dozen system calls, so it is done once.
            let project = self.project(origin, clock)?;
            let domains =
                if scope.sees(StoreScope::Domain) { self.domains(&project, origin, scope, clock)? } else { Vec::new() };
            stores.extend(Some(project).filter(|_| scope.sees(StoreScope::Project)));
            for domain in domains {
                // A client that works in a domain's root has it as its project.
                if !stores.iter().any(|store| store.root == domain.root) {
                    stores.push(domain);
                }
            }
        }
        if scope.sees(StoreScope::Global) && (scope == Scope::Global || self.has_global_documents(stores.first())) {
            stores.push(self.global(clock)?);
        }
        Ok(stores)
    }

    /// Returns whether there is a global store, or something in the user's home that belongs to it.
    fn has_global_documents(&self, project: Option<&Arc<Store>>) -> bool {
        let agents = project.map(|project| project.settings().adopt.home.clone()).unwrap_or_default();
        self.places.global_root.is_dir() || HomeMemory::is_there_for_all(&self.places, &agents)
    }

    /// Returns the store of the client's project.
    pub(crate) fn project(&self, origin: &Origin, clock: &dyn Clock) -> Result<Arc<Store>, StoreError> {
        let root = origin.root(&self.places)?;
        self.open(StoreScope::Project, &root, clock)
    }

    /// Returns the store of a nested repository or of another project.
    pub(crate) fn open_beside(&self, root: &Path, clock: &dyn Clock) -> Result<Arc<Store>, StoreError> {
        self.open(StoreScope::Project, root, clock)
    }

    /// Returns the stores of the domains that the client's project sees, in the order of its settings. If the request names a
    /// domain, only that one.
    ///
    /// A domain whose folder does not exist is skipped: a team's repository may not be cloned on every machine.
    pub(crate) fn domains(
        &self,
        project: &Store,
        origin: &Origin,
        scope: Scope,
        clock: &dyn Clock,
    ) -> Result<Vec<Arc<Store>>, StoreError> {
        let settings = project.settings();
        let known = &settings.domains;
        if let Some(name) = origin.domain.as_ref().filter(|name| !known.contains(name)) {
            return Err(StoreError::NoDomain { name: name.clone(), known: known.clone() });
        }
        let meant = origin.domain.as_ref().filter(|_| scope == Scope::Domain);
        let names = known.iter().filter(|name| meant.is_none_or(|meant| meant == *name));
        let roots = names.filter_map(|name| self.places.domains.get(name)).filter(|root| root.is_dir());
        roots.map(|root| self.open(StoreScope::Domain, &canonical(root), clock)).collect()
    }

    /// Returns the user's global store. Creates its root if it does not exist.
    pub(crate) fn global(&self, clock: &dyn Clock) -> Result<Arc<Store>, StoreError> {
        let root = self.places.global_root.clone();
        std::fs::create_dir_all(&root).map_err(|source| StoreError::Folder { path: root.clone(), source })?;
        self.open(StoreScope::Global, &root, clock)
    }

    /// Replaces the encoders in every store.
    pub(crate) fn use_encoders(&self, encoders: Encoders) {
        let models = self.models.load().with_encoders(encoders);
        self.models.store(Arc::new(models));
        let slots: Vec<_> = self.slots.lock().iter().map(|slot| Arc::clone(&slot.store)).collect();
        for slot in slots {
            // Waits for a store that is being opened, since it may have read the models before the change.
            let Some(store) = slot.lock().clone() else { continue };
            store.use_models(&self.models.load());
        }
    }

    /// Returns every open store, except those that are being opened.
    pub(crate) fn open_stores(&self) -> Vec<Arc<Store>> {
        let slots: Vec<_> = self.slots.lock().iter().map(|slot| Arc::clone(&slot.store)).collect();
        slots.iter().filter_map(|slot| slot.try_lock().and_then(|store| store.clone())).collect()
    }

    /// Closes a store, so that the next request opens it again.
    pub(crate) fn forget(&self, root: &Path) {
        self.slots.lock().retain(|slot| slot.root != root);
    }

    /// Closes the store of a root if it is open and no request holds it. Returns whether it is closed.
    pub(crate) fn close_idle(&self, root: &Path) -> bool {
        let mut slots = self.slots.lock();
        let Some(at) = slots.iter().position(|slot| slot.root == root) else { return true };
        let is_idle = is_slot_idle(&slots[at]);
        let slot = is_idle.then(|| slots.swap_remove(at));
        drop(slots);
        slot.is_some()
    }

    /// Closes the store of an error if the error means damage. The next request opens the store again and quarantines the part
    /// that could not be read. Returns whether the error means damage.
    pub(crate) fn close_damaged(&self, error: &StoreError) -> bool {
        if error.fault() != Fault::Damaged {
            return false;
        }
        let (root, part) = match error {
            StoreError::ReadCatalog { root, .. } | StoreError::WriteCatalog { root, .. } => {
                (root, Some(IndexPart::Catalog))
            }
            StoreError::SearchLexical { root, .. } | StoreError::WriteLexical { root, .. } => {
                (root, Some(IndexPart::Lexical))
            }
            StoreError::NotIndexed { root, .. } => (root, None),
            _ => return false,
        };
        let mut slots = self.slots.lock();
        let at = slots.iter().position(|slot| slot.root == *root);
        let slot = at.map(|at| slots.swap_remove(at));
        drop(slots);
        // A store that another request is opening is not the one that was found damaged.
        let store = slot.and_then(|slot| slot.store.try_lock().as_deref().and_then(Clone::clone));
        if let Some(store) = store {
            store.jobs.cancel().cancel();
            // Opening does not read everything and may miss the damage, so it is recorded here.
            let damage = part.map(|part| (root.clone(), Damage { part, of: Arc::downgrade(&store) }));
            self.damaged.lock().extend(damage);
        }
        true
    }

    /// Takes the recorded damage of a store, once the store is closed: open files must not be renamed. `None` if the store is
    /// still in use after [`CLOSING_PATIENCE`].
    fn damage(&self, root: &Path) -> Option<IndexPart> {
        let Damage { part, of } = self.damaged.lock().remove(root)?;
        let began = Instant::now();
        while of.strong_count() > 0 {
            if began.elapsed() > CLOSING_PATIENCE {
                // The next read of the damaged part reports the damage again.
                return None;
            }
            std::thread::sleep(CLOSING_LOOK);
        }
        Some(part)
    }

    /// Closes the least recently used idle store; returns whether there was one.
    pub(crate) fn close_oldest_idle(&self) -> bool {
        let slot = take_oldest_idle(&mut self.slots.lock());
        // The store is closed here, after the lock on the slots is released.
        slot.is_some()
    }

    /// Deletes a store's index and closes the store, so that the next request builds it again.
    ///
    /// Requests that hold the store finish on the deleted files; its jobs are cancelled.
    ///
    /// On Windows, the files of an open catalog cannot be deleted: there, requests that hold the store are waited for.
    pub(crate) fn delete_index(&self, store: Arc<Store>) -> Result<(), StoreError> {
        store.index.claim()?;
        store.jobs.cancel().cancel();
        if cfg!(windows) {
            return self.delete_closed_index(store);
        }
        // No thread of this process may write into a folder that is being deleted.
        let _writing = store.index.write()?;
        store.folder.delete_index()?;
        self.begin_index(&store.root)?;
        self.forget(&store.root);
        Ok(())
    }

    fn delete_closed_index(&self, store: Arc<Store>) -> Result<(), StoreError> {
        let root = store.root.clone();
        // Shared with the store, so that this process keeps the lock while the store is closed.
        let lock = IndexLock::new(&root, StoreFolder::lock(&root, &self.places), &self.locks);
        lock.take()?;
        let users = Arc::downgrade(&store);
        drop(store);
        let folder = StoreFolder::prepare(&root, &self.places)?;
        let began = Instant::now();
        loop {
            self.forget(&root);
            // Held so that nobody opens it meanwhile.
            let slots = self.slots.lock();
            let is_closed = users.strong_count() == 0 && slots.iter().all(|slot| slot.root != root);
            let is_late = began.elapsed() > CLOSING_PATIENCE;
            if is_closed || is_late {
                match folder.delete_index() {
                    Ok(()) => return self.begin_index(&root),
                    Err(error) if is_late => return Err(error.into()),
                    // Another request had opened the store again and is about to close it.
                    Err(_) => {}
                }
            }
            drop(slots);
            std::thread::sleep(CLOSING_LOOK);
        }
    }

    /// Creates an empty catalog, which is filled from the files; without one, the index of another work tree would be used.
    fn begin_index(&self, root: &Path) -> Result<(), StoreError> {
        let folder = StoreFolder::prepare(root, &self.places)?;
        let created = Catalog::open(&folder.catalog());
        created.map(drop).map_err(|source| StoreError::OpenCatalog { root: root.to_owned(), source })
    }

    /// Deletes the embeddings of a store and closes it, so that the next request computes them again or takes them from the
    /// embedding store.
    pub(crate) fn delete_vectors(&self, store: &Store) -> Result<(), StoreError> {
        store.index.claim()?;
        store.jobs.cancel().cancel();
        let _writing = store.index.write()?;
        store.folder.delete_vectors()?;
        self.forget(&store.root);
        Ok(())
    }

    /// Deletes the index of a root whose store nobody has open. `false` if somebody has.
    pub(crate) fn delete_unused_index(&self, root: &Path, folder: &StoreFolder) -> Result<bool, StoreError> {
        // Held so that nobody opens it meanwhile.
        let slots = self.slots.lock();
        let lock = IndexLock::new(root, StoreFolder::lock(root, &self.places), &self.locks);
        if slots.iter().any(|slot| slot.root == root) || lock.take().is_err() {
            return Ok(false);
        }
        folder.delete_index()?;
        Ok(true)
    }

    pub(crate) fn running_jobs(&self) -> usize {
        self.open_stores().iter().filter(|store| store.jobs.indexing().is_some()).count()
    }

    /// Asks every job to stop, waits for the writers, and closes every store.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        let stores = self.open_stores();
        for store in &stores {
            store.jobs.cancel().cancel();
        }
        for store in &stores {
            // The next opening verifies what it finds.
            store.index.abandon_merges();
        }
        for store in &stores {
            if !store.jobs.wait(CLOSING_PATIENCE) {
                tracing::warn!(root = %store.root.display(), "a job did not end in time");
            }
        }
        self.slots.lock().clear();
        if let Some(watcher) = &self.watcher {
            watcher.remove_markers();
        }
    }

    fn open(&self, scope: StoreScope, root: &Path, clock: &dyn Clock) -> Result<Arc<Store>, StoreError> {
        if self.closing.load(Ordering::SeqCst) {
            return Err(StoreError::Closing);
        }
        // The registry is unlocked from here on, so that other roots can be opened meanwhile.
        let slot = self.slot(root);
        let mut store = slot.lock();
        let mut disturbed = None;
        if let Some(open) = store.take() {
            disturbed = open.index.find_disturbance(open.settings().limits.look_interval);
            let Some(disturbed) = disturbed else { return Ok(Arc::clone(store.insert(open))) };
            tracing::warn!(root = %root.display(), reason = %disturbed, "an open index was changed and is opened again");
            open.jobs.cancel().cancel();
            // A replaced catalog is opened as it is, without quarantine.
            let part = match disturbed {
                Disturbed::Overwritten(part) => part,
                Disturbed::Replaced => IndexPart::Catalog,
            };
            self.damaged.lock().insert(root.to_owned(), Damage { part, of: Arc::downgrade(&open) });
        }
        // A domain's root has the scope of a domain even if it is opened as a project first.
        let is_domain = self.places.domains.values().any(|domain| canonical(domain) == root);
        let scope = if is_domain { StoreScope::Domain } else { scope };
        let settings = (self.store_settings)(root);
        let models = self.models.load_full();
        let context = OpenContext {
            places: &self.places,
            models: &models,
            journals: &*self.journals,
            index_runs: &self.index_runs,
            code_parser: self.code_parser.as_ref(),
            locks: &self.locks,
            own: &self.own,
            settings_source: &self.store_settings,
            watcher: self.watcher.as_ref(),
            now: clock.now(),
            is_adopted: auto_memory::is_auto_memory(root, &self.places),
        };
        if scope == StoreScope::Project && !context.is_adopted && !StoreFolder::has_index(root, &self.places) {
            self.fork_sibling(root, &settings, clock);
        }
        // Waits until the store is closed.
        let damaged = self.damage(root).filter(|_| disturbed != Some(Disturbed::Replaced));
        let opened = Arc::new(Store::open(scope, root, settings, &context, damaged)?);
        // A part that could not be quarantined, because another request holds it, is not trusted either.
        if disturbed.is_some() && damaged.is_none() {
            opened.rebuild_derived()?;
        }
        opened.catch_up_soon();
        *store = Some(Arc::clone(&opened));
        Ok(opened)
    }

    /// Gives the store of a root the index of another work tree of its repository, if there is one. Otherwise the store is indexed
    /// from its files.
    fn fork_sibling(&self, root: &Path, settings: &StoreSettings, clock: &dyn Clock) {
        let began = Instant::now();
        for sibling in open::find_sibling(root, &self.places) {
            let source = self
                .open(StoreScope::Project, &sibling, clock)
                .ok()
                .filter(|source| cuts_alike(&source.settings(), settings));
            let Some(source) = source else { continue };
            let folder = StoreFolder::prepare(root, &self.places).map_err(StoreError::from);
            match folder.and_then(|folder| source.index.fork(&folder, WRITER_PATIENCE)) {
                Ok(()) => {
                    // Reads of the source may have kept its file from shrinking.
                    source.work("settle", |store| store.empty_log());
                    tracing::info!(root = %root.display(), from = %sibling.display(), took_ms = began.elapsed().as_millis(), "the index of another work tree is used");
                    return;
                }
                Err(error) => {
                    let error = error_chain(&error);
                    tracing::warn!(root = %root.display(), from = %sibling.display(), error, "the index of another work tree cannot be used");
                }
            }
        }
    }

    /// Returns the slot of a root. Closes the least recently used idle store if there are too many.
    fn slot(&self, root: &Path) -> Arc<Mutex<Option<Arc<Store>>>> {
        let now = self.uses.fetch_add(1, Ordering::Relaxed);
        let mut slots = self.slots.lock();
        if let Some(slot) = slots.iter_mut().find(|slot| slot.root == root) {
            slot.used = now;
            return Arc::clone(&slot.store);
        }
        if slots.len() >= self.capacity.get() {
            take_oldest_idle(&mut slots);
        }
        let store = Arc::default();
        slots.push(StoreSlot { root: root.to_owned(), used: now, store: Arc::clone(&store) });
        store
    }
}

/// Resolves the links in a root; returns it unchanged if it does not exist.
fn canonical(root: &Path) -> PathBuf {
    dunce::canonicalize(root).unwrap_or_else(|_| root.to_owned())
}

/// Takes the least recently used idle store out.
fn take_oldest_idle(slots: &mut Vec<StoreSlot>) -> Option<StoreSlot> {
    let oldest = slots.iter().enumerate().filter(|(_, slot)| is_slot_idle(slot)).min_by_key(|(_, slot)| slot.used);
    let (at, _) = oldest?;
    Some(slots.swap_remove(at))
}

/// Returns whether nobody uses a slot or its store. A slot that a request holds is about to be opened.
fn is_slot_idle(slot: &StoreSlot) -> bool {
    Arc::strong_count(&slot.store) == 1 && slot.store.try_lock().is_some_and(|store| store.as_ref().is_none_or(is_idle))
}

/// Returns whether only the registry holds the store.
fn is_idle(store: &Arc<Store>) -> bool {
    Arc::strong_count(store) == 1
}
