//! The candidates of all stores, before ranking.

use std::collections::HashSet;
use std::sync::Arc;

use recall_core::{DocumentRow, RankedList, Retriever, Traits};
use recall_index::lexical::{Evidence, SpellingSuggestions};

use super::framed::Framed;
use super::fused::{self, FusedChunk};
use super::retriever_weights::RetrieverWeights;
use super::semantic::{self, SemanticEvidence};
use super::store_results::{Links, PastValues, StoreResults};
use crate::error::StoreError;
use crate::known::Known;
use crate::ranking::ContentKind;
use crate::search::answer::Stage;
use crate::search::context::{Search, SearchedStore, StageClock};

pub(super) struct StoreCandidates {
    pub(super) lists: Vec<RankedList>,
    pub(super) evidence: Evidence,
    /// The cosines of the documents; `None` if there is no semantic retrieval.
    pub(super) semantic: Option<SemanticEvidence>,
    /// Near spellings of the query, if nothing has exactly that name.
    pub(super) suggestions: SpellingSuggestions,
    /// The chunks of the retrievers, fused and with their priors; not sorted.
    pub(super) chunks: Vec<FusedChunk>,
    /// The link graph of the documents.
    pub(super) links: Links,
    /// The places of a report that are indexed here.
    pub(super) framed: Framed,
    /// What the changes of the past lead to.
    pub(super) past: PastValues,
    /// The table of the store's documents.
    pub(super) known: Arc<Known>,
}

/// Retrieves and fuses the candidates of every store.
///
/// If rankers decide, only lexical lists are fused: the fused score is a lexical feature, and the cosine is a feature of its own.
pub(super) fn gather(
    search: &Search<'_>,
    weights: &RetrieverWeights,
    is_learned: bool,
    clock: &mut StageClock,
) -> Result<Vec<StoreCandidates>, StoreError> {
    let mut candidates = Vec::with_capacity(search.searched.len());
    let models = semantic::common_models(search.searched.iter().map(|store| store.models()));
    for store in search.searched {
        let results = store.retrieve(search, weights, models.as_deref())?;
        clock.lap(Stage::Retrieve);
        let fused = if is_learned { results.lexical_lists() } else { &results.lists };
        let chunks = fused::fuse_and_weigh(fused, search.understood, search.request);
        clock.lap(Stage::Fuse);
        let StoreResults { lists, evidence, semantic, suggestions, links, framed, past, known } = results;
        candidates.push(StoreCandidates { lists, evidence, semantic, suggestions, chunks, links, framed, past, known });
    }
    Ok(candidates)
}

impl StoreCandidates {
    /// Returns the tie-breaker of a document; see [`Known::tie_breaker`].
    pub(super) fn tie(&self, document: DocumentRow) -> u64 {
        self.known.tie_breaker(document)
    }

    pub(super) fn with_kind(&self, kind: ContentKind) -> KindCandidates<'_> {
        let is_here = |traits: Traits| ContentKind::from_traits(traits) == kind;
        let documents: Vec<_> = self.evidence.documents.iter().filter(|document| is_here(document.traits)).collect();
        let ties = documents.iter().map(|document| self.tie(document.document)).collect();
        let mut one = KindCandidates { of_store: self, kind, fused: vec![None; documents.len()], documents, ties };
        for chunk in self.chunks.iter().filter(|chunk| is_here(chunk.traits)) {
            let Some(place) = one.place(chunk.document) else { continue };
            let best = one.fused[place].get_or_insert(chunk);
            if (chunk.score, best.chunk) > (best.score, chunk.chunk) {
                *best = chunk;
            }
        }
        one
    }
}

/// The candidates of one kind in one store.
pub(super) struct KindCandidates<'a> {
    pub(super) of_store: &'a StoreCandidates,
    pub(super) kind: ContentKind,
    /// Ascending by row.
    pub(super) documents: Vec<&'a recall_index::lexical::DocumentEvidence>,
    /// The tie-breaker of each document; see [`Known::tie_breaker`].
    pub(super) ties: Vec<u64>,
    /// The best fused chunk of each document; `None` if no retriever ranked one.
    pub(super) fused: Vec<Option<&'a FusedChunk>>,
}

impl KindCandidates<'_> {
    /// Returns the index of a document in `documents`.
    pub(super) fn place(&self, document: DocumentRow) -> Option<usize> {
        self.documents.binary_search_by_key(&document, |known| known.document).ok()
    }
}

/// Returns the number of candidates of each retriever, summed over the stores.
pub(super) fn counts(candidates: &[StoreCandidates]) -> Vec<(Retriever, u64)> {
    let mut counts: Vec<(Retriever, u64)> = Vec::new();
    for list in candidates.iter().flat_map(|of_store| &of_store.lists) {
        let more = list.candidates.len() as u64;
        match counts.iter_mut().find(|(known, _)| *known == list.retriever) {
            Some((_, sum)) => *sum += more,
            None => counts.push((list.retriever, more)),
        }
    }
    counts
}

/// Returns the near spellings of the query, without duplicates.
pub(super) fn spell(searched: &[&dyn SearchedStore], candidates: &[StoreCandidates]) -> Vec<String> {
    let near = searched.iter().zip(candidates).map(|(store, of_store)| (store.mount(), &of_store.suggestions));
    let all = near
        .flat_map(|(mount, near)| near.names.iter().cloned().chain(near.paths.iter().map(|path| mount.outer(path))));
    let mut seen = HashSet::new();
    all.filter(|one| seen.insert(one.clone())).collect()
}
