//! Lookup of a document, a chunk or a memory by its id or path.

use std::path::Path;
use std::sync::Arc;

use recall_core::{
    Chunk, ChunkId, Citation, Document, Lines, MemoryId, MemoryView, Scope, StoreScope, Symbol, Timestamp,
};
use recall_index::catalog::{Snapshot, StoredChunk, StoredDocument};
use recall_text::normalize_text;

use super::named_by_end::NamedByEnd;
use crate::error::GetError;
use crate::graph::start::Name;
use crate::indexing::{LeftOutFile, explain_left_out, freshen};
use crate::mask::{self, Masked, Whole};
use crate::memory::{Anchored, bring_up_anchors, recall_memory};
use crate::mount::Mount;
use crate::origin::{self, Origin};
use crate::store::Store;
use crate::warning::{Coverage, Warning};
use crate::{Engine, ledger};

/// A request for a document, a chunk or a memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemRequest {
    /// A document's id, a chunk's id, a memory's id, or a document's path in any form (`src/lib.rs`), each with cited lines
    /// (`src/lib.rs:10-20`) or without. What is published has its path as its id, and a chunk of it `path#number`.
    pub id: String,
    /// Whether a chunk comes with its document's whole text.
    pub parent: Parent,
    /// The stores to search, the project's first.
    pub scope: Scope,
}

/// Whether a chunk comes with its document's whole text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parent {
    /// The chunk's own text alone.
    #[default]
    Leave,
    /// The document's text as well.
    Include,
}

/// A document or a chunk with its whole text.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The store's scope.
    pub scope: StoreScope,
    /// The document, with the path that the client sees.
    pub document: Document,
    /// When its path was first indexed, or the memory was added; `None` if that is not known, as in a shared store.
    pub created: Option<Timestamp>,
    /// The chunk, if one was requested.
    pub chunk: Option<(ChunkId, Chunk)>,
    /// The text of the requested document or chunk.
    pub text: String,
    /// The document's text, if a chunk was requested with its parent.
    pub parent_text: Option<String>,
    /// The definitions in the document.
    pub symbols: Vec<Symbol>,
    /// The memory and its validity; `None` for a file.
    pub memory: Option<Box<MemoryView>>,
    /// The state of the store as this answer saw it.
    pub coverage: Coverage,
    /// Conditions that affect the answer.
    pub warnings: Vec<Warning>,
}

/// An item with what its name in a request cites of it.
#[derive(Clone, Debug, PartialEq)]
pub struct CitedItem {
    /// The item, with all of its text.
    pub item: Item,
    /// The lines that the citation names; `None` if it names the whole item.
    pub lines: Option<Lines>,
    /// The first digits of the hash of the item's text when it was cited.
    pub hash: Option<String>,
}

impl Item {
    /// Gives the item the paths and ids that the client sees.
    fn show(&mut self, mount: &Mount) {
        match &mut self.chunk {
            Some((id, _)) => mount.show_chunk(&mut self.document, id),
            None => mount.show(&mut self.document),
        }
        if let Some(memory) = &mut self.memory {
            mount.show_memory(memory);
        }
    }

    /// Masks secrets, and warns if there are some. `whole` as for [`mask`](Self::mask).
    fn note_masked(&mut self, whole: Option<&Whole>) {
        if self.mask(whole) == Masked::Yes {
            let path = self.document.path.as_str().to_owned();
            self.warnings.push(Warning::SecretsMasked { path });
        }
    }

    /// Masks secrets in every field that comes from the file. `whole` is the file's text if the item is a part that needs it.
    fn mask(&mut self, whole: Option<&Whole>) -> Masked {
        let texts = match (&self.chunk, whole) {
            (Some((_, chunk)), Some(whole)) => {
                let at = chunk.span.bytes.start as usize..chunk.span.bytes.end as usize;
                let parent = self.parent_text.as_mut().map_or(Masked::No, |text| whole.mask_part(text, 0..text.len()));
                whole.mask_part(&mut self.text, at).or(parent).or(whole.mask_label(&mut self.document.title))
            }
            (Some(_), None) => mask::text(&mut self.text).or(mask::some_text(&mut self.parent_text)),
            (None, _) => {
                let whole = Whole::new(&self.document.path, self.text.clone());
                let all = 0..self.text.len();
                whole.mask_part(&mut self.text, all).or(whole.mask_label(&mut self.document.title))
            }
        };
        let chunk = self.chunk.as_mut().map_or(Masked::No, |(_, chunk)| {
            mask::some_text(&mut chunk.symbol).or(mask::some_text(&mut chunk.signature))
        });
        let symbols = Masked::all(self.symbols.iter_mut().map(mask::symbol));
        texts.or(mask::document(&mut self.document)).or(chunk).or(symbols)
    }
}

