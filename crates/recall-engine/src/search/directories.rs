//! The files of a directory that a question is about: "what is in src/routing", "explain the directory crates/shop".
//!
//! The parts of a path are words of many files. The file that explains the directory, such as its README, may have none of them.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use recall_core::{ChunkRow, DocumentRow, Understood};
use recall_text::{DocPath, FileKind, NamedDirectory, asked_directories, directory_rank, is_code_extension};

use crate::error::StoreError;
use crate::known::Known;
use crate::occurrences::first_chunk;
use crate::store::Store;

/// The most directories with a name that are all meant.
const MOST_NAMESAKES: usize = 3;

/// The most files of a directory that are put first.
const MOST_FILES: usize = 50;

/// Returns the files of the directory that a query is about, each with its first chunk: those that explain the directory first, then the
/// others in it, then those below it. Empty if the query asks for something else, or if no directory is meant for certain.
///
/// # Errors
/// The catalog cannot be read.
pub(super) fn find_files_of_directory(
    store: &Store,
    known: &Known,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    if understood.report.is_some() {
        return Ok(Vec::new());
    }
    let directories = LazyCell::new(|| directories(known));
    let mut asked = asked_directories(understood.in_english(), |path| {
        directories.iter().any(|directory| directory.contains(' ') && ends_with_path(directory, path, true))
    });
    // A path in a message is a part of it; several words are the path of a directory that there is.
    asked.retain(|one| understood.message.is_none() || one.path.contains(' '));
    asked.retain(|one| understood.phrases.iter().all(|phrase| phrase.trim_matches('/') == one.path));
    // "what is the version of the package" is about the project.
    asked.retain(|one| one.path.contains('/') || understood.onboarding.is_none());
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    let meant = asked.iter().map(|one| find_directories(&directories, one)).find(|found| !found.is_empty());
    let Some(meant) = meant else { return Ok(Vec::new()) };
    let mut ranked: Vec<(FileRank, &str, DocumentRow)> = Vec::new();
    for (path, file) in &known.files {
        let (Some(row), Ok(place)) = (file.document(), DocPath::new(path)) else { continue };
        ranked.extend(
            meant.iter().filter_map(|directory| rank(&place, directory)).min().map(|rank| (rank, &**path, row)),
        );
    }
    ranked.sort_unstable();
    let mut files = Vec::new();
    for (.., row) in ranked.into_iter().take(MOST_FILES) {
        files.extend(first_chunk(store, row)?.map(|chunk| (row, chunk)));
    }
    Ok(files)
}

/// Returns the paths of the directories with indexed files.
fn directories(known: &Known) -> BTreeSet<&str> {
    let mut directories = BTreeSet::new();
    for (path, file) in &known.files {
        let mut rest = &**path;
        while let Some((parent, _)) = rest.rsplit_once('/').filter(|_| file.document().is_some()) {
            if !directories.insert(parent) {
                break;
            }
            rest = parent;
        }
    }
    directories
}

/// Returns the directories that a question may mean: the one with the whole path, otherwise those whose path ends with it, or with the longest
/// end of it. Empty if that is true of more than [`MOST_NAMESAKES`].
fn find_directories<'k>(directories: &BTreeSet<&'k str>, asked: &NamedDirectory) -> Vec<&'k str> {
    let mut rest = asked.path.as_str();
    loop {
        if let Some(whole) = directories.get(rest) {
            return vec![whole];
        }
        let has_parts = rest.contains('/');
        let in_any_case = asked.is_certain || has_parts;
        let found = [false, true].into_iter().filter(|&folds| !folds || in_any_case).map(|folds| {
            let ends = |directory: &&&str| ends_with_path(directory, rest, folds);
            directories.iter().filter(ends).copied().take(MOST_NAMESAKES + 1).collect::<Vec<_>>()
        });
        let found = found.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
        let most = if in_any_case { MOST_NAMESAKES } else { 1 };
        // Only an end of several components is telling.
        let shorter = rest.split_once('/').map(|(_, shorter)| shorter).filter(|shorter| shorter.contains('/'));
        match shorter {
            Some(shorter) if found.is_empty() => rest = shorter,
            _ => return if found.len() <= most { found } else { Vec::new() },
        }
    }
}

