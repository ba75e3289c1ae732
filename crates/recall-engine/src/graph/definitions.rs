//! Definitions and uses of a name, and the reads of documents, which are cached during one query.
//!
//! Neither is stored as an edge: which definition a name means depends on the definitions of all documents, so one changed file could
//! change edges anywhere. Both are looked up in the lexical index and decided by `links::meaning`. A resolver belongs to one query on
//! one snapshot, so its caches need no invalidation.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use recall_core::{ByteSpan, Candidate, ChunkRow, Document, DocumentRow, Edge, EdgeKind, Symbol};
use recall_index::catalog::{ReadError, Snapshot};
use recall_index::lexical::Searcher;
use recall_text::DocPath;

use crate::error::StoreError;
use crate::links::meaning::{Imported, Stated, is_used_by_name, meant, meant_behind, meant_by_import};
use crate::links::named_imports::{NamedImport, is_outside, named_imports, reads_text};
use crate::store::Store;

/// The most defining chunks that are read of one name. A name with more is too common to resolve.
const MOST_DEFINING: usize = 1024;

/// The most modules that pass a name on, one to the next, until the one that defines it.
const MOST_PASSED_ON: u32 = 4;

/// A symbol and the index of its document in the [`Paths`](crate::links::paths::Paths).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) document: u32,
    pub(crate) symbol: Symbol,
}

/// A chunk that refers to a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mention {
    pub(crate) document: u32,
    pub(crate) chunk: ChunkRow,
    /// The module that it takes the name from, if it states one.
    pub(crate) module: Option<String>,
}

/// A bounded result, and whether the bound cut it off.
#[derive(Clone, Debug)]
pub(crate) struct Bounded<T> {
    pub(crate) found: Vec<T>,
    pub(crate) is_cut: bool,
}

/// A name resolver on one snapshot of a store, with the caches of one query.
pub(crate) struct NameResolver<'a> {
    store: &'a Store,
    pub(crate) snapshot: &'a Snapshot<'a>,
    pub(crate) searcher: Searcher,
    pub(crate) stated: &'a Stated,
    defining: HashMap<String, Rc<DefinersOfName>>,
    /// The definitions of a name in a document that code can use.
    usable: HashMap<(String, u32), Rc<Vec<Definition>>>,
    /// The chunks that refer to a name. One query uses one bound for each name.
    mentions: HashMap<String, Rc<Bounded<Mention>>>,
    imported: HashMap<u32, Rc<Imported>>,
    named_imports: HashMap<u32, Rc<Vec<NamedImport>>>,
    pub(super) kept: ReadCache,
}

/// The chunks and documents that define a name.
struct DefinersOfName {
    /// The defining chunks with their documents, by document.
    chunks: Vec<(u32, ChunkRow)>,
    /// The documents, ascending.
    documents: Vec<u32>,
}

impl<'a> NameResolver<'a> {
    /// Returns the document whose masked path is one of these.
    pub(crate) fn unmask(&self, paths: &[DocPath]) -> Option<DocPath> {
        self.store.index.known_documents().unmask(paths)
    }

    pub(crate) fn new(store: &'a Store, snapshot: &'a Snapshot<'a>, stated: &'a Stated) -> Self {
        let searcher = store.index.searcher();
        Self {
            store,
            snapshot,
            searcher,
            stated,
            defining: HashMap::new(),
            usable: HashMap::new(),
            mentions: HashMap::new(),
            imported: HashMap::new(),
            named_imports: HashMap::new(),
            kept: ReadCache::default(),
        }
    }

    /// Returns the first definitions of a name, qualified by the given scopes, in the order of paths and lines; and the number
    /// of all of them.
    pub(crate) fn definitions(&mut self, name: &str, most: usize) -> Result<(Vec<Definition>, usize), StoreError> {
        let mut chunks = self.defining(name)?.chunks.clone();
        chunks.sort_by(|a, b| self.path(a.0).cmp(self.path(b.0)).then(a.1.cmp(&b.1)));
        let mut found = Vec::new();
        let mut all = 0;
        for &(document, chunk) in &chunks {
            // After the first ones, a chunk counts as one definition.
            if found.len() < most {
                let named = self.definitions_by_name(name, document, chunk)?;
                all += named.len();
                found.extend(named);
            } else {
                all += 1;
            }
        }
        found.truncate(most);
        Ok((found, all))
    }

