//! Where is a name defined, and who uses it?

use std::collections::HashMap;
use std::rc::Rc;

use recall_catalog::{ReadError, Snapshot};
use recall_core::{Candidate, ChunkRow, DocumentRow, Symbol};
use recall_lexical::Searcher;

use super::meaning::{is_used_by_name, meant, meant_by_import};
use super::stated::{Imported, Stated};
use crate::error::StoreError;
use crate::store::Store;

/// The most chunks with definitions of one name that are known; more are as good as too many.
const MOST_DEFINING: usize = 1024;

/// A symbol and its document, by its place among the [`Paths`](super::paths::Paths).
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
    /// The module that it takes the name from, where it tells.
    pub(crate) module: Option<String>,
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
    /// The chunks that define a name, with their documents, by document.
    defining: HashMap<String, Rc<Vec<(u32, ChunkRow)>>>,
    /// The definitions of a name in a document that code can use.
    usable: HashMap<(String, u32), Rc<Vec<Definition>>>,
    /// The chunks that refer to a name; one answer asks for each name with one bound.
    mentions: HashMap<String, Rc<Bounded<Mention>>>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(store: &'a Store, snapshot: &'a Snapshot<'a>, stated: &'a Stated) -> Self {
        let searcher = store.lexical.searcher();
        Self {
            store,
            snapshot,
            searcher,
            stated,
            defining: HashMap::new(),
            usable: HashMap::new(),
            mentions: HashMap::new(),
        }
    }

    /// The first definitions of a name, with as many of its scopes as are given, in the order of paths and lines; and
    /// how many there are in all.
    pub(crate) fn definitions(&mut self, name: &str, most: usize) -> Result<(Vec<Definition>, usize), StoreError> {
        let mut chunks = self.defining(name)?.to_vec();
        chunks.sort_by(|a, b| self.path(a.0).cmp(self.path(b.0)).then(a.1.cmp(&b.1)));
        let mut found = Vec::new();
        let mut all = 0;
        for &(document, chunk) in &chunks {
            // Behind the first ones a chunk is taken to define the name once.
            if found.len() < most {
                let named = self.named(name, document, chunk)?;
                all += named.len();
                found.extend(named);
            } else {
                all += 1;
            }
        }
        found.truncate(most);
        Ok((found, all))
    }

    /// The definitions that a document may mean by a bare name, or by one that it takes from a module, in the order of
    /// documents and lines; see [`meaning`].
    ///
    /// [`meaning`]: super::meaning
    pub(crate) fn meant_by(
        &mut self,
        from: u32,
        imported: &Imported,
        module: Option<&str>,
        name: &str,
    ) -> Result<Vec<Definition>, StoreError> {
        let of_module = module.map(|module| self.stated.imported_from(from, module));
        let mut definers: Vec<u32> = self.defining(name)?.iter().map(|(document, _)| *document).collect();
        definers.dedup();
        // What defines the name in a way that code cannot use is found out where it would be meant, and looked past.
        loop {
            let documents = match &of_module {
                None => meant(&self.stated.paths, from, &definers, imported),
                Some(of_module) => meant_by_import(&self.stated.paths, from, &definers, of_module),
            };
            let mut found = Vec::new();
            let mut useless = Vec::new();
            for &document in &documents {
                let usable = self.usable(name, document)?;
                if usable.is_empty() {
                    useless.push(document);
                }
                found.extend(usable.iter().cloned());
            }
            if !found.is_empty() || useless.is_empty() {
                return Ok(found);
            }
            definers.retain(|document| !useless.contains(document));
        }
    }

    /// The chunks that define a name, with their documents, by document.
    fn defining(&mut self, name: &str) -> Result<Rc<Vec<(u32, ChunkRow)>>, StoreError> {
        if let Some(known) = self.defining.get(name) {
            return Ok(Rc::clone(known));
        }
        let chunks = self.searcher.defining(name, MOST_DEFINING).map_err(|source| self.store.search_failed(source))?;
        let in_document = |candidate: Candidate| Some((self.stated.paths.in_row(candidate.document)?, candidate.chunk));
        let mut defining: Vec<(u32, ChunkRow)> = chunks.into_iter().filter_map(in_document).collect();
        defining.sort_unstable();
        let defining = Rc::new(defining);
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
        for &(_, chunk) in defining.iter().filter(|(known, _)| *known == document) {
            found.extend(self.named(name, document, chunk)?);
        }
        found.retain(|definition| is_used_by_name(definition.symbol.kind));
        let usable = Rc::new(found);
        self.usable.insert(key, Rc::clone(&usable));
        Ok(usable)
    }

    /// The definitions of a name in a chunk.
    fn named(&self, name: &str, document: u32, chunk: ChunkRow) -> Result<Vec<Definition>, StoreError> {
        let written = name.replace(['.', '#'], "::");
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

    /// The chunks that refer to a bare name, in the order of paths and chunks.
    ///
    /// At most so many chunks are read to see whether they do: those with the most mentions of it.
    pub(crate) fn mentions(&mut self, name: &str, most_chunks: usize) -> Result<Rc<Bounded<Mention>>, StoreError> {
        if let Some(known) = self.mentions.get(name) {
            return Ok(Rc::clone(known));
        }
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
            found.extend(chunks.into_iter().map(|(chunk, module)| Mention { document, chunk, module }));
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
        reader(self.snapshot).map_err(|source| self.store.read_failed(source))
    }

    pub(crate) fn search_failed(&self, source: recall_lexical::SearchError) -> StoreError {
        self.store.search_failed(source)
    }
}
