//! Take something out of the index.

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

/// Asks for documents to be taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoveRequest {
    /// Ids of documents or memories, or paths of files or directories below the root.
    pub items: Vec<String>,
    /// Out of which store.
    pub scope: Scope,
    /// Whether the paths stay out.
    pub tombstones: Tombstones,
    /// Who asks, and where.
    pub provenance: Provenance,
}

/// Whether what is taken out stays out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tombstones {
    /// It stays out until it is added again.
    #[default]
    Keep,
    /// What was decided about the paths is forgotten, that they were taken out or added: the rules alone decide, and files
    /// that they let through are found anew.
    Purge,
}

/// What was taken out for one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The item as it was given.
    pub item: String,
    /// The path that is no longer indexed.
    pub path: DocPath,
    /// The documents at the path or below it that are no longer indexed, by path.
    pub documents: Vec<DocPath>,
}

/// What was taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoveReport {
    /// One entry an item that is no memory, in the order of the request.
    pub removals: Vec<Removal>,
    /// The memories that were deleted, in the order of the request.
    pub memories: Vec<MemoryId>,
    /// Those of them that another store that the client sees holds as well, with its scope: they are still found there.
    ///
    /// A promotion that broke off between its two writes leaves such a memory, and so does one whose second line lies on
    /// another branch. Which of them it was is not to be told, and of the second others may depend on what is there.
    pub remaining: Vec<(MemoryId, StoreScope)>,
    /// How many documents are gone from the index.
    pub documents: u64,
    /// The generation without them.
    pub generation: Generation,
}

impl Engine {
    /// Takes documents out of the index, and keeps them out until they are added again. The files stay as they are. Memories
    /// are deleted, which is written into the journal.
    ///
    /// # Errors
    /// An item is not known, in which case nothing is taken out; or the store failed.
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

    /// Which memories of a store are in force in another one that the client sees.
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

/// The path of the document or directory that an item names.
fn find(store: &Store, origin: &Origin, item: &str, tombstones: Tombstones) -> Result<DocPath, RemoveError> {
    let not_found = || RemoveError::NotFound { item: item.to_owned() };
    let id = item.parse::<DocumentId>().or_else(|_| item.parse::<ChunkId>().map(|chunk| chunk.document));
    if let Ok(id) = id {
        let stored = store.read(|snapshot| snapshot.document(id))?.ok_or_else(not_found)?;
        return Ok(stored.document.path);
    }
    let absolute = origin.absolute(item.as_ref());
    // A path that is gone from the disk may still be known.
    let path = recall_watch::root::resolve_inside(&store.root, &absolute)
        .or_else(|_| DocPath::new(item.trim_end_matches('/')))
        .map_err(|source| RemoveError::Path { item: item.to_owned(), source })?;
    let is_known =
        store.known().holds(&path) || (tombstones == Tombstones::Purge && store.selection.lock().decides(&path));
    if is_known { Ok(path) } else { Err(not_found()) }
}
