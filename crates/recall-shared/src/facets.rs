//! How many documents of each type, language, directory and tag have a word of a query, for a person who narrows a search.

use std::collections::BTreeMap;

use crate::seam::Filters;

/// Which documents are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FacetScan {
    /// The numbers of words in chunks. A document is counted if one of its chunks has one of them.
    pub words: Vec<u32>,
    /// The numbers of words in paths. A document is counted if its path has one of them.
    pub paths: Vec<u32>,
    /// Conditions on the documents.
    pub filters: Filters,
    /// The repositories that are left out.
    pub without: Vec<String>,
}

/// The number of documents by value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FacetCounts {
    /// By the name of the type.
    pub kinds: BTreeMap<String, u64>,
    /// By language; documents without one are left out.
    pub languages: BTreeMap<String, u64>,
    /// By directory: the first two components of the path in the repository, or `.` for its root.
    pub directories: BTreeMap<String, u64>,
    /// By tag; a document with several tags counts for each.
    pub tags: BTreeMap<String, u64>,
}

impl FacetCounts {
    /// Adds documents of one type, language and directory, with the same tags. `path` is that of one of them.
    pub(crate) fn add<'t>(
        &mut self,
        kind: &str,
        language: &str,
        path: &str,
        tags: impl IntoIterator<Item = &'t str>,
        documents: u64,
    ) {
        let add = |counts: &mut BTreeMap<String, u64>, value: &str| {
            *counts.entry(value.to_owned()).or_default() += documents;
        };
        add(&mut self.kinds, kind);
        if !language.is_empty() {
            add(&mut self.languages, language);
        }
        add(&mut self.directories, &directory(path));
        for tag in tags {
            add(&mut self.tags, tag);
        }
    }
}

/// The number of leading directory names that are a value, as an index counts them.
const DIRECTORY_NAMES: usize = 2;

/// Returns the directory of a path, as facets count it.
fn directory(path: &str) -> String {
    let names: Vec<&str> = path.split('/').collect();
    match &names[..names.len() - 1] {
        [] => ".".to_owned(),
        above => above[..above.len().min(DIRECTORY_NAMES)].join("/"),
    }
}
