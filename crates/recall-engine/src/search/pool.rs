//! What was found in the stores, before anything is put in order.

use std::collections::HashSet;
use std::sync::Arc;

use recall_core::{Ablation, DocumentRow, RankedList, Retriever, Traits};
use recall_lexical::{Evidence, NearSpellings};

use super::fused::{self, FusedChunk};
use super::meaning::{self, Meaning};
use super::retrieve::{self, Brought};
use crate::error::StoreError;
use crate::known::Known;
use crate::links::structure::Structure;
use crate::ranking::Kind;
use crate::search::answer::Stage;
use crate::search::context::{Search, StageClock};

/// What was found in one store.
pub(super) struct Finds {
    pub(super) lists: Vec<RankedList>,
    pub(super) evidence: Evidence,
    /// How near the documents are in meaning; `None` where that has no say.
    pub(super) meaning: Option<Meaning>,
    /// What is spelled nearly like a query that nothing is called by.
    pub(super) spelled: NearSpellings,
    /// The chunks that the retrievers brought, fused and with their priors; in no particular order.
    pub(super) chunks: Vec<FusedChunk>,
    /// How the documents hang together; `None` where that has no say.
    pub(super) structure: Option<Arc<Structure>>,
    /// What is known of the documents.
    pub(super) known: Arc<Known>,
}

/// How many lists there are beside that of the meaning, which comes last. Where rankers decide, the fused score is one of
/// the things that they know of words, and the meaning is told beside it.
const BY_WORDS: usize = 3;

/// Asks every store.
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
        let brought =
            retrieve::retrieve(&search.engine.tasks, store, &known, search.understood, weights, models.as_deref())?;
        let Brought { lists, evidence, meaning, spelled } = brought;
        clock.lap(Stage::Retrieve);
        let fused = if is_learned { &lists[..lists.len().min(BY_WORDS)] } else { &lists };
        let chunks = fused::fuse_and_weigh(fused, search.understood, search.request);
        clock.lap(Stage::Fuse);
        let has_say = !search.request.without.contains(&Ablation::Structure);
        let structure = has_say.then(|| store.structure()).filter(|structure| structure.is_read());
        pool.push(Finds { lists, evidence, meaning, spelled, chunks, structure, known });
    }
    Ok(pool)
}

impl Finds {
    /// What decides between documents that fit equally well; see [`Known::tie`].
    pub(super) fn tie(&self, document: DocumentRow) -> u64 {
        self.known.tie(document)
    }

    /// The part of what was found that is on one kind.
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

/// What was found in one store, on one kind.
pub(super) struct OfKind<'a> {
    pub(super) finds: &'a Finds,
    pub(super) kind: Kind,
    /// Ascending by row.
    pub(super) documents: Vec<&'a recall_lexical::DocumentEvidence>,
    /// What decides between equal documents, in their order; see [`Known::tie`].
    pub(super) ties: Vec<u64>,
    /// The best chunk of each document, in their order, where one was ranked.
    pub(super) fused: Vec<Option<&'a FusedChunk>>,
}

impl OfKind<'_> {
    /// The place of a document among those of the kind.
    pub(super) fn place(&self, document: DocumentRow) -> Option<usize> {
        self.documents.binary_search_by_key(&document, |known| known.document).ok()
    }
}

/// The number of candidates that each retriever brought, of all stores together.
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

/// Names and paths that are spelled nearly like the query, each once.
pub(super) fn spelled(pool: &[Finds]) -> Vec<String> {
    let all = pool.iter().flat_map(|finds| finds.spelled.names.iter().chain(&finds.spelled.paths));
    let mut seen = HashSet::new();
    all.filter(|one| seen.insert(*one)).cloned().collect()
}
