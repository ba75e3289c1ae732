//! The remove use case: documents out of the index, and memories out of the store.
//!
//! All items are looked up before anything is removed, so an unknown one changes nothing. A file itself is never touched: that its
//! path is removed is a decision in the selection, which later scans keep. A memory is deleted by an event in the journal, which git
//! carries to others.

use std::collections::BTreeSet;
use std::sync::Arc;

use recall_core::{
    ChunkId, Citation, DocumentId, DocumentKey, Event, EventBody, Generation, MemoryChange, MemoryId, Provenance,
    Scope, StoreScope,
};
use recall_text::DocPath;

use super::put_back::index_memories_soon;
use crate::Engine;
use crate::engine::MountedStore;
use crate::error::{IndexError, MemoryError, RemoveError, StoreError};
use crate::git::Head;
use crate::index_runs::Cancel;
use crate::indexing::freshness::Sync;
use crate::origin::{self, Origin};
use crate::store::{self, Decision, Files, Store};

/// A request to remove documents or memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoveRequest {
    /// Ids of documents or memories, or paths of files or directories below the root.
    pub items: Vec<String>,
    /// The store to remove from.
    pub scope: Scope,
    /// Whether the paths stay removed.
    pub tombstones: Tombstones,
    /// The client's provenance.
    pub provenance: Provenance,
}

/// Whether removed paths stay removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tombstones {
    /// They stay removed until they are added again.
    #[default]
    Keep,
    /// The decisions about the paths, additions and removals, are deleted. Only the rules apply, and files that they accept are
    /// indexed again.
    Purge,
}

/// What was removed for one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The item as it was given.
    pub item: String,
    /// The path that is no longer indexed.
    pub path: DocPath,
    /// The documents at the path or below it that are no longer indexed, by path.
    pub documents: Vec<DocPath>,
}

/// The result of a removal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoveReport {
    /// One entry for each item that is not a memory, in the order of the request.
    pub removals: Vec<Removal>,
    /// The memories that were deleted, in the order of the request.
    pub memories: Vec<MemoryId>,
    /// The deleted memories that another store of the client still has, with its scope.
    ///
    /// A promotion that was interrupted between its two writes leaves such a memory, and so does one whose second event is on
    /// another branch. The two cases look alike, and in the second one others may still need the memory.
    pub remaining: Vec<(MemoryId, StoreScope)>,
    /// How many documents were removed from the index.
    pub documents: u64,
    /// How many decisions about paths were deleted, in a [purge](Tombstones::Purge).
    pub forgotten: u64,
    /// The generation without them.
    pub generation: Generation,
}

/// What is removed from one store.
#[derive(Default)]
struct Target {
    removals: Vec<Removal>,
    memories: Vec<MemoryId>,
}

impl Engine {
    /// Removes documents from the index until they are added again, without touching the files. Deletes memories by an event in
    /// the journal.
    ///
    /// # Errors
    /// An item is not known, in which case nothing is removed; or the store failed.
    pub fn remove(&self, origin: &Origin, request: &RemoveRequest) -> Result<RemoveReport, RemoveError> {
        let stores = self.removal_stores(origin, request.scope)?;
        let mut targets: Vec<Target> = stores.iter().map(|_| Target::default()).collect();
        let mut report = RemoveReport::default();
        for item in &request.items {
            let (at, key) = self.find(&stores, origin, item, request.tombstones)?;
            match key {
                DocumentKey::Memory(id) => {
                    targets[at].memories.push(id);
                    report.memories.push(id);
                }
                DocumentKey::File(path) => {
                    let shown = stores[at].mount.outer_path(&path);
                    report.removals.push(Removal { item: item.clone(), path: shown, documents: Vec::new() });
                    let documents = stores[at].index.known_documents().documents_below(&path);
                    targets[at].removals.push(Removal { item: item.clone(), path, documents });
                }
            }
        }
        for (store, target) in stores.iter().zip(&targets) {
            report.forgotten += decide(&store.files, &target.removals, request.tombstones)?;
            report.remaining.extend(self.remaining(origin, store, &target.memories)?);
            self.delete_memories(store, &target.memories, &request.provenance).map_err(RemoveError::Memory)?;
        }
        for (store, target) in stores.iter().zip(targets) {
            for removal in self.apply_removals(store, target.removals)? {
                let outer: Vec<DocPath> = removal.documents.iter().map(|path| store.mount.outer_path(path)).collect();
                let of_item = |known: &&mut Removal| known.item == removal.item;
                report.removals.iter_mut().filter(of_item).for_each(|known| known.documents.clone_from(&outer));
            }
        }
        let documents: BTreeSet<&DocPath> = report.removals.iter().flat_map(|removal| &removal.documents).collect();
        report.documents = documents.len() as u64;
        report.generation = stores[0].index.known_documents().generation;
        Ok(report)
    }

    /// Returns the stores of a scope that things can be removed from, the one that it names first.
    fn removal_stores(&self, origin: &Origin, scope: Scope) -> Result<Vec<MountedStore>, RemoveError> {
        let store = self.single_store(origin, scope).map_err(|error| match error {
            IndexError::Store(error) => RemoveError::Store(error),
            _ => RemoveError::NoStore { scope },
        })?;
        match scope {
            Scope::Project | Scope::All => Ok(self.stores(origin, Scope::Project)?),
            Scope::Global | Scope::Domain => Ok(vec![MountedStore::in_scope(store)]),
        }
    }