impl Engine {
    /// Returns a document, a chunk or a memory. The project's store is searched first, then those of domains, then the global
    /// one, then the shared stores. Of a shared store, a document is found by its path, and a chunk by that and its number.
    ///
    /// # Errors
    /// The id or path is unknown, a store cannot be opened or read, or a shared store does not answer.
    pub fn get(&self, origin: &Origin, request: &ItemRequest) -> Result<Item, GetError> {
        Ok(self.get_cited(origin, request)?.item)
    }

    /// Returns an item with the lines and the hash that its name in the request cites.
    ///
    /// # Errors
    /// See [`Engine::get`].
    pub fn get_cited(&self, origin: &Origin, request: &ItemRequest) -> Result<CitedItem, GetError> {
        if let Some(item) = self.get_turn(origin, request)? {
            return Ok(CitedItem { item, lines: None, hash: None });
        }
        let read = |Citation { document, lines, hash }: Citation<'_>| {
            let mut item = self.named_item(origin, &ItemRequest { id: document.to_owned(), ..*request })?;
            item.warnings.extend(self.past_warning(origin));
            Ok(CitedItem { item, lines, hash: hash.map(ToOwned::to_owned) })
        };
        let missing = |found: &Result<_, GetError>| matches!(found, Err(GetError::NotFound { .. }));
        let mut found = Citation::readings(request.id.trim()).map(read).filter(|found| !missing(found));
        if let Some(found) = found.next() {
            return found;
        }
        let Some(NamedByEnd { citation, warning }) = self.named_by_end(origin, request.scope, &request.id)? else {
            return Err(self.explain_missing(origin, request.scope, &request.id));
        };
        let mut cited = self.get_cited(origin, &ItemRequest { id: citation, ..*request })?;
        cited.item.warnings.push(warning);
        Ok(cited)
    }

    /// Returns the error for a text that names no item: it names a folder, something outside of the project, or nothing.
    ///
    /// Whether something exists outside of the project is not looked up: an answer about it would say more than a client may know.
    pub(crate) fn explain_missing(&self, origin: &Origin, scope: Scope, text: &str) -> GetError {
        let not_found = || GetError::NotFound { id: text.to_owned(), near: self.near_paths(origin, scope, text) };
        let Ok(root) = origin.root(&self.registry.places) else { return not_found() };
        let path = text.trim();
        let in_root =
            |path: &Path| dunce::canonicalize(path).is_ok_and(|path| path.starts_with(&root) && path.is_dir());
        if origin::absolute_paths(&root, origin, path).iter().any(|path| in_root(path)) {
            return GetError::Folder { path: path.to_owned() };
        }
        let leads_out = Path::new(path).is_absolute() || Path::new(path).starts_with("..");
        if leads_out && origin::paths_below(&root, origin, path).is_empty() {
            return GetError::Outside { path: path.to_owned(), root };
        }
        not_found()
    }

    /// Returns the warning that an answer is about the past, if the request is.
    fn past_warning(&self, origin: &Origin) -> Option<Warning> {
        let is_past = origin.is_past(&self.registry.places);
        is_past.then(|| self.registry.project(origin, &*self.clock).ok()?.past_warning())?
    }

    /// Returns the turn of a transcript that a request cites.
    fn get_turn(&self, origin: &Origin, request: &ItemRequest) -> Result<Option<Item>, GetError> {
        if !request.id.trim_start().starts_with("transcript:") {
            return Ok(None);
        }
        let store = self.memory_store(origin, Scope::Project)?;
        let turn = self.cited_turn(&store, &request.id);
        Ok(turn.map(|(document, text)| Item {
            scope: store.scope,
            document,
            created: None,
            chunk: None,
            text,
            parent_text: None,
            symbols: Vec::new(),
            memory: None,
            coverage: store.coverage(),
            warnings: Vec::new(),
        }))
    }

    /// Returns the item with an id or at a path.
    fn named_item(&self, origin: &Origin, request: &ItemRequest) -> Result<Item, GetError> {
        let not_found = || GetError::NotFound { id: request.id.clone(), near: Vec::new() };
        if let Ok(id) = normalize_text(&request.id).parse::<MemoryId>() {
            return self.get_memory(origin, request.scope, id)?.ok_or_else(not_found);
        }
        let name = self.name(origin, &request.id).ok_or_else(not_found)?;
        for store in self.fresh_stores(origin, request.scope)?.stores {
            let Some(name) = name.in_store(&store) else { continue };
            if let Some(mut item) = read_item(&store, &name, request.parent)? {
                if let Some(id) = item.document.memory {
                    item.memory = recall_memory(&store, id, self.clock.now())?.map(Box::new);
                }
                let whole = whole_of(&store, &item)?;
                item.show(&store.mount);
                item.note_masked(whole.as_ref());
                return Ok(item);
            }
        }
        let Some(mut item) = self.get_published(origin, request)? else {
            return Err(self.explain_left_out(origin, request.scope, &name)?.unwrap_or_else(not_found));
        };
        // Secrets were masked when it was published, perhaps by an earlier version that knew fewer of them.
        item.note_masked(None);
        Ok(item)
    }

    /// Returns why the file with that name is not indexed, as an error; `None` if there is no such file.
    fn explain_left_out(&self, origin: &Origin, scope: Scope, name: &Name) -> Result<Option<GetError>, GetError> {
        for store in self.stores(origin, scope)? {
            let Some(Name::Paths(paths)) = name.in_store(&store) else { continue };
            for path in &paths {
                if let Some(LeftOutFile { path: _, reason }) = explain_left_out(&store, path)? {
                    let path = mask::shown_path(store.mount.outer_path(path).as_str().to_owned());
                    return Ok(Some(GetError::LeftOut { path, reason: mask::shown_path(reason) }));
                }
            }
        }
        Ok(None)
    }

    /// Returns a memory, even a retired one. If several stores hold it, the copy that was not promoted away is returned. Indexes
    /// only files that it is about.
    fn get_memory(&self, origin: &Origin, scope: Scope, id: MemoryId) -> Result<Option<Item>, GetError> {
        let now = self.clock.now();
        let mut found = None;
        for store in self.stores(origin, scope)? {
            store.ledger.refresh(now)?;
            let anchors = store.ledger.memory(id).map(|memory| memory.anchors).unwrap_or_default();
            if Anchored::new(&store).is_any_gone(&anchors) {
                // They may have been moved.
                freshen(&store, &self.settings, &self.clock)?;
            }
            bring_up_anchors(&store, &[id], now)?;
            let Some(recalled) = recall_memory(&store, id, now)? else { continue };
            let is_moved = recalled.memory.promoted.is_some();
            let mut item = memory_item(&store, recalled);
            item.show(&store.mount);
            if !is_moved {
                return Ok(Some(item));
            }
            found = found.or(Some(item));
        }
        Ok(found)
    }
}