    /// Returns the definitions that a document may mean by a bare name, or by one that it takes from a module: one list for
    /// each document, in the order of documents and lines; see [`meaning`].
    ///
    /// [`meaning`]: crate::links::meaning
    pub(crate) fn meant_by(
        &mut self,
        from: u32,
        module: Option<&str>,
        name: &str,
    ) -> Result<Vec<Rc<Vec<Definition>>>, StoreError> {
        if let Some(module) = module.filter(|_| self.stated.paths.names_by_address(from)) {
            let found = self.meant_by(from, None, &Edge::qualify(module, name))?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let defining = self.defining(name)?;
        if defining.documents.is_empty() {
            return Ok(Vec::new());
        }
        let defines_itself = defining.documents.binary_search(&from).is_ok();
        if module.is_none()
            && !defines_itself
            && let Some(documents) = self.imported_definers(from, name, &defining.documents, MOST_PASSED_ON)?
        {
            let usable = documents.into_iter().map(|document| self.usable(name, document));
            let usable = usable.collect::<Result<Vec<_>, _>>()?;
            return Ok(usable.into_iter().filter(|definitions| !definitions.is_empty()).collect());
        }
        let imported = self.imported_names(from);
        let module = module.map(|module| self.stated.imported_from(from, module));
        let paths = &self.stated.paths;
        let mut useless: Vec<u32> = Vec::new();
        // A definer whose definitions code cannot use is found only when it would be meant. It is then excluded, and
        // the choice is repeated.
        loop {
            let definers: Cow<'_, [u32]> = if useless.is_empty() {
                Cow::Borrowed(&defining.documents)
            } else {
                defining.documents.iter().copied().filter(|document| !useless.contains(document)).collect()
            };
            let mut found = Vec::new();
            let useless_before = useless.len();
            let meant = match &module {
                // Its own definition, such as a variable, cannot be used by name. It may hold what was imported.
                None if defines_itself && definers.binary_search(&from).is_err() => {
                    meant_by_import(paths, from, &definers, &imported)
                }
                None => meant(paths, from, &definers, &imported),
                Some(module) => meant_behind(paths, from, &definers, module, &imported),
            };
            for document in meant {
                let usable = self.usable(name, document)?;
                if usable.is_empty() {
                    useless.push(document);
                } else {
                    found.push(usable);
                }
            }
            if !found.is_empty() || useless.len() == useless_before {
                return Ok(found);
            }
        }
    }

    /// Returns the definers of a name that a document takes it from with an import statement, directly or through modules that pass it on,
    /// ascending. Empty if the statement certainly means none of them; `None` if no statement says where the name comes from.
    fn imported_definers(
        &mut self,
        from: u32,
        name: &str,
        definers: &[u32],
        most_passed_on: u32,
    ) -> Result<Option<Vec<u32>>, StoreError> {
        let (named, stated) = (self.named_imports(from)?, self.stated);
        let paths = &stated.paths;
        let (mut found, mut is_stated, mut is_certain) = (Vec::new(), false, true);
        for NamedImport { original, module, .. } in named.iter().filter(|import| import.name == name) {
            is_stated = true;
            if original != name {
                continue;
            }
            let modules = paths.resolve(from, module);
            is_certain &= !modules.is_empty() || is_outside(paths.language(from), module, paths);
            for document in modules {
                if definers.binary_search(&document).is_ok() {
                    found.push(document);
                    continue;
                }
                let passed_on = match most_passed_on.checked_sub(1) {
                    Some(most) => self.imported_definers(document, name, definers, most)?,
                    None => None,
                };
                // A module may pass on all names of another one.
                let passed_on = passed_on.unwrap_or_else(|| {
                    stated.imports(document).filter(|imported| definers.binary_search(imported).is_ok()).collect()
                });
                is_certain &= !passed_on.is_empty();
                found.extend(passed_on);
            }
        }
        found.retain(|&document| paths.may_use(from, document));
        found.sort_unstable();
        found.dedup();
        Ok((is_stated && (is_certain || !found.is_empty())).then_some(found))
    }

    fn named_imports(&mut self, document: u32) -> Result<Rc<Vec<NamedImport>>, StoreError> {
        if let Some(known) = self.named_imports.get(&document) {
            return Ok(Rc::clone(known));
        }
        let (row, stated) = (self.row(document), self.stated);
        let language = stated.paths.language(document);
        let named = self.read(|snapshot| {
            let text = if reads_text(language) { snapshot.text(row)?.unwrap_or_default() } else { String::new() };
            let edges = if reads_text(language) { Vec::new() } else { snapshot.stated_edges_of(row)? };
            let imports = edges.iter().filter(|edge| edge.kind == EdgeKind::Imports);
            Ok(named_imports(language, imports.map(|edge| edge.target.as_str()), &text))
        })?;
        let named = Rc::new(named);
        self.named_imports.insert(document, Rc::clone(&named));
        Ok(named)
    }

