//! Retrieval of candidate chunks from one store, with the evidence for their documents.

use std::panic::resume_unwind;
use std::sync::Arc;

use recall_core::{ChunkRow, ModelFingerprint, RankedList, Retriever};
use recall_lexical::{Depths, Evidence, Retrieved, SpellingSuggestions, TieBreaker};

use super::depths::{DEPTH, NEAREST_DEPTH, may_name_a_file};
use super::retriever_weights::RetrieverWeights;
use super::semantic::{self, SemanticEvidence};
use super::shared::SharedAnswer;
use crate::embeddings::Near;
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::known::Known;
use crate::ranking::FeatureSet;
use crate::search::context::Search;
use crate::task_pool::Deferred;

/// The results of all retrievers in one store.
pub(super) struct StoreResults {
    /// The lists of words, names and paths, and the semantic one if it was requested.
    pub(super) lists: Vec<RankedList>,
    pub(super) evidence: Evidence,
    /// `None` if semantic retrieval was not requested, or the store's embeddings are not up to date.
    pub(super) semantic: Option<SemanticEvidence>,
    /// Near spellings of the query, if nothing has exactly that name.
    pub(super) suggestions: SpellingSuggestions,
}

/// Runs every retriever that has a weight; the semantic one with the given models, or any. `known` gives the tie-breakers.
pub(super) fn retrieve(
    search: &Search<'_>,
    store: &MountedStore,
    known: &Known,
    weights: &RetrieverWeights,
    models: Option<&[ModelFingerprint]>,
) -> Result<StoreResults, StoreError> {
    let (tasks, understood) = (&search.engine.tasks, &*search.understood_in(store));
    let depth = |weight| if weight > 0.0 { DEPTH } else { 0 };
    let depths = Depths {
        lexical: depth(weights.lexical),
        symbol: depth(weights.symbol),
        path: if may_name_a_file(understood) { depth(weights.path) } else { 0 },
    };
    let failed = |source| store.search_failed(source);
    let searcher = store.lexical.searcher().among(search.allowed(store)?);
    let find = if weights.asks_semantic() {
        semantic::near(store, &searcher, understood, NEAREST_DEPTH, models).map_err(failed)?
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
    let tie = |document| known.tie_breaker(document);
    let tie_breaker = (!known.memories.is_empty()).then_some(&tie as TieBreaker<'_>);
    let retrieved = searcher.retrieve(understood, &understood.filters, depths, neighbours, tie_breaker);
    // A panic in the model is passed on here, so that it is not reported as damage of the lexical index.
    let near = near.unwrap_or_else(|panic| resume_unwind(panic));
    let Retrieved { lexical, symbol, path, semantic: nearest, mut evidence, suggestions } =
        retrieved.map_err(failed)?;
    let list = |retriever, candidates| RankedList { retriever, weight: weights.get(retriever), candidates };
    let mut lists =
        vec![list(Retriever::Lexical, lexical), list(Retriever::Symbol, symbol), list(Retriever::Path, path)];
    let semantic = near.map(|near| {
        lists.push(list(Retriever::Semantic, nearest));
        let features = if near.is_blended() { FeatureSet::Blended } else { FeatureSet::Semantic };
        let nearness = |rows: &[ChunkRow]| near.nearness(rows);
        SemanticEvidence::of(Arc::clone(&near.model), features, nearness, &mut lists, &mut evidence)
    });
    Ok(StoreResults { lists, evidence, semantic, suggestions })
}

/// Returns what the retrievers that have a weight found in a shared store.
pub(super) fn of_shared(shared: &SharedAnswer, weights: &RetrieverWeights) -> StoreResults {
    let Retrieved { lexical, symbol, path, semantic: nearest, mut evidence, suggestions } = shared.retrieved.clone();
    let list = |retriever, candidates| RankedList { retriever, weight: weights.get(retriever), candidates };
    let mut lists =
        vec![list(Retriever::Lexical, lexical), list(Retriever::Symbol, symbol), list(Retriever::Path, path)];
    let model = shared.model.as_deref().filter(|_| weights.asks_semantic());
    let semantic = model.map(|model| {
        lists.push(list(Retriever::Semantic, nearest));
        let nearness = |rows: &[ChunkRow]| shared.nearness(rows);
        SemanticEvidence::of(model.into(), FeatureSet::Semantic, nearness, &mut lists, &mut evidence)
    });
    StoreResults { lists, evidence, semantic, suggestions }
}
