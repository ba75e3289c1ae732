//! Which chunks may answer the query, and what speaks for their documents?

use recall_core::{RankedList, Retriever, Understood};
use recall_lexical::{Depths, Evidence, Retrieved};

use crate::error::StoreError;
use crate::store::Store;

/// How many candidates each retriever brings.
const DEPTH: usize = 100;

/// Asks every retriever that has a weight.
pub(super) fn retrieve(
    store: &Store,
    understood: &Understood,
    weights: &[(Retriever, f64)],
) -> Result<(Vec<RankedList>, Evidence), StoreError> {
    let weight_of =
        |retriever| weights.iter().find(|(known, _)| *known == retriever).map_or(0.0, |&(_, weight)| weight);
    let depth = |retriever| if weight_of(retriever) > 0.0 { DEPTH } else { 0 };
    let depths =
        Depths { lexical: depth(Retriever::Lexical), symbol: depth(Retriever::Symbol), path: depth(Retriever::Path) };
    let retrieved = store.lexical.searcher().retrieve(understood, &understood.filters, depths);
    let Retrieved { lexical, symbol, path, evidence } = retrieved.map_err(|source| store.search_failed(source))?;
    let list = |retriever, candidates| RankedList { retriever, weight: weight_of(retriever), candidates };
    let lists = vec![list(Retriever::Lexical, lexical), list(Retriever::Symbol, symbol), list(Retriever::Path, path)];
    Ok((lists, evidence))
}
