//! Lookup of documents by the end of a path.
//!
//! An import names the end of a path (`auth::token`, `./util`, `pkg/io`), and the part before it depends on build files, which are
//! not read. So documents are indexed by their last components, each language guesses paths for a target, and the candidates nearest
//! to the document that names it win.

use std::cmp::Ordering;
use std::ops::Range;

use recall_core::DocumentRow;
use recall_index::catalog::{DocumentPlace, ReadError, Snapshot};
use recall_text::FileKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::links::resolve::{
    Guess, Reach, Thing, family, guesses, names_by_address, names_only_imports, uses_all_languages,
};

use crate::links::path_text::{directory_of, ends_with, last_component, module_of, shared_directories};

/// The most documents of one target; a larger package is truncated.
pub(crate) const MOST_TARGETS: usize = 64;

/// The paths of a store's documents, indexed by their ends. A document is identified by its index in the order of rows.
pub(crate) struct Paths {
    places: Vec<DocumentPlace>,
    /// The documents by the last component of their module's path, then by path.
    by_module: Vec<u32>,
    /// The range in `by_module` of each last component.
    modules: FxHashMap<Box<str>, Range<u32>>,
    /// The documents by the last component of their directory, then by directory, then by path.
    by_directory: Vec<u32>,
    /// The number of each document's directory.
    directories: Vec<u32>,
    /// The names of all directories.
    directory_names: FxHashSet<Box<str>>,
    /// The number of each document's [`family`] of languages.
    families: Vec<u32>,
    /// The numbers of the families whose texts use names of any language.
    open_families: Vec<u32>,
}

impl Paths {
    pub(crate) fn read(snapshot: &Snapshot<'_>) -> Result<Self, ReadError> {
        Ok(Self::new(snapshot.places()?))
    }

    /// Creates the index. `places` must be in the order of rows.
    pub(crate) fn new(places: Vec<DocumentPlace>) -> Self {
        let path = |document: &u32| places[*document as usize].path.as_str();
        let mut by_module: Vec<u32> = (0..places.len() as u32).collect();
        let mut by_directory = by_module.clone();
        let module_name = |document: &u32| last_component(module_of(path(document)));
        by_module.sort_by_cached_key(|document| (module_name(document), path(document)));
        by_directory.sort_by_cached_key(|document| {
            let directory = directory_of(path(document));
            (last_component(directory), directory, path(document))
        });
        let mut modules = FxHashMap::default();
        let mut start = 0;
        for alike in by_module.chunk_by(|a, b| module_name(a) == module_name(b)) {
            let end = start + alike.len() as u32;
            modules.insert(module_name(&alike[0]).into(), start..end);
            start = end;
        }
        let mut directories = vec![0; places.len()];
        let mut directory_names = FxHashSet::default();
        let beside = by_directory.chunk_by(|a, b| directory_of(path(a)) == directory_of(path(b)));
        for (number, documents) in (0..).zip(beside) {
            for &document in documents {
                directories[document as usize] = number;
            }
            for name in directory_of(path(&documents[0])).split('/') {
                if !directory_names.contains(name) {
                    directory_names.insert(name.into());
                }
            }
        }
        let mut known: Vec<&str> = Vec::new();
        let families = places.iter().map(|place| {
            let family = place.language.as_ref().map_or("", |language| family(language.as_str()));
            let number = known.iter().position(|other| *other == family).unwrap_or_else(|| {
                known.push(family);
                known.len() - 1
            });
            number as u32
        });
        let families = families.collect();
        let open_families =
            (0..).zip(&known).filter(|(_, family)| uses_all_languages(family)).map(|(number, _)| number).collect();
        Self { places, by_module, modules, by_directory, directories, directory_names, families, open_families }
    }

    /// Returns the documents, in the order of rows.
    pub(crate) fn places(&self) -> &[DocumentPlace] {
        &self.places
    }

    pub(crate) fn place(&self, document: u32) -> &DocumentPlace {
        &self.places[document as usize]
    }

    /// Returns the index of the document in a row.
    pub(crate) fn in_row(&self, row: DocumentRow) -> Option<u32> {
        self.places.binary_search_by_key(&row, |place| place.row).ok().map(|at| at as u32)
    }

    /// Does the same as [`in_row`](Self::in_row), faster if the row is that of `last`.
    pub(crate) fn in_row_near(&self, row: DocumentRow, last: Option<u32>) -> Option<u32> {
        last.filter(|&document| self.place(document).row == row).or_else(|| self.in_row(row))
    }

    /// Returns the index of the document at a path.
    pub(crate) fn at(&self, path: &str) -> Option<u32> {
        self.modules(module_of(path)).iter().copied().find(|&document| self.path(document) == path)
    }

    /// Returns the documents that a target in a document may mean, by path, without the document itself. Empty if the target is
    /// not in the store.
    ///
    /// If the target is ambiguous, returns the candidates nearest to the document that names it, and all of them if several are
    /// equally near.
    pub(crate) fn resolve(&self, from: u32, target: &str) -> Vec<u32> {
        let place = self.place(from);
        for guess in guesses(self.language(from), place.path.as_str(), target) {
            let mut found = self.find(&guess);
            found.retain(|&document| document != from);
            if matches!(guess.thing, Thing::Package(_)) && place.file_kind != FileKind::Test {
                found.retain(|&document| self.place(document).file_kind != FileKind::Test);
            }
            if !found.is_empty() {
                self.keep_nearest(from, &guess, &mut found);
                return found;
            }
        }
        Vec::new()
    }