    /// Brings a store's index up to the decisions about the removals. Returns them with the documents that are no longer indexed.
    fn apply_removals(&self, store: &Arc<Store>, mut removals: Vec<Removal>) -> Result<Vec<Removal>, StoreError> {
        if removals.is_empty() {
            return Ok(removals);
        }
        let (threads, now, cancel) = (self.settings.ingest_threads, self.clock.now(), Cancel::default());
        self.run(store, Sync { store, threads, now, cancel: &cancel, progress: &mut |_| {} })?;
        let known = store.index.known_documents();
        for removal in &mut removals {
            removal.documents.retain(|path| known.files.get(path.as_str()).is_none_or(|file| file.hash.is_none()));
        }
        Ok(removals)
    }

    /// Returns the file, directory or memory that an item names, and the index of the store that has it.
    fn find(
        &self,
        stores: &[MountedStore],
        origin: &Origin,
        item: &str,
        tombstones: Tombstones,
    ) -> Result<(usize, DocumentKey), RemoveError> {
        let not_found = || RemoveError::NotFound { item: item.to_owned() };
        if let Ok(id) = item.parse::<MemoryId>() {
            for (at, store) in stores.iter().enumerate() {
                store.ledger.refresh(self.clock.now()).map_err(RemoveError::Memory)?;
                if store.ledger.memory(id).is_some() {
                    return Ok((at, DocumentKey::Memory(id)));
                }
            }
            return Err(not_found());
        }
        let id = item.parse::<DocumentId>().or_else(|_| item.parse::<ChunkId>().map(|chunk| chunk.document));
        if let Ok(id) = id {
            for (at, store) in stores.iter().enumerate() {
                let Some(inner) = store.mount.inner_id(id, &store.index.known_documents()) else { continue };
                if let Some(stored) = store.index.read(|snapshot| snapshot.document(inner))? {
                    return Ok((at, stored.document.key()));
                }
            }
            // The index no longer has a path that was removed. Only the selection has it.
            let removed = stores[0].files.selection().decision(id).filter(|_| tombstones == Tombstones::Purge).cloned();
            return removed.map(|path| (0, DocumentKey::File(path))).ok_or_else(not_found);
        }
        // The index may still have a path that no longer exists on disk.
        let documents = Citation::readings(item).map(|reading| reading.document);
        let paths: Vec<DocPath> =
            documents.flat_map(|document| origin::paths_below(&stores[0].root, origin, document)).collect();
        if paths.is_empty() {
            DocPath::new(item).map_err(|source| RemoveError::Path { item: item.to_owned(), source })?;
        }
        let has = |store: &MountedStore, path: &DocPath| {
            let inner = store.mount.inner_path(path)?;
            let decides = || tombstones == Tombstones::Purge && store.files.selection().decides(&inner);
            (store.index.known_documents().holds(&inner) || decides()).then_some(DocumentKey::File(inner))
        };
        // The deepest store that has the path.
        let at = |path| stores.iter().enumerate().rev().find_map(|(at, store)| Some((at, has(store, path)?)));
        paths.iter().find_map(at).ok_or_else(not_found)
    }

    /// Writes the deletion of memories. The caller has checked that the store has them.
    fn delete_memories(&self, store: &Arc<Store>, ids: &[MemoryId], said: &Provenance) -> Result<(), MemoryError> {
        if ids.is_empty() {
            return Ok(());
        }
        for memory in ids.iter().filter_map(|id| store.ledger.memory(*id)) {
            store.check_author(said, &memory)?;
        }
        let now = self.clock.now();
        let provenance = store::complete_provenance(said, &Head::read_from(&store.root), store);
        let event = |&id: &MemoryId| Event {
            timestamp: store.ledger.moment_after(id, now),
            id: store.ledger.event_id(None, now),
            body: EventBody::Memory { id, change: MemoryChange::Delete { reason: None } },
            provenance: provenance.clone(),
        };
        let events: Vec<_> = ids.iter().map(event).collect();
        store.ledger.write(&events)?;
        index_memories_soon(store, &self.clock);
        Ok(())
    }

    /// Returns which memories of a store are in force in another store that the client sees.
    fn remaining(
        &self,
        origin: &Origin,
        of: &Arc<Store>,
        ids: &[MemoryId],
    ) -> Result<Vec<(MemoryId, StoreScope)>, RemoveError> {
        let mut remaining = Vec::new();
        if ids.is_empty() {
            return Ok(remaining);
        }
        let now = self.clock.now();
        for store in self.registry.stores(origin, Scope::All, &*self.clock)? {
            if Arc::ptr_eq(&store, of) {
                continue;
            }
            store.ledger.refresh_if_needed(now).map_err(RemoveError::Memory)?;
            store.ledger.load_memories(ids.iter().copied());
            let is_there = |id: &&MemoryId| {
                let known = store.ledger.memory_and_successor(**id);
                known.is_some_and(|(judged, successor)| judged.memory.promoted.is_none() && successor.is_none())
            };
            remaining.extend(ids.iter().filter(is_there).map(|id| (*id, store.scope)));
        }
        Ok(remaining)
    }
}

/// Stores that the paths are removed, or deletes the decisions about them. Returns how many were deleted.
fn decide(files: &Files, removals: &[Removal], tombstones: Tombstones) -> Result<u64, StoreError> {
    let mut forgotten = 0;
    for removal in removals {
        match tombstones {
            Tombstones::Keep => {
                files.decide(removal.path.clone(), Decision::Removed)?;
            }
            Tombstones::Purge => {
                forgotten += u64::from(files.forget_decision(&removal.path)?);
            }
        }
    }
    Ok(forgotten)
}
