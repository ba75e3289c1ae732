//! The files of the tests of a name, by the conventions of the languages: `CartTest`, `TestCart`, `test_cart`, `cart_spec`, `cart.test`.
//!
//! Many tests use a name. The one that is called like it is about it, also if it never has the name, as a request by its address.

use std::collections::BTreeSet;

use recall_core::{Candidate, DocumentRow};
use recall_index::lexical::Searcher;
use recall_text::words::{Word, split};
use recall_text::{DocPath, FileKind, fold_case, looks_like_path};

use crate::error::StoreError;
use crate::store::Store;

/// The most files with a name that are looked at.
const MOST_NAMESAKES: usize = 20;

/// The fewest characters of the name of a file whose tests are those of its definitions.
const MIN_FILE_CHARS: usize = 4;

/// The test files that are called like a name.
#[derive(Debug, Default)]
pub(super) struct TestFiles {
    /// Those called like the name that is asked for, the nearest to its definitions first.
    pub(super) of_name: Vec<DocumentRow>,
    /// Those called like the files that define it.
    pub(super) of_file: Vec<DocumentRow>,
}

/// Returns the test files that are called like a name, or like the files that define it.
///
/// # Errors
/// An index cannot be read.
pub(super) fn find_test_files(
    store: &Store,
    searcher: &Searcher,
    name: &str,
    defined: &[Candidate],
) -> Result<TestFiles, StoreError> {
    let mut near: Vec<DocPath> = Vec::new();
    for definition in defined {
        let stored = store.index.read(|snapshot| snapshot.document_with_run(definition.document))?;
        near.extend(stored.map(|(stored, _)| stored.document.path));
    }
    let of_files: Vec<String> = near.iter().map(|path| path.stem().to_owned()).collect();
    let path = DocPath::new(name.trim_start_matches("./")).ok().filter(|_| looks_like_path(name));
    let mut names: Vec<&str> = Vec::new();
    if let Some(path) = &path {
        names.push(path.stem());
        near.push(path.clone());
    } else {
        // The tests of a member are those of its type.
        names.extend(name.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|part| !part.is_empty()));
    }
    let mut files = TestFiles::default();
    for name in names {
        if files.of_name.is_empty() {
            files.of_name = named_like(store, searcher, name, &near)?;
        }
    }
    for stem in of_files.iter().filter(|stem| stem.chars().count() >= MIN_FILE_CHARS) {
        files.of_file.extend(named_like(store, searcher, stem, &near)?);
    }
    Ok(files)
}

/// Returns the test files that are called like a name, those that share the most folders with some paths first.
fn named_like(
    store: &Store,
    searcher: &Searcher,
    name: &str,
    near: &[DocPath],
) -> Result<Vec<DocumentRow>, StoreError> {
    let mut found: Vec<(usize, DocPath, DocumentRow)> = Vec::new();
    for stem in stems(name) {
        let files =
            searcher.files_with_stem(&stem, MOST_NAMESAKES).map_err(|source| store.index.search_error(source))?;
        for file in files.into_iter().filter(|file| file.traits.file_kind == FileKind::Test) {
            let stored = store.index.read(|snapshot| snapshot.document_with_run(file.document))?;
            let Some((stored, _)) = stored.filter(|_| found.iter().all(|(.., row)| *row != file.document)) else {
                continue;
            };
            let path = stored.document.path;
            let shared = near.iter().map(|other| shared_folders(&path, other)).max().unwrap_or_default();
            if !near.contains(&path) {
                found.push((usize::MAX - shared, path, file.document));
            }
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(.., row)| row).collect())
}

/// Returns how many folders two paths have in common.
fn shared_folders(one: &DocPath, other: &DocPath) -> usize {
    let folders = |path: &DocPath| -> BTreeSet<String> {
        let names = path.as_str().rsplit_once('/').map_or("", |(folders, _)| folders);
        names.split('/').map(str::to_owned).collect()
    };
    folders(one).intersection(&folders(other)).count()
}

/// Returns what the files of the tests of a name may be called, in lower case and without their endings.
fn stems(name: &str) -> BTreeSet<String> {
    let mut parts: Vec<String> = Vec::new();
    split(name, |word| match word {
        Word::Plain(part) | Word::Part(part) => parts.push(fold_case(part).into_owned()),
        Word::Compound(_) => {}
    });
    let spellings: BTreeSet<String> =
        [fold_case(name).into_owned(), parts.concat(), parts.join("_"), parts.join("-")].into();
    let mut stems = BTreeSet::new();
    for spelling in spellings {
        for (mark, joint) in MARKS.iter().flat_map(|mark| JOINTS.map(|joint| (mark, joint))) {
            stems.insert(format!("{spelling}{joint}{mark}"));
            stems.insert(format!("{mark}{joint}{spelling}"));
        }
        stems.insert(spelling);
    }
    stems
}

/// What the name of a test file has besides the name that it is about.
const MARKS: [&str; 5] = ["test", "tests", "testcase", "spec", "specs"];

/// What is between the two.
const JOINTS: [&str; 3] = ["", "_", "-"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_of_a_name_are_called_by_the_conventions_of_languages() {
        let stems = stems("ShopCart");
        for expected in
            ["shopcarttest", "testshopcart", "test_shop_cart", "shop_cart_test", "shop-cart-spec", "shopcart"]
        {
            assert!(stems.contains(expected), "{expected}");
        }
    }
}
