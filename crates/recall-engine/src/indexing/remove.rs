//! The remove use case: documents out of the index, and memories out of the store.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use recall_core::{ChunkId, DocPath, DocumentId, Generation, MemoryId, Provenance, Scope, StoreScope};

use crate::Engine;
use crate::error::{IndexError, RemoveError, StoreError};
use crate::indexing::freshness::Sync;
use crate::origin::Origin;
use crate::progress::Cancel;
use crate::store::{Decision, Store};

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
    /// The generation without them.
    pub generation: Generation,
}

impl Engine {
    /// Removes documents from the index until they are added again, without touching the files. Deletes memories by an event in
    /// the journal.
    ///
    /// # Errors
    /// An item is not known, in which case nothing is removed; or the store failed.
    pub fn remove(&self, origin: &Origin, request: &RemoveRequest) -> Result<RemoveReport, RemoveError> {
        let store = self.single_store(origin, request.scope).map_err(|error| match error {
            IndexError::Store(error) => RemoveError::Store(error),
            _ => RemoveError::NoStore { scope: request.scope },
        })?;
        let mut removals = Vec::with_capacity(request.items.len());
        let mut memories = Vec::new();
        for item in &request.items {
            if let Ok(id) = item.parse::<MemoryId>() {
                store.ledger.look(self.clock.now(), Duration::ZERO).map_err(RemoveError::Memory)?;
                store.ledger.memory(id).ok_or_else(|| RemoveError::NotFound { item: item.clone() })?;
                memories.push(id);
                continue;
            }
            let path = find(&store, origin, item, request.tombstones)?;
            let documents = store.known().documents_below(&path);
            removals.push(Removal { item: item.clone(), path, documents });
        }
        {
            let mut selection = store.selection.lock();
            for removal in &removals {
                let decided = match request.tombstones {
                    Tombstones::Keep => selection.decide(removal.path.clone(), Decision::Removed),
                    Tombstones::Purge => selection.forget(&removal.path),
                };
                decided.map_err(StoreError::Selection)?;
            }
        }
        let remaining = self.remaining(origin, &store, &memories)?;
        self.delete_memories(&store, &memories, &request.provenance).map_err(RemoveError::Memory)?;
        if removals.is_empty() {
            let generation = store.known().generation;
            return Ok(RemoveReport { removals, memories, remaining, documents: 0, generation });
        }
        let cancel = Cancel::default();
        let job = Sync {
            store: &store,
            threads: self.settings.ingest_threads,
            now: self.clock.now(),
            cancel: &cancel,
            progress: &mut |_| {},
        };
        self.run(&store, job)?;
        let known = store.known();
        for removal in &mut removals {
            removal.documents.retain(|path| known.files.get(path.as_str()).is_none_or(|file| file.hash.is_none()));
        }
        let documents = removals.iter().flat_map(|removal| &removal.documents).collect::<BTreeSet<_>>().len() as u64;
        Ok(RemoveReport { removals, memories, remaining, documents, generation: known.generation })
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
            store.ledger.look_or_glance(now).map_err(RemoveError::Memory)?;
            store.ledger.glance(ids.iter().copied());
            let is_there = |id: &&MemoryId| {
                let known = store.ledger.memory_and_successor(**id);
                known.is_some_and(|(judged, successor)| judged.memory.promoted.is_none() && successor.is_none())
            };
            remaining.extend(ids.iter().filter(is_there).map(|id| (*id, store.scope)));
        }
        Ok(remaining)
    }
}

/// Returns the path of the document or directory that an item names.
fn find(store: &Store, origin: &Origin, item: &str, tombstones: Tombstones) -> Result<DocPath, RemoveError> {
    let not_found = || RemoveError::NotFound { item: item.to_owned() };
    let id = item.parse::<DocumentId>().or_else(|_| item.parse::<ChunkId>().map(|chunk| chunk.document));
    if let Ok(id) = id {
        let stored = store.read(|snapshot| snapshot.document(id))?.ok_or_else(not_found)?;
        return Ok(stored.document.path);
    }
    let absolute = origin.absolute(item.as_ref());
    // The index may still have a path that no longer exists on disk.

    let path = recall_watch::root::resolve_inside(&store.root, &absolute)
        .or_else(|_| DocPath::new(item.trim_end_matches('/')))
        .map_err(|source| RemoveError::Path { item: item.to_owned(), source })?;
    let is_known =
        store.known().holds(&path) || (tombstones == Tombstones::Purge && store.selection.lock().decides(&path));
    if is_known { Ok(path) } else { Err(not_found()) }
}