    /// Returns whether a module or a directory has this name.
    pub(crate) fn has_component(&self, name: &str) -> bool {
        self.modules.contains_key(name) || self.directory_names.contains(name)
    }

    /// Returns whether two documents are in the same directory.
    pub(crate) fn are_beside(&self, a: u32, b: u32) -> bool {
        self.directories[a as usize] == self.directories[b as usize]
    }

    /// Returns whether the language of a document uses definitions in the language of another.
    pub(crate) fn may_use(&self, from: u32, definer: u32) -> bool {
        let family = self.families[from as usize];
        family == self.families[definer as usize] || self.open_families.contains(&family)
    }

    /// Returns whether a reference in a document may be an address; see [`names_by_address`].
    pub(crate) fn names_by_address(&self, document: u32) -> bool {
        self.place(document).language.as_ref().is_some_and(|language| names_by_address(language.as_str()))
    }

    /// Returns whether a document can use only names that it imports.
    pub(crate) fn names_only_imports(&self, document: u32) -> bool {
        self.place(document).language.as_ref().is_some_and(|language| names_only_imports(language.as_str()))
    }

    /// Returns whether the languages of two documents share their definitions.
    pub(crate) fn are_of_family(&self, a: u32, b: u32) -> bool {
        self.families[a as usize] == self.families[b as usize]
    }

    /// Returns the language of a document; empty if it has none.
    pub(crate) fn language(&self, document: u32) -> &str {
        self.place(document).language.as_ref().map_or("", |language| language.as_str())
    }

    pub(crate) fn path(&self, document: u32) -> &str {
        self.place(document).path.as_str()
    }

    /// Returns the documents whose module path has the same last component.
    fn modules(&self, module: &str) -> &[u32] {
        let Some(range) = self.modules.get(last_component(module)) else { return &[] };
        &self.by_module[range.start as usize..range.end as usize]
    }

    fn find(&self, guess: &Guess) -> Vec<u32> {
        let Guess { path, reach, thing } = guess;
        let is_meant = |found: &str| match reach {
            Reach::Here => found == path,
            Reach::Anywhere => ends_with(found, path),
        };
        let has_extension = |document: u32, extensions: &[&str]| {
            self.place(document).path.extension().is_some_and(|extension| extensions.contains(&extension))
        };
        match thing {
            Thing::File => {
                let documents = self.modules(module_of(path)).iter().copied();
                documents.filter(|&document| is_meant(self.path(document))).collect()
            }
            Thing::Module(extensions) => {
                let documents = self.modules(path).iter().copied();
                documents
                    .filter(|&document| is_meant(module_of(self.path(document))) && has_extension(document, extensions))
                    .collect()
            }
            Thing::Package(extensions) => {
                let name = last_component(path);
                let ends_alike =
                    run(&self.by_directory, |document| last_component(directory_of(self.path(document))).cmp(name));
                ends_alike
                    .iter()
                    .copied()
                    .filter(|&document| {
                        is_meant(directory_of(self.path(document))) && has_extension(document, extensions)
                    })
                    .collect()
            }
        }
    }

    /// Keeps the documents that share the most directories with the one that names them, and of those the ones with the first
    /// listed extension.
    fn keep_nearest(&self, from: u32, guess: &Guess, found: &mut Vec<u32>) {
        if guess.reach == Reach::Anywhere && found.len() > 1 {
            let nearness = |document: &u32| shared_directories(self.path(from), self.path(*document));
            let most = found.iter().map(nearness).max().unwrap_or_default();
            found.retain(|document| nearness(document) == most);
        }
        if let Thing::Module(extensions) = guess.thing {
            let rank = |document: &u32| {
                let extension = self.place(*document).path.extension();
                extensions.iter().position(|known| Some(*known) == extension)
            };
            let first = found.iter().map(rank).min().flatten();
            found.retain(|document| rank(document) == first);
        }
        found.truncate(MOST_TARGETS);
    }
}

/// Returns the run of equal entries in a sorted list.
fn run(sorted: &[u32], compare: impl Fn(u32) -> Ordering) -> &[u32] {
    let start = sorted.partition_point(|&document| compare(document) == Ordering::Less);
    let length = sorted[start..].partition_point(|&document| compare(document) == Ordering::Equal);
    &sorted[start..start + length]
}

/// Creates a place for each path, in their order; for tests.
#[cfg(test)]
pub(crate) fn places(paths: &[&str]) -> Vec<DocumentPlace> {
    (1..)
        .zip(paths)
        .map(|(row, path)| {
            let path = recall_text::DocPath::new(path).expect("a plain path");
            let language = recall_text::Language::detect(&path, "");
            let file_kind = FileKind::from_path(&path);
            DocumentPlace { row: DocumentRow(row), path, language, file_kind }
        })
        .collect()
}
