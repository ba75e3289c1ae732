//! The edges that documents state: imports, links and declared relations.

use recall_core::{EdgeKind, Generation};
use recall_index::catalog::{ReadError, Snapshot};

use crate::links::paths::Paths;

/// A stated edge whose target is in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) from: u32,
    pub(crate) kind: EdgeKind,
    pub(crate) to: u32,
    /// The ordinal of the first chunk that states it.
    pub(crate) chunk: u32,
    /// The number of documents that the target may mean.
    pub(crate) meant: u32,
}

/// The documents that one document imports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Imported {
    /// The documents that it names, ascending.
    pub(crate) direct: Vec<u32>,
    /// The documents that these import, ascending, whose names they may re-export. Set only for a document that can use only
    /// imported names.
    pub(crate) further: Option<Vec<u32>>,
}

/// The stated edges of a store at one generation, with their targets resolved to documents.
pub(crate) struct Stated {
    pub(crate) generation: Generation,
    pub(crate) paths: Paths,
    /// The edges, sorted; for each kind, at most one from a document to another.
    edges: Vec<Edge>,
    /// The indexes of the edges, by target, then by source.
    incoming: Vec<u32>,
}

impl Stated {
    pub(crate) fn read(snapshot: &Snapshot<'_>) -> Result<Self, ReadError> {
        let paths = Paths::read(snapshot)?;
        let mut edges = Vec::new();
        let mut last = None;
        snapshot.each_edge(|row, kind, chunk, target| {
            last = paths.in_row_near(row, last);
            let Some(from) = last else { return };
            let found = paths.resolve(from, target);
            let meant = found.len() as u32;
            edges.extend(found.into_iter().map(|to| Edge { from, kind, to, chunk, meant }));
        })?;
        edges.sort_unstable();
        edges.dedup_by_key(|edge| (edge.from, edge.kind, edge.to));
        edges.shrink_to_fit();
        let mut incoming: Vec<u32> = (0..edges.len() as u32).collect();
        incoming.sort_unstable_by_key(|&at| {
            let Edge { from, kind, to, .. } = edges[at as usize];
            (to, from, kind)
        });
        Ok(Self { generation: snapshot.generation(), paths, edges, incoming })
    }

    /// Returns all edges, sorted.
    pub(crate) fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns the edges from a document, by kind.
    pub(crate) fn from(&self, document: u32) -> &[Edge] {
        let start = self.edges.partition_point(|edge| edge.from < document);
        let length = self.edges[start..].partition_point(|edge| edge.from == document);
        &self.edges[start..start + length]
    }

    /// Returns the edges to a document, by source.
    pub(crate) fn to(&self, document: u32) -> impl Iterator<Item = &Edge> {
        let to = |at: &u32| self.edges[*at as usize].to;
        let start = self.incoming.partition_point(|at| to(at) < document);
        let edges = self.incoming[start..].iter().map(|&at| &self.edges[at as usize]);
        edges.take_while(move |edge| edge.to == document)
    }

    pub(crate) fn imports_of_document(&self, document: u32) -> Imported {
        let direct: Vec<u32> = self.imports(document).collect();
        if !self.paths.names_only_imports(document) {
            return Imported { direct, further: None };
        }
        self.with_further(direct)
    }

    /// Returns the documents of a module that a document names as the source of a name. Empty if the module is not in the
    /// store.
    pub(crate) fn imported_from(&self, document: u32, module: &str) -> Imported {
        let mut direct = self.paths.resolve(document, module);
        direct.sort_unstable();
        self.with_further(direct)
    }

    fn with_further(&self, direct: Vec<u32>) -> Imported {
        let mut further: Vec<u32> = direct.iter().flat_map(|&imported| self.imports(imported)).collect();
        further.sort_unstable();
        further.dedup();
        Imported { direct, further: Some(further) }
    }

    fn imports(&self, document: u32) -> impl Iterator<Item = u32> {
        self.from(document).iter().filter(|edge| edge.kind == EdgeKind::Imports).map(|edge| edge.to)
    }
}
