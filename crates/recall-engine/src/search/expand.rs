//! Reading of the selected chunks, and the check that files and memories have not changed since they were indexed.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use recall_core::{ChunkRow, Document, DocumentKey, DocumentRow};
use recall_text::error_chain;
use recall_watch::StatOutcome;

use super::candidates::StoreCandidates;
use super::store_results::ChunksRead;
use crate::error::StoreError;
use crate::ranking::features;
use crate::search::answer::{Explanation, Hit};
use crate::search::context::Search;
use crate::search::ranked::{Learned, Ranked};
use crate::store::Store;
use crate::task_pool::Deferred;
use crate::warning::Warning;

/// The result of reading the selected chunks.
pub(super) enum Expanded {
    Hits {
        hits: Vec<Hit>,
        /// Files that changed and could not be indexed in time.
        left_out: BTreeSet<String>,
        /// Shared stores whose texts could not be read; their hits are left out.
        unread: Vec<Warning>,
    },
    /// Files had changed and were indexed. The search must restart.
    Overtaken,
}

/// Reads the selected chunks. Highlights are not computed.
pub(super) fn expand(search: &Search<'_>, selected: &[Ranked<'_>], is_last: bool) -> Result<Expanded, StoreError> {
    let mut all = Vec::with_capacity(selected.len());
    let (mut all_left_out, mut all_unread) = (BTreeSet::new(), Vec::new());
    for (place, store) in search.searched.iter().enumerate() {
        let here: Vec<&Ranked<'_>> = selected.iter().filter(|ranked| ranked.store == place).collect();
        let chunks: Vec<(DocumentRow, ChunkRow)> = here.iter().map(|ranked| (ranked.document, ranked.chunk)).collect();
        let ChunksRead::Read { hits, left_out, unread } = store.hits(search, &chunks, is_last)? else {
            return Ok(Expanded::Overtaken);
        };
        all_left_out.extend(left_out);
        all_unread.extend(unread);
        all.extend(here.into_iter().zip(hits).filter_map(|(ranked, hit)| Some(with_rank(search, ranked, hit?))));
    }
    Ok(Expanded::Hits { hits: all, left_out: all_left_out, unread: all_unread })
}

/// Refreshes the journal of every store that has memories among the candidates, so that a memory that was deleted or merged
/// meanwhile is not returned.
pub(super) fn refresh_journals(search: &Search<'_>, candidates: &[StoreCandidates]) -> Vec<Deferred<()>> {
    let now = search.engine.clock.now();
    let with_memories = search.stores.iter().zip(candidates).filter(|(_, found)| {
        let documents = &found.evidence.documents;
        documents.iter().any(|document| found.known.memories.memory_in_row(document.document).is_some())
    });
    let refresh = |store: &Arc<Store>| {
        let store = Arc::clone(store);
        search.engine.tasks.spawn(move || {
            if let Err(error) = store.ledger.refresh_if_needed(now) {
                tracing::warn!(root = %store.root.display(), reason = error_chain(&error), "the journals were not read");
            }
        })
    };
    with_memories.map(|(store, _)| refresh(store)).collect()
}

/// Returns the hit with its rank, its scores and their explanation.
fn with_rank(search: &Search<'_>, ranked: &Ranked<'_>, hit: Hit) -> Hit {
    let explanation = match search.request.explain {
        recall_core::Explain::Off => None,
        recall_core::Explain::On => Some(Explanation {
            ranks: ranked.fused.iter().flat_map(|chunk| chunk.ranks()).collect(),
            fused: ranked.fused.map_or(0.0, |chunk| chunk.fused),
            priors: ranked
                .fused
                .iter()
                .filter_map(|chunk| chunk.prior)
                .chain(ranked.demotion)
                .chain(ranked.item_priors.iter().copied())
                .collect(),
            contributions: ranked.learned.as_ref().map(|learned| contributions(search, learned)).unwrap_or_default(),
            reranked: ranked.reranked,
        }),
    };
    Hit {
        store: ranked.store,
        score: ranked.score,
        confidence: ranked.learned.as_ref().map(|learned| f64::from(learned.confidence)),
        support: ranked.learned.as_ref().map(|learned| f64::from(learned.support)),
        explanation,
        ..hit
    }
}

/// Returns what each feature added to the ranker's score, without the zeros.
fn contributions(search: &Search<'_>, learned: &Learned) -> Vec<(&'static str, f64)> {
    let Some(ranker) = search.rankers.and_then(|rankers| rankers.relevance(learned.set)) else { return Vec::new() };
    let by_feature = ranker.contributions(&learned.features.row(learned.place)).by_feature;
    features::all_names().into_iter().zip(by_feature).filter(|&(_, added)| added != 0.0).collect()
}

/// Returns the files and memories that differ from their indexed state. Costs one `stat` a file.
pub(crate) fn changed_documents<'a>(
    store: &Store,
    documents: impl Iterator<Item = &'a Document>,
) -> BTreeSet<DocumentKey> {
    let mut checked: HashMap<DocumentKey, bool> = HashMap::new();
    for document in documents {
        checked.entry(document.key()).or_insert_with_key(|key| match key {
            DocumentKey::Memory(id) => !store.ledger.is_up_to_date(*id, document.hash),
            DocumentKey::File(path) => !matches!(
                store.files.stat(path),
                StatOutcome::File { size_bytes, modified }
                    if size_bytes == document.size_bytes && modified == document.modified
            ),
        });
    }
    checked.into_iter().filter(|&(_, is_changed)| is_changed).map(|(key, _)| key).collect()
}
