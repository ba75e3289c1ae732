//! Parsing of a name, that is a document id, a chunk id or a path, and the start nodes of a graph query.

use std::collections::BTreeSet;

use recall_core::{ChunkId, DocumentId, Symbol, understand};
use recall_index::catalog::Snapshot;
use recall_text::{DocPath, fold_case, path_spellings};

use super::definitions::{Definition, NameResolver};
use crate::Engine;
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::origin::{self, Origin};

/// The most definitions of one name that a query starts at.
pub(crate) const MOST_STARTS: usize = 16;

/// The most suggestions for an unknown name.
const MOST_NEAR: usize = 5;

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
            origin::paths_below(&root, origin, text).into_iter().next()
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
    paths.iter().find_map(at).or_else(|| names.unmask(paths).as_ref().and_then(at))
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

/// The most chunks that are looked through for the definition of a scope.
const MOST_SCOPES: usize = 16;

/// Returns suggestions for an unknown name: similar names in the scope that it has, similar definitions, paths with that end, then
/// definitions that share a part of the name. Names are written with the separator of the request.
pub(crate) fn near(store: &MountedStore, snapshot: &Snapshot<'_>, text: &str) -> Result<Vec<String>, StoreError> {
    let searcher = store.index.searcher();
    let read_failed = |source| store.index.read_error(source);
    let search_failed = |source| store.index.search_error(source);
    let written = text.replace(['.', '#', '/'], "::");
    let (scope, last) = written.rsplit_once("::").map_or((None, written.as_str()), |(scope, last)| (Some(scope), last));
    let mut near = match scope.filter(|scope| !scope.is_empty()) {
        Some(scope) => near_in_scope(store, snapshot, scope, last)?,
        None => Vec::new(),
    };
    let mut alike: Vec<String> = Vec::new();
    let asked = fold_case(last);
    // A misspelt name behind a scope is looked up without it.
    let queries = if scope.is_some() { &[text, last][..] } else { &[text] };
    for query in queries {
        let understood = understand(query);
        for candidate in searcher.symbols(&understood, &understood.filters, MOST_NEAR).map_err(search_failed)? {
            let symbols = snapshot.symbols_in(candidate.document, candidate.chunk).map_err(read_failed)?;
            let is_alike = |symbol: &Symbol| {
                let name = fold_case(&symbol.name);
                name.contains(&*asked) || asked.contains(&*name) || !recall_text::near(&asked, [&*name]).is_empty()
            };
            alike.extend(symbols.into_iter().filter(is_alike).map(|symbol| symbol.qualified));
        }
    }
    near.extend(recall_text::near(&written, alike.iter().map(String::as_str)).into_iter().map(str::to_owned));
    if text.contains(['/', '.']) {
        let understood = understand(text);
        for candidate in searcher.paths(&understood, &understood.filters, MOST_NEAR).map_err(search_failed)? {
            let document = snapshot.document_in(candidate.document).map_err(read_failed)?;
            near.extend(document.map(|document| store.mount.outer(document.document.path.as_str())));
        }
    }
    near.extend(alike);
    if !text.contains("::") && text.contains('.') {
        for name in &mut near {
            *name = name.replace("::", ".");
        }
    }
    let mut seen = std::collections::HashSet::new();
    near.retain(|name| seen.insert(name.clone()));
    near.truncate(MOST_NEAR);
    Ok(near)
}

/// Returns the names in a scope that are similar to one, nearest first. Empty if nothing has the name of the scope.
fn near_in_scope(
    store: &MountedStore,
    snapshot: &Snapshot<'_>,
    scope: &str,
    name: &str,
) -> Result<Vec<String>, StoreError> {
    let searcher = store.index.searcher();
    let defining = searcher.defining(scope, MOST_SCOPES).map_err(|source| store.index.search_error(source))?;
    let documents: BTreeSet<_> = defining.into_iter().map(|candidate| candidate.document).collect();
    let mut members: Vec<Symbol> = Vec::new();
    for document in documents {
        let symbols = snapshot.symbols_of(document).map_err(|source| store.index.read_error(source))?;
        members.extend(symbols.into_iter().filter(|symbol| {
            let outer = symbol.qualified.rsplit_once("::").map(|(outer, _)| outer);
            outer.is_some_and(|outer| {
                outer == scope || outer.strip_suffix(scope).is_some_and(|rest| rest.ends_with("::"))
            })
        }));
    }
    let similar = recall_text::near(name, members.iter().map(|symbol| symbol.name.as_str()));
    let qualified =
        |name: &str| members.iter().find(|symbol| symbol.name == name).map(|symbol| symbol.qualified.clone());
    Ok(similar.into_iter().filter_map(qualified).collect())
}

pub(crate) enum Name {
    Document(DocumentId),
    Chunk(ChunkId),
    /// The paths that it may be, the likeliest first.
    Paths(Vec<DocPath>),
}

impl Name {
    /// Returns the name as a store has it; `None` if it cannot name anything there.
    pub(crate) fn in_store(&self, of: &MountedStore) -> Option<Self> {
        match self {
            Self::Document(id) => of.mount.inner_id(*id, &of.index.known_documents()).map(Self::Document),
            Self::Chunk(id) => {
                let document = of.mount.inner_id(id.document, &of.index.known_documents())?;
                Some(Self::Chunk(ChunkId { document, ..*id }))
            }
            Self::Paths(paths) => {
                let inner: Vec<DocPath> = paths.iter().filter_map(|path| of.mount.inner_path(path)).collect();
                (!inner.is_empty()).then_some(Self::Paths(inner))
            }
        }
    }
}

impl Engine {
    /// Parses a name: an id by its form, otherwise a path.
    pub(crate) fn name(&self, origin: &Origin, text: &str) -> Option<Name> {
        if let Ok(id) = text.parse() {
            return Some(Name::Document(id));
        }
        if let Ok(id) = text.parse() {
            return Some(Name::Chunk(id));
        }
        let root = origin.root(&self.registry.places).ok()?;
        let paths = origin::paths_below(&root, origin, text);
        (!paths.is_empty()).then_some(Name::Paths(paths))
    }
}