/// Whether the path of a directory is another path, or ends with its components.
fn ends_with_path(directory: &str, end: &str, folds: bool) -> bool {
    let Some(start) = directory.len().checked_sub(end.len()) else { return false };
    let Some(last) = directory.get(start..) else { return false };
    let is_equal = if folds { last.eq_ignore_ascii_case(end) } else { last == end };
    is_equal && (start == 0 || directory[..start].ends_with('/'))
}

/// The place of a file among those of a directory, the smaller the better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FileRank {
    /// It explains the directory.
    Explains(usize),
    /// It is called like the directory, and is in it or next to it.
    Namesake,
    /// It is in the directory, or below it by so many levels: code, a test or an example, or another file.
    Inside { levels: usize, is_no_code: bool, is_demoted: bool },
}

/// Returns the rank of a file among those of a directory; `None` if it does not belong to it.
fn rank(path: &DocPath, directory: &str) -> Option<FileRank> {
    let name = directory.rsplit('/').next().unwrap_or(directory);
    let is_called_so = path.stem().eq_ignore_ascii_case(name);
    let below = path.as_str().strip_prefix(directory).and_then(|rest| rest.strip_prefix('/'));
    let Some(below) = below else {
        // The module `cart.rs` has its parts in the directory `cart`.
        let is_module = path.as_str().strip_suffix(".rs") == Some(directory);
        return is_module.then_some(FileRank::Namesake);
    };
    let levels = below.matches('/').count();
    let explains = directory_rank(path).filter(|_| levels == 0).map(FileRank::Explains);
    let inside = FileRank::Inside {
        levels,
        is_no_code: !path.extension().is_some_and(is_code_extension),
        is_demoted: FileKind::from_path(path) != FileKind::Main,
    };
    Some(explains.unwrap_or(if levels == 0 && is_called_so { FileRank::Namesake } else { inside }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_found_by_the_end_of_its_path() {
        let directories: BTreeSet<&str> =
            ["src", "src/cart", "src/cart/price", "web/cart", "a/x", "b/x", "c/x", "d/x", "web/Shop"].into();
        let check = |path: &str, is_certain: bool, expected: &[&str]| {
            let asked = NamedDirectory { path: path.to_owned(), is_certain };
            assert_eq!(find_directories(&directories, &asked), expected, "{path}");
        };
        check("src/cart", false, &["src/cart"]);
        check("cart/price", false, &["src/cart/price"]);
        check("shop/src/cart", false, &["src/cart"]);
        check("cart", true, &["src/cart", "web/cart"]);
        check("cart", false, &[]);
        check("price", false, &["src/cart/price"]);
        check("shop", true, &["web/Shop"]);
        check("shop", false, &[]);
        check("x", true, &[]);
        check("rice", true, &[]);
    }

    #[test]
    fn the_file_that_explains_a_directory_is_first() {
        let paths = [
            "src/cart/zoo/a.rs",
            "src/cart/item.rs",
            "src/cart/mod.rs",
            "src/cart.rs",
            "src/b.rs",
            "src/cart/cart_test.go",
            "src/cart/.style",
        ];
        let mut ranked: Vec<_> = paths
            .iter()
            .filter_map(|path| Some((rank(&DocPath::new(path).expect("plain"), "src/cart")?, *path)))
            .collect();
        ranked.sort_unstable();
        let order: Vec<&str> = ranked.into_iter().map(|(_, path)| path).collect();
        assert_eq!(
            order,
            [
                "src/cart/mod.rs",
                "src/cart.rs",
                "src/cart/item.rs",
                "src/cart/cart_test.go",
                "src/cart/.style",
                "src/cart/zoo/a.rs"
            ]
        );
    }
}
