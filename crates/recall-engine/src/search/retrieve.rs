//! Which chunks may answer the query, and what speaks for their documents?

use std::panic::resume_unwind;

use recall_core::{ModelFingerprint, RankedList, Retriever, Understood};
use recall_lexical::{Depths, Evidence, NearSpellings, Retrieved, Ties};

use super::meaning::{self, Meaning};
use crate::embeddings::Near;
use crate::error::StoreError;
use crate::known::Known;
use crate::store::Store;
use crate::task_pool::{Deferred, TaskPool};

/// How many candidates each retriever brings that goes by words, names or paths.
const DEPTH: usize = 100;

/// How many chunks that lie near the query are brought. With 100 of them nothing is found better (code, commit subjects and
/// dialogues within .001, headings .005 less), and over 100,000 chunks a search takes a quarter longer.
const NEAR: usize = 50;

/// What the retrievers say of one store.
pub(super) struct Brought {
    /// By words, names, paths, and by meaning where that was asked.
    pub(super) lists: Vec<RankedList>,
    pub(super) evidence: Evidence,
    /// `None` where meaning was not asked, or the store's embeddings have not caught up.
    pub(super) meaning: Option<Meaning>,
    /// What is spelled nearly like a query that nothing is called by.
    pub(super) spelled: NearSpellings,
}

/// Whether a query may name a file: it holds a path, a name, or is one word. Of a question in words the paths that share some of them
/// are no candidates of their own: they cost the public code search benchmark .004 nDCG@10.
fn may_name_a_file(understood: &Understood) -> bool {
    let is_one_word = !understood.text.contains(char::is_whitespace);
    is_one_word || !understood.paths.is_empty() || !understood.identifiers.is_empty()
}

/// Asks every retriever that has a weight; for the meaning these models, or any. What is known of the documents decides between
/// equals.
pub(super) fn retrieve(
    tasks: &TaskPool,
    store: &Store,
    known: &Known,
    understood: &Understood,
    weights: &[(Retriever, f64)],
    models: Option<&[ModelFingerprint]>,
) -> Result<Brought, StoreError> {
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
        meaning::near(store, &searcher, understood, NEAR, models).map_err(failed)?
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
    // A model that panicked is no damage of the lexical index.
    let near = near.unwrap_or_else(|panic| resume_unwind(panic));
    let Retrieved { lexical, symbol, path, semantic, mut evidence, near: spelled } = retrieved.map_err(failed)?;
    let list = |retriever, candidates| RankedList { retriever, weight: weight_of(retriever), candidates };
    let mut lists =
        vec![list(Retriever::Lexical, lexical), list(Retriever::Symbol, symbol), list(Retriever::Path, path)];
    let meaning = near.map(|near| {
        lists.push(list(Retriever::Semantic, semantic));
        Meaning::of(&near, &mut lists, &mut evidence)
    });
    Ok(Brought { lists, evidence, meaning, spelled })
}
