//! Reading of the selected chunks, and the check that their files have not changed since.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use recall_catalog::StoredChunk;
use recall_core::{ChunkRow, Document, DocumentKey, MemoryId, MemoryView, error_chain};
use recall_watch::StatOutcome;

use super::candidates::StoreCandidates;
use crate::error::StoreError;
use crate::indexing::refresh_documents;
use crate::ranking::features;
use crate::search::answer::{Explanation, Hit};
use crate::search::context::Search;
use crate::search::ranked::{Learned, Ranked};
use crate::store::{Passage, Passages, Store};
use crate::task_pool::Deferred;
use crate::warning::Warning;

/// How long a search waits for a generation that is being published.
const PUBLICATION_PATIENCE: Duration = Duration::from_secs(2);

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

/// Reads the selected chunks and compares each chunk's file with its indexed state. Highlights are not computed.
pub(super) fn expand(search: &Search<'_>, selected: &[Ranked<'_>], is_last: bool) -> Result<Expanded, StoreError> {
    let mut hits = Vec::with_capacity(selected.len());
    let mut left_out = BTreeSet::new();
    for (place, store) in search.stores.iter().enumerate() {
        let here: Vec<&Ranked<'_>> = selected.iter().filter(|ranked| ranked.store == place).collect();
        let rows: Vec<ChunkRow> = here.iter().map(|ranked| ranked.chunk).collect();
        let mut compared = Compared::with_files(search, store, store.passages(&rows)?)?;
        if compared.passages.are_any_kept && !compared.changed.is_empty() {
            compared = Compared::with_files(search, store, store.read_passages_uncached(&rows)?)?;
        }
        let Compared { passages, memories, changed } = compared;
        if passages.all.iter().any(Option::is_none) && !is_last {
            // The catalog already holds the batch that the lexical index is about to publish.
            store.generation_gate.wait_for(passages.generation, PUBLICATION_PATIENCE);
            return Ok(Expanded::Overtaken);
        }
        let changed_anchors = store.changed_anchors(memories.values().map(|recalled| &recalled.memory));
        if !changed_anchors.is_empty() && !is_last && bring_up(search, store, &changed_anchors) {
            return Ok(Expanded::Overtaken);
        }
        if !changed.is_empty() {
            if !is_last && bring_up(search, store, &changed) {
                return Ok(Expanded::Overtaken);
            }
            left_out.extend(changed.iter().map(|key| store.mount.outer(key.to_path().as_str())));
        }
        for (ranked, passage) in here.into_iter().zip(passages.all) {
            if let Some(passage) = passage
                && !changed.contains(&passage.stored.document.document.key())
            {
                let id = passage.stored.document.document.memory;
                let memory = id.and_then(|id| memories.get(&id).cloned()).map(Box::new);
                hits.push(Hit { memory, ..hit(search, store, ranked, &passage) });
            }
        }
    }
    let mut unread = Vec::new();
    for (number, shared) in search.shared.iter().enumerate() {
        let number = search.stores.len() + number;
        let here: Vec<&Ranked<'_>> = selected.iter().filter(|ranked| ranked.store == number).collect();
        let rows: Vec<ChunkRow> = here.iter().map(|ranked| ranked.chunk).collect();
        let texts = shared.texts(&rows).unwrap_or_else(|error| {
            unread.push(shared.unread(&error));
            Vec::new()
        });
        for (ranked, text) in here.into_iter().zip(texts) {
            let hit = text.and_then(|text| shared.hit(ranked.document, ranked.chunk, text));
            hits.extend(hit.map(|hit| with_rank(search, ranked, hit)));
        }
    }
    Ok(Expanded::Hits { hits, left_out, unread })
}

/// Passages, compared with the current state of their files and memories.
struct Compared {
    passages: Passages,
    memories: HashMap<MemoryId, MemoryView>,
    /// The files and memories that differ from what was read of them.
    changed: BTreeSet<DocumentKey>,
}

impl Compared {
    fn with_files(search: &Search<'_>, store: &Store, passages: Passages) -> Result<Self, StoreError> {
        let stored = || passages.all.iter().flatten().map(|passage| &passage.stored);
        let memories = memories(search, store, stored())?;
        let changed = changed_documents(store, stored().map(|chunk| &chunk.document.document));
        Ok(Self { passages, memories, changed })
    }
}

/// Refreshes the journal of every store that has memories among the candidates, so that a memory that was deleted or merged
/// meanwhile is not returned.
pub(super) fn refresh_journals(search: &Search<'_>, candidates: &[StoreCandidates]) -> Vec<Deferred<()>> {
    let now = search.engine.clock.now();
    let with_memories = search.stores.iter().zip(candidates).filter(|(_, found)| {
        let documents = &found.evidence.documents;
        documents.iter().any(|document| found.known.memories.of_row(document.document).is_some())
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

/// Returns the memories of the chunks, with their validity.
fn memories<'a>(
    search: &Search<'_>,
    store: &Store,
    stored: impl Iterator<Item = &'a StoredChunk>,
) -> Result<HashMap<MemoryId, MemoryView>, StoreError> {
    let now = search.engine.clock.now();
    let ids: BTreeSet<_> = stored.filter_map(|chunk| chunk.document.document.memory).collect();
    store.ledger.load_memories(ids.iter().copied());
    let mut memories = HashMap::with_capacity(ids.len());
    for id in ids {
        memories.extend(store.recalled_as_hit(id, now)?.map(|recalled| (id, recalled)));
    }
    Ok(memories)
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
                store.stat(path),
                StatOutcome::File { size_bytes, modified }
                    if size_bytes == document.size_bytes && modified == document.modified
            ),
        });
    }
    checked.into_iter().filter(|&(_, is_changed)| is_changed).map(|(key, _)| key).collect()
}

/// Indexes the changed files. Returns whether that succeeded.
fn bring_up(search: &Search<'_>, store: &Arc<Store>, changed: &BTreeSet<DocumentKey>) -> bool {
    match refresh_documents(store, changed, search.engine.clock.now()) {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(root = %store.root.display(), reason = error_chain(&error), "changed files are not indexed");
            false
        }
    }
}

fn hit(search: &Search<'_>, store: &Store, ranked: &Ranked<'_>, passage: &Passage) -> Hit {
    let Passage { stored, parents } = passage;
    let hit = Hit {
        id: stored.id,
        scope: store.scope,
        store: ranked.store,
        highlights: Vec::new(),
        document: stored.document.document.clone(),
        chunk: stored.chunk.clone(),
        text: stored.text.clone(),
        score: 0.0,
        confidence: None,
        support: None,
        also_at: Vec::new(),
        parents: parents.clone(),
        explanation: None,
        memory: None,
        adopted: None,
    };
    with_rank(search, ranked, hit)
}

/// Returns the hit with its rank, its scores and their explanation.
fn with_rank(search: &Search<'_>, ranked: &Ranked<'_>, hit: Hit) -> Hit {
    let explanation = match search.request.explain {
        recall_core::Explain::Off => None,
        recall_core::Explain::On => Some(Explanation {
            ranks: ranked.fused.iter().flat_map(|chunk| chunk.fused.ranks()).collect(),
            fused: ranked.fused.map_or(0.0, |chunk| chunk.fused.score),
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
    let rankers = search.ranking.rankers.as_ref();
    let Some(ranker) = rankers.and_then(|rankers| rankers.relevance(learned.set)) else { return Vec::new() };
    let by_feature = ranker.contributions(&learned.features.row(learned.place)).by_feature;
    features::all_names().into_iter().zip(by_feature).filter(|&(_, added)| added != 0.0).collect()
}