    fn imported_names(&mut self, document: u32) -> Rc<Imported> {
        let imported =
            self.imported.entry(document).or_insert_with(|| Rc::new(self.stated.imports_of_document(document)));
        Rc::clone(imported)
    }

    /// Returns the chunks and documents that define a name.
    fn defining(&mut self, name: &str) -> Result<Rc<DefinersOfName>, StoreError> {
        if let Some(known) = self.defining.get(name) {
            return Ok(Rc::clone(known));
        }
        let candidates =
            self.searcher.defining(name, MOST_DEFINING).map_err(|source| self.store.index.search_error(source))?;
        let in_document = |candidate: Candidate| Some((self.stated.paths.in_row(candidate.document)?, candidate.chunk));
        let mut chunks: Vec<(u32, ChunkRow)> = candidates.into_iter().filter_map(in_document).collect();
        chunks.sort_unstable();
        let mut documents: Vec<u32> = chunks.iter().map(|(document, _)| *document).collect();
        documents.dedup();
        let defining = Rc::new(DefinersOfName { chunks, documents });
        self.defining.insert(name.to_owned(), Rc::clone(&defining));
        Ok(defining)
    }

    /// The definitions of a name in a document that code can use.
    fn usable(&mut self, name: &str, document: u32) -> Result<Rc<Vec<Definition>>, StoreError> {
        let key = (name.to_owned(), document);
        if let Some(known) = self.usable.get(&key) {
            return Ok(Rc::clone(known));
        }
        let defining = self.defining(name)?;
        let mut found = Vec::new();
        for &(_, chunk) in defining.chunks.iter().filter(|(known, _)| *known == document) {
            found.extend(self.definitions_by_name(name, document, chunk)?);
        }
        found.retain(|definition| is_used_by_name(definition.symbol.kind));
        let usable = Rc::new(found);
        self.usable.insert(key, Rc::clone(&usable));
        Ok(usable)
    }

    fn definitions_by_name(&self, name: &str, document: u32, chunk: ChunkRow) -> Result<Vec<Definition>, StoreError> {
        let written = name.replace(['.', '#', '/'], "::");
        let is_named = |symbol: &Symbol| {
            [name, written.as_str()].into_iter().any(|name| {
                symbol.qualified == name
                    || symbol.name == name
                    || symbol.qualified.strip_suffix(name).is_some_and(|rest| rest.ends_with("::"))
            })
        };
        let symbols = self.read(|snapshot| snapshot.symbols_in(self.row(document), chunk))?;
        let named = symbols.into_iter().filter(is_named);
        Ok(named.map(|symbol| Definition { document, symbol }).collect())
    }

    /// Returns the chunks that refer to a bare name, in the order of paths and chunks. A name with dots is the whole target of its
    /// references, which then state no module.
    ///
    /// Reads at most `most_chunks` chunks to check whether they do: those with the most mentions of it.
    pub(crate) fn mentions(&mut self, name: &str, most_chunks: usize) -> Result<Rc<Bounded<Mention>>, StoreError> {
        if let Some(known) = self.mentions.get(name) {
            return Ok(Rc::clone(known));
        }
        let depth = most_chunks + 1;
        let chunks = self.searcher.mentioning(name, depth).map_err(|source| self.store.index.search_error(source))?;
        let is_cut = chunks.len() == depth;
        let mut by_document: HashMap<DocumentRow, Vec<ChunkRow>> = HashMap::new();
        for candidate in chunks.iter().take(most_chunks) {
            by_document.entry(candidate.document).or_default().push(candidate.chunk);
        }
        let mut found = Vec::new();
        let (scope, bare) = Edge::split_qualifier(name);
        for (row, chunks) in by_document {
            let Some(document) = self.stated.paths.in_row(row) else { continue };
            let mut chunks = self.read(|snapshot| snapshot.chunks_referencing(row, bare, &chunks))?;
            if scope.is_some() {
                chunks.retain(|(_, module)| module.as_deref() == scope);
            }
            let module = |module| if scope.is_some() { None } else { module };
            found.extend(chunks.into_iter().map(|(chunk, stated)| Mention { document, chunk, module: module(stated) }));
        }
        found.sort_by(|a, b| self.path(a.document).cmp(self.path(b.document)).then_with(|| a.cmp(b)));
        let mentions = Rc::new(Bounded { found, is_cut });
        self.mentions.insert(name.to_owned(), Rc::clone(&mentions));
        Ok(mentions)
    }

    pub(crate) fn path(&self, document: u32) -> &str {
        self.stated.paths.place(document).path.as_str()
    }

