//! The candidates of all stores, before ranking.

use std::collections::HashSet;
use std::sync::Arc;

use recall_core::{Ablation, DocumentRow, RankedList, Retriever, Traits};
use recall_lexical::{Evidence, NearSpellings};

use super::fused::{self, FusedChunk};
use super::meaning::{self, Meaning};
use super::retrieve::{self, StoreResults};
use crate::error::StoreError;
use crate::known::Known;
use crate::links::structure::Structure;
use crate::ranking::Kind;
use crate::search::answer::Stage;
use crate::search::context::{Search, StageClock};

/// The candidates of one store.
pub(super) struct Finds {
    pub(super) lists: Vec<RankedList>,
    pub(super) evidence: Evidence,
    /// The cosines of the documents; `None` if there is no semantic retrieval.
    pub(super) meaning: Option<Meaning>,
    /// Near spellings of the query, if nothing has exactly that name.
    pub(super) spelled: NearSpellings,
    /// The chunks of the retrievers, fused and with their priors; not sorted.
    pub(super) chunks: Vec<FusedChunk>,
    /// The link graph of the documents; `None` if it is switched off or not read yet.
    pub(super) structure: Option<Arc<Structure>>,
    /// The table of the store's documents.
    pub(super) known: Arc<Known>,
}

/// The number of lexical lists; the semantic list comes after them. If rankers decide, only lexical lists are fused: the fused
/// score is a lexical feature, and the cosine is a feature of its own.
const LEXICAL_LISTS: usize = 3;

/// Retrieves and fuses the candidates of every store.
pub(super) fn gather(
    search: &Search<'_>,
    weights: &[(Retriever, f64)],
    is_learned: bool,
    clock: &mut StageClock,
) -> Result<Vec<Finds>, StoreError> {
    let mut pool = Vec::with_capacity(search.stores.len());
    let models = meaning::shared_models(search.stores);
    for store in search.stores {
        let known = store.known();
        let results =
            retrieve::retrieve(&search.engine.tasks, store, &known, search.understood, weights, models.as_deref())?;
        let StoreResults { lists, evidence, meaning, spelled } = results;
        clock.lap(Stage::Retrieve);
        let fused = if is_learned { &lists[..lists.len().min(LEXICAL_LISTS)] } else { &lists };
        let chunks = fused::fuse_and_weigh(fused, search.understood, search.request);
        clock.lap(Stage::Fuse);
        let is_on = !search.request.without.contains(&Ablation::Structure);
        let structure = is_on.then(|| store.structure()).filter(|structure| structure.is_read());
        pool.push(Finds { lists, evidence, meaning, spelled, chunks, structure, known });
    }
    Ok(pool)
}

impl Finds {
    /// Returns the tie-breaker of a document; see [`Known::tie`].
    pub(super) fn tie(&self, document: DocumentRow) -> u64 {
        self.known.tie(document)
    }

    /// Returns the candidates of one kind.
    pub(super) fn on(&self, kind: Kind) -> OfKind<'_> {
        let is_here = |traits: Traits| Kind::of(traits) == kind;
        let documents: Vec<_> = self.evidence.documents.iter().filter(|document| is_here(document.traits)).collect();
        let ties = documents.iter().map(|document| self.tie(document.document)).collect();
        let mut one = OfKind { finds: self, kind, fused: vec![None; documents.len()], documents, ties };
        for chunk in self.chunks.iter().filter(|chunk| is_here(chunk.fused.traits)) {
            let Some(place) = one.place(chunk.fused.document) else { continue };
            let best = one.fused[place].get_or_insert(chunk);
            if (chunk.score, best.fused.chunk) > (best.score, chunk.fused.chunk) {
                *best = chunk;
            }
        }
        one
    }
}

/// The candidates of one kind in one store.
pub(super) struct OfKind<'a> {
    pub(super) finds: &'a Finds,
    pub(super) kind: Kind,
    /// Ascending by row.
    pub(super) documents: Vec<&'a recall_lexical::DocumentEvidence>,
    /// The tie-breaker of each document; see [`Known::tie`].
    pub(super) ties: Vec<u64>,
    /// The best fused chunk of each document; `None` if no retriever ranked one.
    pub(super) fused: Vec<Option<&'a FusedChunk>>,
}

impl OfKind<'_> {
    /// Returns the index of a document in `documents`.
    pub(super) fn place(&self, document: DocumentRow) -> Option<usize> {
        self.documents.binary_search_by_key(&document, |known| known.document).ok()
    }
}

/// Returns the number of candidates of each retriever, summed over the stores.
pub(super) fn counts(pool: &[Finds]) -> Vec<(Retriever, u64)> {
    let mut counts: Vec<(Retriever, u64)> = Vec::new();
    for RankedList { retriever, candidates, .. } in pool.iter().flat_map(|finds| &finds.lists) {
        let more = candidates.len() as u64;
        match counts.iter_mut().find(|(known, _)| known == retriever) {
            Some((_, sum)) => *sum += more,
            None => counts.push((*retriever, more)),
        }
    }
    counts
}

/// Returns the near spellings of the query, without duplicates.
pub(super) fn spelled(pool: &[Finds]) -> Vec<String> {
    let all = pool.iter().flat_map(|finds| finds.spelled.names.iter().chain(&finds.spelled.paths));
    let mut seen = HashSet::new();
    all.filter(|one| seen.insert(*one)).cloned().collect()
}
