//! The links between the documents of a store, resolved from the symbols and edges of its catalog.
//!
//! Edges are stored with the target as the text writes it: a module path, a bare name, a relative link. They are resolved when they
//! are read, because what a name means depends on files that may be added, moved or deleted without a change of the file that names
//! it.
//!
//! [`paths`] finds documents by the end of a path, [`resolve`] maps imports to files by the conventions of each language, [`meaning`]
//! chooses among the definitions of a name and holds the edges between documents, and [`copies`] finds the files that tools made of
//! others. [`named_imports`] reads which names the imports of a document take, for a query about a name. [`links()`] returns the whole graph as numbers, in one pass over the catalog; [`structure`] holds it in memory
//! with each document's PageRank. No compiler and no manifest is asked: a target is a guess by convention, and a weight is divided
//! among the documents that may be meant.

mod copies;
pub(crate) mod meaning;
pub(crate) mod named_imports;
pub(crate) mod path_text;
pub(crate) mod paths;
mod resolve;
pub(crate) mod structure;

use recall_core::{DocumentRow, Edge};
use recall_index::catalog::{ReadError, Snapshot};
use rustc_hash::FxHashMap;

use crate::links::copies::Defined;
use crate::links::meaning::{is_used_by_name, meant, meant_behind};
use crate::links::paths::Paths;
use meaning::{Imported, Stated};

/// The weight of an import or a link between documents, divided among its possible targets. A reference weighs at most as much:
/// see [`Links::edges`].
const STATED: f32 = 1.0;

/// The links between the documents of a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Links {
    /// The documents, in the order of their rows. Edges refer to them by index.
    pub documents: Vec<DocumentRow>,
    /// From, to, weight: sorted, each pair once, without self-loops, weights above 0.
    ///
    /// An import, a link or a declared relation weighs 1, divided among its possible targets. A name that a document uses
    /// weighs the square root of the number of its chunks that use it, divided among the documents that may define it: those
    /// that it imports, else those in its directory, else those of its language. A name that more than five documents define
    /// has no weight unless an import decides between them. The weights of a pair are added.
    pub edges: Vec<(u32, u32, f32)>,
    /// The documents that tools made of others: bundles, and JavaScript that was compiled from a file of the store. Ascending.
    pub copies: Vec<u32>,
}

/// Returns the links between the documents of a store.
///
/// Costs a pass over all symbols and edges and the decompression of all texts.
///
/// # Errors
/// The catalog cannot be read.
pub fn links(snapshot: &Snapshot<'_>) -> Result<Links, ReadError> {
    let stated = Stated::read(snapshot)?;
    let paths = &stated.paths;
    let weighed = stated.edges().iter().map(|edge| (edge.from, edge.to, STATED / edge.meant as f32));
    let mut edges = Edges(weighed.collect());
    let (definers, defined) = Definers::read(snapshot, paths)?;
    let mut used = Used::default();
    snapshot.each_reference(|row, _, target| {
        let document = paths.in_row_near(row, used.from);
        if document != used.from {
            used.flush_into(&definers, &stated, &mut edges);
            used.from = document;
        }
        let (module, name) = Edge::split_qualifier(target);
        let is_address = module.is_some() && document.is_some_and(|document| paths.names_by_address(document));
        if let Some(&name) = definers.names.get(target).filter(|_| is_address) {
            used.add(name, None);
        } else if let Some(&name) = definers.names.get(name) {
            used.add(name, module);
        }
    })?;
    used.flush_into(&definers, &stated, &mut edges);
    let documents = paths.places().iter().map(|place| place.row).collect();
    Ok(Links { documents, edges: edges.into_merged(), copies: defined.into_copies(paths) })
}

/// The documents that define each name.
struct Definers {
    /// Each name's index in `documents`, and that of each address.
    names: FxHashMap<Box<str>, u32>,
    /// The documents that define each name, ascending.
    documents: Vec<Vec<u32>>,
}

impl Definers {
    /// Reads them, and what each document defines.
    fn read(snapshot: &Snapshot<'_>, paths: &Paths) -> Result<(Self, Defined), ReadError> {
        let mut definers = Self { names: FxHashMap::default(), documents: Vec::new() };
        let mut defined = Defined::default();
        let mut last = None;
        snapshot.each_definition(|row, kind, name, qualified| {
            if !is_used_by_name(kind) {
                return;
            }
            last = paths.in_row_near(row, last);
            let Some(document) = last else { return };
            definers.add(name, document);
            defined.add(qualified, document);
            if paths.names_by_address(document) && qualified != name {
                definers.add(&qualified.replace("::", "."), document);
            }
        })?;
        Ok((definers, defined))
    }

    fn add(&mut self, name: &str, document: u32) {
        let place = if let Some(&place) = self.names.get(name) {
            place as usize
        } else {
            let place = self.documents.len();
            self.names.insert(name.into(), place as u32);
            self.documents.push(Vec::new());
            place
        };
        let documents = &mut self.documents[place];
        if documents.last() != Some(&document) {
            documents.push(document);
        }
    }
}

/// The names that one document uses, with the number of its chunks that do.
#[derive(Default)]
struct Used {
    from: Option<u32>,
    /// The counts, by name and by the index in `modules` of the module that the name comes from, if the document states it.
    names: FxHashMap<(u32, Option<u32>), u32>,
    modules: FxHashMap<Box<str>, u32>,
}

impl Used {
    fn add(&mut self, name: u32, module: Option<&str>) {
        let module = module.map(|module| {
            self.modules.get(module).copied().unwrap_or_else(|| {
                let place = self.modules.len() as u32;
                self.modules.insert(module.into(), place);
                place
            })
        });
        *self.names.entry((name, module)).or_default() += 1;
    }

    /// Adds the collected names as edges, and clears them.
    fn flush_into(&mut self, definers: &Definers, stated: &Stated, edges: &mut Edges) {
        let Some(from) = self.from else {
            self.names.clear();
            return self.modules.clear();
        };
        let imported = stated.imports_of_document(from);
        let mut imported_from = vec![Imported::default(); self.modules.len()];
        for (module, place) in self.modules.drain() {
            imported_from[place as usize] = stated.imported_from(from, &module);
        }
        for ((name, module), chunks) in self.names.drain() {
            let definers = &definers.documents[name as usize];
            let meant = match module {
                None => meant(&stated.paths, from, definers, &imported),
                Some(module) => meant_behind(&stated.paths, from, definers, &imported_from[module as usize], &imported),
            };
            let weight = (chunks as f32).sqrt() / meant.len().max(1) as f32;
            edges.0.extend(meant.into_iter().filter(|&to| to != from).map(|to| (from, to, weight)));
        }
    }
}

struct Edges(Vec<(u32, u32, f32)>);

impl Edges {
    /// Returns the edges sorted, each pair once. Weights are sorted before they are added, so that sums are reproducible.
    fn into_merged(self) -> Vec<(u32, u32, f32)> {
        let mut edges = self.0;
        edges.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
        edges.dedup_by(|next, kept| {
            let is_same = (next.0, next.1) == (kept.0, kept.1);
            if is_same {
                kept.2 += next.2;
            }
            is_same
        });
        edges.shrink_to_fit();
        edges
    }
}
