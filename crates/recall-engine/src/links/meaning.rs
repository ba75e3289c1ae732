//! Choice among the definitions of a name.

use recall_core::SymbolKind;
use recall_text::FileKind;

use crate::links::paths::Paths;
use crate::links::stated::Imported;

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
fn meant_by_import(paths: &Paths, from: u32, definers: &[u32], imported: &Imported) -> Vec<u32> {
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