fn memory_item(store: &Store, recalled: MemoryView) -> Item {
    Item {
        scope: store.scope,
        document: ledger::document_of(&recalled.memory),
        created: Some(recalled.memory.created),
        chunk: None,
        text: ledger::text_of(&recalled.memory).to_owned(),
        parent_text: None,
        symbols: Vec::new(),
        memory: Some(Box::new(recalled)),
        coverage: store.coverage(),
        warnings: Vec::new(),
    }
}

fn read_item(store: &Arc<Store>, name: &Name, parent: Parent) -> Result<Option<Item>, GetError> {
    let item = store.index.read(|snapshot| match name {
        Name::Document(id) => document_item(store, snapshot, snapshot.document(*id)?),
        Name::Paths(paths) => {
            for path in paths {
                if let Some(stored) = snapshot.document_at(path)? {
                    return document_item(store, snapshot, Some(stored));
                }
            }
            // A path copied from an answer may contain a mask.
            match store.index.known_documents().unmask(paths) {
                Some(path) => document_item(store, snapshot, snapshot.document_at(&path)?),
                None => Ok(None),
            }
        }
        Name::Chunk(id) => chunk_item(store, snapshot, snapshot.chunk(*id)?, parent),
    })?;
    Ok(item)
}

/// Returns the file's whole text if the requested part cannot be masked without it.
fn whole_of(store: &Store, item: &Item) -> Result<Option<Whole>, GetError> {
    if item.chunk.is_none() || !mask::depends_on_whole(&item.document.path, &item.text) {
        return Ok(None);
    }
    if let Some(text) = &item.parent_text {
        return Ok(Some(Whole::new(&item.document.path, text.clone())));
    }
    Ok(store.index.whole_text(&item.document)?)
}

fn document_item(
    store: &Store,
    snapshot: &Snapshot<'_>,
    stored: Option<StoredDocument>,
) -> Result<Option<Item>, recall_index::catalog::ReadError> {
    let Some(stored) = stored else { return Ok(None) };
    Ok(Some(Item {
        scope: store.scope,
        text: snapshot.text(stored.row)?.unwrap_or_default(),
        symbols: snapshot.symbols_of(stored.row)?,
        created: Some(stored.created),
        document: stored.document,
        chunk: None,
        parent_text: None,
        memory: None,
        coverage: store.coverage(),
        warnings: Vec::new(),
    }))
}

fn chunk_item(
    store: &Store,
    snapshot: &Snapshot<'_>,
    stored: Option<StoredChunk>,
    parent: Parent,
) -> Result<Option<Item>, recall_index::catalog::ReadError> {
    let Some(stored) = stored else { return Ok(None) };
    let row = stored.document.row;
    let parent_text = match parent {
        Parent::Leave => None,
        Parent::Include => snapshot.text(row)?,
    };
    let mut symbols = snapshot.symbols_of(row)?;
    symbols.retain(|symbol| symbol.chunk == stored.chunk.ordinal);
    Ok(Some(Item {
        scope: store.scope,
        created: Some(stored.document.created),
        document: stored.document.document,
        chunk: Some((stored.id, stored.chunk)),
        text: stored.text,
        parent_text,
        symbols,
        memory: None,
        coverage: store.coverage(),
        warnings: Vec::new(),
    }))
}