    pub(crate) fn row(&self, document: u32) -> DocumentRow {
        self.stated.paths.place(document).row
    }

    pub(crate) fn read<T>(&self, reader: impl FnOnce(&Snapshot<'_>) -> Result<T, ReadError>) -> Result<T, StoreError> {
        reader(self.snapshot).map_err(|source| self.store.index.read_error(source))
    }

    pub(crate) fn search_error(&self, source: recall_index::lexical::SearchError) -> StoreError {
        self.store.index.search_error(source)
    }
}

/// The most bytes of document text that are cached during one query. A cached document takes about five times the memory of its
/// text. Beyond the bound, the cache is cleared.
pub(crate) const MOST_KEPT_BYTES: usize = 4 * 1024 * 1024;

/// The cache between the steps of one query, many of which read the same documents.
#[derive(Default)]
pub(crate) struct ReadCache {
    pub(crate) documents: HashMap<u32, Option<Rc<Document>>>,
    pub(crate) uses: HashMap<u32, Rc<Uses>>,
    /// The bytes of the texts of `uses`.
    pub(crate) bytes: usize,
    pub(crate) around: HashMap<ChunkRow, Option<Rc<Around>>>,
}

/// The references of a document's chunks.
pub(crate) struct Uses {
    /// The references, by chunk, then by target.
    pub(crate) references: Vec<Edge>,
    /// The spans of the chunks, in order.
    pub(crate) chunks: Vec<ByteSpan>,
    pub(crate) text: String,
}

/// A chunk and the definitions around its parts.
pub(crate) struct Around {
    pub(crate) span: ByteSpan,
    pub(crate) text: String,
    /// The symbols of its document that overlap it, in order.
    pub(crate) symbols: Vec<Symbol>,
}

impl Uses {
    pub(crate) fn references(&self) -> &[Edge] {
        &self.references
    }

    /// Returns the references of the chunks that overlap a span.
    pub(crate) fn within(&self, span: ByteSpan) -> &[Edge] {
        let first = self.chunks.partition_point(|chunk| chunk.end <= span.start) as u32;
        let behind = self.chunks.partition_point(|chunk| chunk.start < span.end) as u32;
        let start = self.references.partition_point(|edge| edge.chunk < first);
        let end = self.references.partition_point(|edge| edge.chunk < behind);
        &self.references[start..end.max(start)]
    }
}

impl NameResolver<'_> {
    /// Returns a document by its index; `None` if it no longer exists.
    pub(crate) fn document(&mut self, place: u32) -> Result<Option<Rc<Document>>, StoreError> {
        if let Some(known) = self.kept.documents.get(&place) {
            return Ok(known.clone());
        }
        let row = self.row(place);
        let document = self.read(|snapshot| snapshot.document_in(row))?.map(|stored| Rc::new(stored.document));
        self.kept.documents.insert(place, document.clone());
        Ok(document)
    }

    /// Returns the references of a document's chunks.
    pub(crate) fn uses(&mut self, document: u32) -> Result<Rc<Uses>, StoreError> {
        if let Some(known) = self.kept.uses.get(&document) {
            return Ok(Rc::clone(known));
        }
        let row = self.row(document);
        let (mut references, chunks, text) = self.read(|snapshot| {
            Ok((snapshot.edges_of(row)?, snapshot.chunks_of(row)?, snapshot.text(row)?.unwrap_or_default()))
        })?;
        references.retain(|edge| edge.kind == EdgeKind::References);
        let chunks = chunks.into_iter().map(|chunk| chunk.span.bytes).collect();
        let kept = &mut self.kept;
        if kept.bytes + text.len() > MOST_KEPT_BYTES {
            kept.uses.clear();
            kept.bytes = 0;
        }
        kept.bytes += text.len();
        let uses = Rc::new(Uses { references, chunks, text });
        kept.uses.insert(document, Rc::clone(&uses));
        Ok(uses)
    }

    /// Returns a chunk with the definitions around it; `None` if it no longer exists.
    pub(crate) fn around(&mut self, document: u32, chunk: ChunkRow) -> Result<Option<Rc<Around>>, StoreError> {
        if let Some(known) = self.kept.around.get(&chunk) {
            return Ok(known.clone());
        }
        let row = self.row(document);
        let around = self.read(|snapshot| {
            let Some(span) = snapshot.chunk_span(chunk)?.map(|span| span.bytes) else { return Ok(None) };
            let Some(text) = snapshot.text_in(row, span)? else { return Ok(None) };
            Ok(Some(Rc::new(Around { span, text, symbols: snapshot.symbols_around(row, span)? })))
        })?;
        self.kept.around.insert(chunk, around.clone());
        Ok(around)
    }
}
