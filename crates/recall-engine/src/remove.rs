//! Take something out of the index.

use recall_core::{ChunkId, DocPath, DocumentId, Generation, Scope};

use crate::Engine;
use crate::error::{IndexError, RemoveError, StoreError};
use crate::freshness::Sync;
use crate::origin::Origin;
use crate::progress::Cancel;
use crate::selection::Decision;
use crate::store::Store;

/// Asks for documents to be taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoveRequest {
    /// Ids of documents, or paths of files or directories below the root.
    pub items: Vec<String>,
    /// Out of which store.
    pub scope: Scope,
}

/// What was taken out for one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removal {
    /// The item as it was given.
    pub item: String,
    /// The path that is no longer indexed.
    pub path: DocPath,
    /// The documents that were indexed at the path or below it, by path.
    pub documents: Vec<DocPath>,
}

/// What was taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoveReport {
    /// One entry an item, in the order of the request.
    pub removals: Vec<Removal>,
    /// How many documents are gone from the index.
    pub documents: u64,
    /// The generation without them.
    pub generation: Generation,
}

impl Engine {
    /// Takes documents out of the index, and keeps them out until they are added again. The files stay as they are.
    ///
    /// # Errors
    /// An item is not known, in which case nothing is taken out; or the store failed.
    pub fn remove(&self, origin: &Origin, request: &RemoveRequest) -> Result<RemoveReport, RemoveError> {
        let store = self.single_store(origin, request.scope).map_err(|error| match error {
            IndexError::Store(error) => RemoveError::Store(error),
            _ => RemoveError::NoStore { scope: request.scope },
        })?;
        let mut removals = Vec::with_capacity(request.items.len());
        for item in &request.items {
            let path = find(&store, origin, item)?;
            let documents = store.known().documents_below(&path);
            removals.push(Removal { item: item.clone(), path, documents });
        }
        {
            let mut selection = store.selection.lock();
            for removal in &removals {
                selection
                    .decide(removal.path.clone(), Decision::Removed)
                    .map_err(|source| StoreError::Selection { path: store.folder.path.clone(), source })?;
            }
        }
        let cancel = Cancel::default();
        let job = Sync {
            store: &store,
            threads: self.settings.ingest_threads,
            now: self.clock.now(),
            cancel: &cancel,
            progress: &mut |_| {},
        };
        let documents = self.run(&store, job)?.outcome.removed;
        Ok(RemoveReport { removals, documents, generation: store.known().generation })
    }
}

/// The path of the document or directory that an item names.
fn find(store: &Store, origin: &Origin, item: &str) -> Result<DocPath, RemoveError> {
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
    if store.known().holds(&path) { Ok(path) } else { Err(not_found()) }
}
