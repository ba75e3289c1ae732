//! Where is a name defined, and who uses it?

use std::collections::HashMap;
use std::rc::Rc;

use recall_catalog::{ReadError, Snapshot};
use recall_core::{ChunkRow, DocumentRow, Symbol};
use recall_lexical::Searcher;

use super::meaning::{is_used_by_name, meant};
use super::stated::Stated;
use crate::error::StoreError;
use crate::store::Store;

/// The most definitions of one name that are looked at.
pub(crate) const MOST_DEFINITIONS: usize = 256;

/// A symbol and its document, by its place among the [`Paths`](super::paths::Paths).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) document: u32,
    pub(crate) symbol: Symbol,
}

/// A chunk that refers to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mention {
    pub(crate) document: u32,
    pub(crate) chunk: ChunkRow,
}

/// What was found, and whether there was more than was looked at.
#[derive(Clone, Debug)]
pub(crate) struct Bounded<T> {
    pub(crate) found: Vec<T>,
    pub(crate) is_cut: bool,
}

/// One state of a store, to ask for names.
pub(crate) struct Names<'a> {
    store: &'a Store,
    pub(crate) snapshot: &'a Snapshot<'a>,
    pub(crate) searcher: Searcher,
    pub(crate) stated: &'a Stated,
    definitions: HashMap<String, Rc<Bounded<Definition>>>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(store: &'a Store, snapshot: &'a Snapshot<'a>, stated: &'a Stated) -> Self {
        Self { store, snapshot, searcher: store.lexical.searcher(), stated, definitions: HashMap::new() }
    }

    /// The definitions of a name, with as many of its scopes as are given, in the order of paths and lines.
    pub(crate) fn definitions(&mut self, name: &str) -> Result<Rc<Bounded<Definition>>, StoreError> {
        if let Some(known) = self.definitions.get(name) {
            return Ok(Rc::clone(known));
        }
        let depth = MOST_DEFINITIONS + 1;
        let chunks = self.searcher.defining(name, depth).map_err(|source| self.store.search_failed(source))?;
        let is_cut = chunks.len() == depth;
        let written = name.replace(['.', '#'], "::");
        let is_named = |symbol: &Symbol| {
            [name, written.as_str()].into_iter().any(|name| {
                symbol.qualified == name
                    || symbol.name == name
                    || symbol.qualified.strip_suffix(name).is_some_and(|rest| rest.ends_with("::"))
            })
        };
        let mut found = Vec::new();
        for candidate in chunks.iter().take(MOST_DEFINITIONS) {
            let Some(document) = self.stated.paths.in_row(candidate.document) else { continue };
            let symbols = self.read(|snapshot| snapshot.symbols_in(candidate.document, candidate.chunk))?;
            found.extend(symbols.into_iter().filter(is_named).map(|symbol| Definition { document, symbol }));
        }
        found.sort_by(|a, b| self.order(a).cmp(&self.order(b)));
        let bounded = Rc::new(Bounded { found, is_cut });
        self.definitions.insert(name.to_owned(), Rc::clone(&bounded));
        Ok(bounded)
    }

    /// The definitions that a document may mean by a bare name.
    pub(crate) fn meant_by(&mut self, from: u32, imported: &[u32], name: &str) -> Result<Vec<Definition>, StoreError> {
        let definers = self.definers(name)?;
        let documents = meant(&self.stated.paths, from, &definers, imported);
        let definitions = self.definitions(name)?;
        let is_meant = |definition: &&Definition| {
            is_used_by_name(definition.symbol.kind) && documents.contains(&definition.document)
        };
        Ok(definitions.found.iter().filter(is_meant).cloned().collect())
    }

    /// The chunks that refer to a bare name, in the order of paths and chunks.
    ///
    /// At most so many chunks are read to see whether they do: those with the most mentions of it.
    pub(crate) fn mentions(&self, name: &str, most_chunks: usize) -> Result<Bounded<Mention>, StoreError> {
        let depth = most_chunks + 1;
        let chunks = self.searcher.mentioning(name, depth).map_err(|source| self.store.search_failed(source))?;
        let is_cut = chunks.len() == depth;
        let mut by_document: HashMap<DocumentRow, Vec<ChunkRow>> = HashMap::new();
        for candidate in chunks.iter().take(most_chunks) {
            by_document.entry(candidate.document).or_default().push(candidate.chunk);
        }
        let mut found = Vec::new();
        for (row, chunks) in by_document {
            let Some(document) = self.stated.paths.in_row(row) else { continue };
            let chunks = self.read(|snapshot| snapshot.naming(row, name, &chunks))?;
            found.extend(chunks.into_iter().map(|chunk| Mention { document, chunk }));
        }
        found.sort_by(|a, b| self.path(a.document).cmp(self.path(b.document)).then_with(|| a.cmp(b)));
        Ok(Bounded { found, is_cut })
    }

    /// The documents that define a bare name in a way that code uses, ascending.
    pub(crate) fn definers(&mut self, name: &str) -> Result<Vec<u32>, StoreError> {
        let definitions = self.definitions(name)?;
        let usable = definitions.found.iter().filter(|definition| is_used_by_name(definition.symbol.kind));
        let mut definers: Vec<u32> = usable.map(|definition| definition.document).collect();
        definers.sort_unstable();
        definers.dedup();
        Ok(definers)
    }

    pub(crate) fn path(&self, document: u32) -> &str {
        self.stated.paths.place(document).path.as_str()
    }

    pub(crate) fn row(&self, document: u32) -> DocumentRow {
        self.stated.paths.place(document).row
    }

    pub(crate) fn read<T>(&self, reader: impl FnOnce(&Snapshot<'_>) -> Result<T, ReadError>) -> Result<T, StoreError> {
        reader(self.snapshot).map_err(|source| self.store.read_failed(source))
    }

    pub(crate) fn search_failed(&self, source: recall_lexical::SearchError) -> StoreError {
        self.store.search_failed(source)
    }

    fn order<'d>(&'d self, definition: &'d Definition) -> (&'d str, u32, &'d str) {
        (self.path(definition.document), definition.symbol.span.bytes.start, &definition.symbol.qualified)
    }
}
