//! The edges that documents state, imports, links and declared relations, and the choice among the definitions of a name.

use recall_core::{EdgeKind, Generation, SymbolKind};
use recall_index::catalog::{ReadError, Snapshot};
use recall_text::FileKind;

use crate::links::paths::Paths;

/// The most documents that may define a name. A more common name (`new`, `default`, `iter`) does not identify a document unless
/// an import does.
pub(crate) const MOST_DEFINERS: usize = 16;

/// The most definers that are compared by directory and language.
const MOST_COMPARED: usize = 256;

/// Returns the definers that a document may mean by a name: itself, else those that it imports, else those in its directory,
/// else those of its language. Tests are meant only by tests. In a language whose names all come from imports, the imported
/// documents are followed only by those that these import. Ascending; empty if more than [`MOST_DEFINERS`] are left.
///
/// `definers` must be ascending.
pub(crate) fn meant(paths: &Paths, from: u32, definers: &[u32], imported: &Imported) -> Vec<u32> {
    if definers.binary_search(&from).is_ok() {
        return vec![from];
    }
    let by_import = meant_by_import(paths, from, definers, imported);
    if !by_import.is_empty() || imported.further.is_some() {
        return by_import;
    }
    let is_family = |document: &u32| paths.may_use(from, *document);
    if definers.len() > MOST_COMPARED {
        return Vec::new();
    }
    let is_test = |document: &u32| paths.place(*document).file_kind == FileKind::Test;
    let from_test = is_test(&from);
    let usable: Vec<u32> =
        definers.iter().copied().filter(is_family).filter(|document| from_test || !is_test(document)).collect();
    let beside: Vec<u32> = usable.iter().copied().filter(|&document| paths.are_beside(from, document)).collect();
    let nearest = if beside.is_empty() { usable } else { beside };
    if nearest.len() > MOST_DEFINERS { Vec::new() } else { nearest }
}

/// Returns the definers that a document may mean by a name that it takes from an import; bounded like [`meant`].
pub(crate) fn meant_by_import(paths: &Paths, from: u32, definers: &[u32], imported: &Imported) -> Vec<u32> {
    let is_meant = |document: &u32| definers.binary_search(document).is_ok() && paths.may_use(from, *document);
    let among = |documents: &[u32]| documents.iter().copied().filter(is_meant).collect::<Vec<u32>>();
    let by_import = among(&imported.direct);
    if !by_import.is_empty() {
        return by_import;
    }
    let passed_on = among(imported.further.as_deref().unwrap_or_default());
    if passed_on.len() > MOST_DEFINERS { Vec::new() } else { passed_on }
}

/// Returns the definers that a document may mean by a name that it takes from a module with the given documents. None if the
/// module is not in the store. If it is and does not define the name, the import may be a value whose type defines it; the name
/// then means the same as without the module, except in a language whose names all come from imports.
pub(crate) fn meant_behind(
    paths: &Paths,
    from: u32,
    definers: &[u32],
    module: &Imported,
    imported: &Imported,
) -> Vec<u32> {
    let by_import = meant_by_import(paths, from, definers, module);
    if !by_import.is_empty() || module.direct.is_empty() || imported.further.is_some() {
        return by_import;
    }
    meant(paths, from, definers, imported)
}

/// Returns whether code refers to definitions of a kind by name. Keys and headings are read by people, and calls and types do
/// not name variables or fields.
pub(crate) fn is_used_by_name(kind: SymbolKind) -> bool {
    !matches!(kind, SymbolKind::Key | SymbolKind::Heading | SymbolKind::Variable)
}

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

    /// Returns the documents that a document imports, ascending.
    pub(crate) fn imports(&self, document: u32) -> impl Iterator<Item = u32> {
        self.from(document).iter().filter(|edge| edge.kind == EdgeKind::Imports).map(|edge| edge.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::paths::places;

    #[test]
    fn the_nearest_definitions_are_meant() {
        let paths = Paths::new(places(&[
            "src/a.rs",       // 0
            "src/b.rs",       // 1
            "lib/c.rs",       // 2
            "lib/d.rs",       // 3
            "lib/e.py",       // 4
            "tests/check.rs", // 5
        ]));
        let check = |from, definers: &[u32], imported: &[u32], expected: &[u32]| {
            let imported = direct(imported);
            assert_eq!(meant(&paths, from, definers, &imported), expected, "{from} among {definers:?}");
        };
        check(0, &[0, 1, 2], &[2], &[0]);
        check(0, &[1, 2, 3], &[2], &[2]);
        check(0, &[1, 2, 3], &[], &[1]);
        check(0, &[2, 3, 4], &[], &[2, 3]);
        check(0, &[4], &[4], &[]);
        check(0, &[5], &[], &[]);
        check(5, &[2], &[], &[2]);
        check(0, &[], &[1], &[]);
    }

    #[test]
    fn a_name_that_many_define_is_meant_only_by_import() {
        let many: Vec<String> = (0..40).map(|number| format!("d{number}/x.rs")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let paths = Paths::new(places(&many));
        let definers: Vec<u32> = (1..40).collect();
        assert_eq!(meant(&paths, 0, &definers, &direct(&[])), [0; 0]);
        assert_eq!(meant(&paths, 0, &definers, &direct(&[7])), [7]);
    }

    #[test]
    fn where_all_names_are_imported_nothing_else_is_meant() {
        let paths = Paths::new(places(&["A.hs", "B.hs", "C.hs", "D.hs"]));
        let imported = Imported { direct: vec![1], further: Some(vec![2]) };
        for (definers, expected) in [(&[1, 2, 3][..], &[1][..]), (&[2, 3], &[2]), (&[3], &[]), (&[0, 1], &[0])] {
            assert_eq!(meant(&paths, 0, definers, &imported), expected, "among {definers:?}");
        }
    }

    #[test]
    fn a_name_behind_a_module_is_that_modules() {
        let paths = Paths::new(places(&["src/a.py", "src/b.py", "src/c.py", "src/d.py"]));
        let further = Imported { direct: vec![1], further: Some(vec![2]) };
        let outside = Imported { direct: Vec::new(), further: Some(Vec::new()) };
        let only_imports = Imported { direct: vec![1], further: Some(Vec::new()) };
        let free = direct(&[]);
        let check = |definers: &[u32], module, imported, expected: &[u32]| {
            let found = meant_behind(&paths, 0, definers, module, imported);
            assert_eq!(found, expected, "{definers:?} behind {module:?}");
        };
        check(&[1, 2, 3], &further, &free, &[1]);
        check(&[2, 3], &further, &free, &[2]);
        // The import is a value of a type that is defined elsewhere.
        check(&[3], &further, &free, &[3]);
        check(&[0, 3], &further, &free, &[0]);
        check(&[3], &further, &only_imports, &[]);
        check(&[0, 1, 3], &outside, &free, &[]);
    }

    fn direct(documents: &[u32]) -> Imported {
        Imported { direct: documents.to_vec(), further: None }
    }
}
