//! Retrieval of candidate chunks from one store, with the evidence for their documents.

use std::panic::resume_unwind;

use recall_core::{ModelFingerprint, RankedList, Retriever, Understood};
use recall_lexical::{Depths, Evidence, NearSpellings, Retrieved, Ties};

use super::meaning::{self, Meaning};
use crate::embeddings::Near;
use crate::error::StoreError;
use crate::known::Known;
use crate::store::Store;
use crate::task_pool::{Deferred, TaskPool};

/// The number of candidates of each lexical retriever: words, names and paths.
const DEPTH: usize = 100;

/// The number of nearest chunks that are retrieved. With 100, quality does not improve (code, commit subjects and dialogues
/// within .001, headings .005 less), and a search over 100,000 chunks takes a quarter longer.
const NEAREST_DEPTH: usize = 50;

/// The results of all retrievers in one store.
pub(super) struct StoreResults {
    /// The lists of words, names and paths, and the semantic one if it was requested.
    pub(super) lists: Vec<RankedList>,
    pub(super) evidence: Evidence,
    /// `None` if semantic retrieval was not requested, or the store's embeddings are not up to date.
    pub(super) meaning: Option<Meaning>,
    /// Near spellings of the query, if nothing has exactly that name.
    pub(super) spelled: NearSpellings,
}

/// Returns whether a query may name a file: it contains a path or an identifier, or is one word. For other questions, paths
/// that share some of their words are not candidates: they cost the public code search benchmark .004 nDCG@10.
fn may_name_a_file(understood: &Understood) -> bool {
    let is_one_word = !understood.text.contains(char::is_whitespace);
    is_one_word || !understood.paths.is_empty() || !understood.identifiers.is_empty()
}

/// Runs every retriever that has a weight; the semantic one with the given models, or any. `known` gives the tie-breakers.
pub(super) fn retrieve(
    tasks: &TaskPool,
    store: &Store,
    known: &Known,
    understood: &Understood,
    weights: &[(Retriever, f64)],
    models: Option<&[ModelFingerprint]>,
) -> Result<StoreResults, StoreError> {
    let weight_of =
        |retriever| weights.iter().find(|(known, _)| *known == retriever).map_or(0.0, |&(_, weight)| weight);
    let depth = |retriever| if weight_of(retriever) > 0.0 { DEPTH } else { 0 };
    let depths = Depths {
        lexical: depth(Retriever::Lexical),
        symbol: depth(Retriever::Symbol),
        path: if may_name_a_file(understood) { depth(Retriever::Path) } else { 0 },
    };
    let failed = |source| store.search_failed(source);
    let searcher = store.lexical.searcher();
    let find = if weight_of(Retriever::Semantic) > 0.0 {
        meaning::near(store, &searcher, understood, NEAREST_DEPTH, models).map_err(failed)?
    } else {
        None
    };
    let find = find.map(|find| tasks.spawn_from(searcher.chunk_count(), find));
    let mut near = Ok(None);
    let neighbours = || {
        near = find.map_or(Ok(None), Deferred::try_join);
        let near: Option<&Near> = near.as_ref().ok().and_then(Option::as_ref);
        near.map(|near| near.neighbours.clone()).unwrap_or_default()
    };
    let tie = |document| known.tie(document);
    let ties: Ties<'_> = if known.memories.is_empty() { None } else { Some(&tie) };
    let retrieved = searcher.retrieve(understood, &understood.filters, depths, neighbours, ties);
    // A panic in the model is passed on here, so that it is not reported as damage of the lexical index.
    let near = near.unwrap_or_else(|panic| resume_unwind(panic));
    let Retrieved { lexical, symbol, path, semantic, mut evidence, near: spelled } = retrieved.map_err(failed)?;
    let list = |retriever, candidates| RankedList { retriever, weight: weight_of(retriever), candidates };
    let mut lists =
        vec![list(Retriever::Lexical, lexical), list(Retriever::Symbol, symbol), list(Retriever::Path, path)];
    let meaning = near.map(|near| {
        lists.push(list(Retriever::Semantic, semantic));
        Meaning::of(&near, &mut lists, &mut evidence)
    });
    Ok(StoreResults { lists, evidence, meaning, spelled })
}
