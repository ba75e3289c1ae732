//! Start nodes of a graph query.

use recall_catalog::Snapshot;
use recall_core::{ChunkId, DocPath, DocumentId, folded, path_spellings, understand};

use super::definitions::{Definition, NameResolver};
use crate::Engine;
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::graph::name::Name;
use crate::origin::Origin;
use crate::written;

/// The most definitions of one name that a query starts at.
pub(crate) const MOST_STARTS: usize = 16;

/// The most suggestions for an unknown name.
const MOST_NEAR: usize = 5;

/// A start node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    Document(u32),
    Symbol(Definition),
}

/// The start nodes; empty if the store does not know the name.
pub(crate) struct Starts {
    pub(crate) starts: Vec<Start>,
    /// The number of all definitions of the name, which may exceed the number of starts.
    pub(crate) definitions: usize,
}

/// Whether a path is inside the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathLocation {
    Outside,
    Inside,
}

impl Engine {
    /// Classifies a text: outside if it can only be a path, and that path leaves the project's root.
    pub(crate) fn place_of(&self, origin: &Origin, text: &str) -> PathLocation {
        let is_path = |text: &str| text.starts_with('/') || text.split('/').any(|part| part == "..");
        let is_inside = || {
            let root = origin.root(&self.registry.places).ok()?;
            written::paths_below(&root, origin, text).into_iter().next()
        };
        let is_path = path_spellings(text).iter().any(|spelling| is_path(spelling));
        if is_path && is_inside().is_none() { PathLocation::Outside } else { PathLocation::Inside }
    }
}

/// Resolves a name in a store: an id or a path by its form, otherwise a symbol.
pub(crate) fn starts(names: &mut NameResolver<'_>, name: Option<&Name>, text: &str) -> Result<Starts, StoreError> {
    let document = |document: Option<u32>| document.map(|document| vec![Start::Document(document)]);
    let found = match name {
        Some(Name::Document(id)) => document(by_id(names, *id)?),
        Some(Name::Chunk(id)) => by_chunk(names, *id)?,
        Some(Name::Paths(paths)) => document(by_path(names, paths)),
        None => None,
    };
    if let Some(starts) = found {
        return Ok(Starts { definitions: starts.len(), starts });
    }
    let (found, definitions) = names.definitions(text, MOST_STARTS)?;
    Ok(Starts { starts: found.into_iter().map(Start::Symbol).collect(), definitions })
}

pub(crate) fn by_id(names: &NameResolver<'_>, id: DocumentId) -> Result<Option<u32>, StoreError> {
    let stored = names.read(|snapshot| snapshot.document(id))?;
    Ok(stored.and_then(|stored| names.stated.paths.in_row(stored.row)))
}

pub(crate) fn by_path(names: &NameResolver<'_>, paths: &[DocPath]) -> Option<u32> {
    let at = |path: &DocPath| names.stated.paths.at(path.as_str());
    paths.iter().find_map(at).or_else(|| names.unmasked(paths).as_ref().and_then(at))
}

/// Returns the definitions in a chunk, or its document if it has none.
fn by_chunk(names: &NameResolver<'_>, id: ChunkId) -> Result<Option<Vec<Start>>, StoreError> {
    let stored = |snapshot: &Snapshot<'_>| snapshot.chunk(id);
    let Some(chunk) = names.read(stored)? else { return Ok(None) };
    let row = chunk.document.row;
    let Some(document) = names.stated.paths.in_row(row) else { return Ok(None) };
    let symbols = names.read(|snapshot| snapshot.symbols_in(row, chunk.row))?;
    let mut starts: Vec<Start> =
        symbols.into_iter().take(MOST_STARTS).map(|symbol| Start::Symbol(Definition { document, symbol })).collect();
    if starts.is_empty() {
        starts.push(Start::Document(document));
    }
    Ok(Some(starts))
}

/// Returns suggestions for an unknown name: paths with that end, then definitions with similar names.
pub(crate) fn near(store: &MountedStore, snapshot: &Snapshot<'_>, text: &str) -> Result<Vec<String>, StoreError> {
    let searcher = store.lexical.searcher();
    let understood = understand(text);
    let filters = &understood.filters;
    let paths = searcher.paths(&understood, filters, MOST_NEAR).map_err(|source| store.search_failed(source))?;
    let symbols = searcher.symbols(&understood, filters, MOST_NEAR).map_err(|source| store.search_failed(source))?;
    let read_failed = |source| store.read_failed(source);
    let mut near = Vec::new();
    if text.contains(['/', '.']) {
        for candidate in &paths {
            let document = snapshot.document_in(candidate.document).map_err(read_failed)?;
            near.extend(document.map(|document| store.mount.outer(document.document.path.as_str())));
        }
    }
    let asked = folded(text);
    let last = asked.rsplit([':', '.', '#']).next().unwrap_or(&asked);
    for candidate in symbols {
        let symbols = snapshot.symbols_in(candidate.document, candidate.chunk).map_err(read_failed)?;
        let alike = symbols.into_iter().filter(|symbol| {
            let name = folded(&symbol.name);
            name.contains(last) || last.contains(&*name)
        });
        near.extend(alike.map(|symbol| symbol.qualified));
    }
    let mut seen = std::collections::HashSet::new();
    near.retain(|name| seen.insert(name.clone()));
    near.truncate(MOST_NEAR);
    Ok(near)
}
