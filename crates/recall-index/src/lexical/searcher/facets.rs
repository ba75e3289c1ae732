//! Facets: counts of the matching documents by type, language, directory and tag.

use std::collections::BTreeMap;

use recall_core::Understood;
use tantivy::TantivyError;
use tantivy::schema::Field;

use crate::lexical::entries::Entries;
use crate::lexical::filter::DocFilter;
use crate::lexical::query_terms::terms;
use crate::lexical::snapshot::{LexicalSnapshot, Segment};

/// The number of leading directory names that form a value. Deeper directories split the documents too finely to narrow
/// a search.
const DIRECTORY_NAMES: usize = 2;

/// The number of documents that contain a word of a query, by value of each facet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// By document type.
    pub types: BTreeMap<String, u64>,
    /// By language, if it was recognised.
    pub languages: BTreeMap<String, u64>,
    /// By directory: the first two components of the path, or `.` for the root.
    pub directories: BTreeMap<String, u64>,
    /// By tag; a document with several tags counts for each.
    pub tags: BTreeMap<String, u64>,
}

/// Counts the documents of a snapshot that pass the filters and contain a term in any scored field.
///
/// Costs one pass over the postings of the terms, and of every type, language, tag and path.
pub(super) fn count(
    snapshot: &LexicalSnapshot,
    doc_filters: &[DocFilter<'_>],
    understood: &Understood,
) -> Result<Facets, TantivyError> {
    let fields = &snapshot.fields;
    let terms = terms(&understood.text);
    let mut facets = Facets::default();
    for (segment, doc_filter) in snapshot.segments.iter().zip(doc_filters) {
        let mut matched = Entries::none(segment.entries());
        for term in &terms {
            for field in [fields.body, fields.symbol, fields.path, fields.comment, fields.tag_words] {
                segment.each_with(field, term.as_bytes(), |entry| {
                    if doc_filter.passes(entry) {
                        matched.insert(entry);
                    }
                })?;
            }
        }
        let documents = first_of_each(segment, &matched);
        if documents.len() == 0 {
            continue;
        }
        by_key(segment, fields.document_type, &documents, &mut facets.types)?;
        by_key(segment, fields.language, &documents, &mut facets.languages)?;
        by_key(segment, fields.tag, &documents, &mut facets.tags)?;
        for (path, info) in segment.paths_with_prefix(fields.path_raw, "")? {
            let count = segment.count_in(fields.path_raw, info, &documents)?;
            if count > 0 {
                *facets.directories.entry(directory(path)).or_default() += count;
            }
        }
    }
    Ok(facets)
}

/// The first matching entry of each document. All entries of a document are adjacent in one segment.
fn first_of_each(segment: &Segment, matched: &Entries) -> Entries {
    let mut first_entries = Entries::none(segment.entries());
    let mut last = None;
    for entry in matched.iter() {
        let document = Some(segment.document_row(entry));
        if document != last {
            first_entries.insert(entry);
            last = document;
        }
    }
    first_entries
}

/// Counts the documents with each key of a field.
fn by_key(
    segment: &Segment,
    field: Field,
    documents: &Entries,
    counts: &mut BTreeMap<String, u64>,
) -> Result<(), TantivyError> {
    let mut keys = segment.inverted_index(field).terms().stream()?;
    while keys.advance() {
        let count = segment.count_in(field, keys.value(), documents)?;
        if count > 0 {
            *counts.entry(String::from_utf8_lossy(keys.key()).into_owned()).or_default() += count;
        }
    }
    Ok(())
}

fn directory(path: &str) -> String {
    let names: Vec<&str> = path.split('/').collect();
    match &names[..names.len() - 1] {
        [] => ".".to_owned(),
        above => above[..above.len().min(DIRECTORY_NAMES)].join("/"),
    }
}

#[cfg(test)]
mod tests {
    use super::directory;

    #[test]
    fn a_directory_is_its_first_two_components() {
        for (path, expected) in [
            ("README.md", "."),
            ("src/lib.rs", "src"),
            ("crates/core/lib.rs", "crates/core"),
            ("crates/core/src/deep/lib.rs", "crates/core"),
        ] {
            assert_eq!(directory(path), expected, "{path}");
        }
    }
}
