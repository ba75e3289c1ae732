//! Facet counts: types, languages, directories and tags of the documents that match a query.

use std::collections::BTreeMap;

use super::here::{allowed_rows, understood_in};
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::search::answer::Facet;
use crate::search::context::Search;

/// The most values of a facet: one screen. A rarer value would narrow the result to a document or two, which the hits show
/// better.
const MOST_VALUES: usize = 20;

/// Counts the documents of all stores that contain a word of the query and pass its filters, not only those among the hits.
///
/// Counts the current generation of each store, which may be newer than that of the hits.
///
/// # Errors
/// A store cannot be read.
pub(super) fn facets(search: &Search<'_>) -> Result<Vec<Facet>, StoreError> {
    let mut all: [(&str, BTreeMap<String, u64>); 4] =
        ["type", "language", "directory", "tag"].map(|name| (name, BTreeMap::new()));
    for store in search.stores {
        let understood = understood_in(search, store);
        let searcher = store.index.searcher().among(allowed_rows(search, store)?);
        let counted = searcher.facets(&understood, &understood.filters);
        let counted = counted.map_err(|source| store.index.search_error(source))?;
        let recall_index::lexical::Facets { types, languages, directories, tags } = counted;
        let mut outer_directories = BTreeMap::new();
        for (directory, count) in directories {
            *outer_directories.entry(outer(store, &directory)).or_default() += count;
        }
        for ((_, sum), more) in all.iter_mut().zip([types, languages, outer_directories, tags]) {
            for (value, count) in more {
                *sum.entry(value).or_default() += count;
            }
        }
    }
    let mut facets: Vec<_> = all.into_iter().map(|(name, counts)| most(name, counts)).collect();
    for facet in &mut facets {
        facet.mask();
    }
    Ok(facets)
}

/// Returns a directory of a store as the client sees it: at most two components.
fn outer(store: &MountedStore, directory: &str) -> String {
    let outer = store.mount.outer_directory(directory);
    outer.split('/').take(2).collect::<Vec<_>>().join("/")
}

/// Keeps the most frequent values: descending by count, then by name.
fn most(name: &'static str, counts: BTreeMap<String, u64>) -> Facet {
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let left_out = counts.len().saturating_sub(MOST_VALUES) as u64;
    counts.truncate(MOST_VALUES);
    Facet { name, counts, left_out }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_values_come_first_and_few_stay() {
        let counts = (0..25).map(|number| (format!("v{number:02}"), if number == 7 { 9 } else { 1 })).collect();
        let facet = most("tag", counts);
        assert_eq!((facet.counts.len(), facet.left_out), (MOST_VALUES, 5));
        assert_eq!(facet.counts[..2], [("v07".to_owned(), 9), ("v00".to_owned(), 1)]);
    }
}
