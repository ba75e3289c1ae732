//! Which of the definitions of a name does a document mean?

use recall_core::{FileKind, SymbolKind};

use crate::links::paths::Paths;
use crate::links::stated::Imported;

/// A name that more documents define says nothing about any of them, unless an import tells which is meant: `new`,
/// `default`, `iter`.
pub(crate) const MOST_DEFINERS: usize = 16;

/// Among more definers than this those nearby are not looked for.
const MOST_COMPARED: usize = 256;

/// Those of the documents that define a name which another document may mean by it: itself, else those that it imports,
/// else those in its directory, else those of its language; tests only where a test asks. In a language whose names all
/// come by imports, behind those that it imports only those that these import. Ascending; empty where more than
/// [`MOST_DEFINERS`] are left.
///
/// `definers` ascend.
pub(crate) fn meant(paths: &Paths, from: u32, definers: &[u32], imported: &Imported) -> Vec<u32> {
    if definers.binary_search(&from).is_ok() {
        return vec![from];
    }
    let by_import = meant_by_import(paths, from, definers, imported);
    if !by_import.is_empty() || imported.further.is_some() {
        return by_import;
    }
    let is_family = |document: &u32| paths.are_family(from, *document);
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

/// Those of the documents that define a name which another document may mean by it where it takes the name from what it
/// imports; bounded as in [`meant`].
fn meant_by_import(paths: &Paths, from: u32, definers: &[u32], imported: &Imported) -> Vec<u32> {
    let is_meant = |document: &u32| definers.binary_search(document).is_ok() && paths.are_family(from, *document);
    let among = |documents: &[u32]| documents.iter().copied().filter(is_meant).collect::<Vec<u32>>();
    let by_import = among(&imported.direct);
    if !by_import.is_empty() {
        return by_import;
    }
    let passed_on = among(imported.further.as_deref().unwrap_or_default());
    if passed_on.len() > MOST_DEFINERS { Vec::new() } else { passed_on }
}

/// Those of the documents that define a name which another document may mean by it where it takes the name from a module, whose
/// documents are given. Where the module is not in the store, none. Where it is and does not define the name, what was imported
/// may be a value whose type does: then the name means what it does without the module, but in a language whose names all
/// come by imports.
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

/// Whether code names definitions of that kind to use them. Keys and headings are read by people, and the name of a
/// variable or field is not what calls and types name.
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
        // What is imported is a value of a type that is defined elsewhere.
        check(&[3], &further, &free, &[3]);
        check(&[0, 3], &further, &free, &[0]);
        check(&[3], &further, &only_imports, &[]);
        check(&[0, 1, 3], &outside, &free, &[]);
    }

    fn direct(documents: &[u32]) -> Imported {
        Imported { direct: documents.to_vec(), further: None }
    }
}
