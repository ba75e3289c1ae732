//! Which chunks may answer the query?

use recall_core::{RankedList, Retriever, Understood};

use crate::error::StoreError;
use crate::store::Store;

/// How many candidates each retriever brings.
const DEPTH: usize = 100;

/// Asks every retriever that has a weight.
pub(super) fn retrieve(
    store: &Store,
    understood: &Understood,
    weights: &[(Retriever, f64)],
) -> Result<Vec<RankedList>, StoreError> {
    let searcher = store.lexical.searcher();
    let filters = &understood.filters;
    let mut lists = Vec::with_capacity(weights.len());
    for &(retriever, weight) in weights.iter().filter(|(_, weight)| *weight > 0.0) {
        let candidates = match retriever {
            Retriever::Lexical => searcher.lexical(understood, filters, DEPTH),
            Retriever::Symbol => searcher.symbols(understood, filters, DEPTH),
            Retriever::Path => searcher.paths(understood, filters, DEPTH),
            Retriever::Semantic => continue,
        };
        let candidates = candidates.map_err(|source| store.search_failed(source))?;
        lists.push(RankedList { retriever, weight, candidates });
    }
    Ok(lists)
}
