//! Feedback on an item, and the ranking factors from it and from the use of files.

use std::collections::HashMap;
use std::sync::Arc;

use recall_core::{
    ChunkId, DocumentId, DocumentKey, Event, EventBody, FeedbackTally, ItemId, ItemStats, RateItem, Scope, Timestamp,
    Verdict,
};
use recall_index::catalog::StoredDocument;

use super::prior::usefulness;
use crate::Engine;
use crate::engine::MountedStore;
use crate::engine::recorder::Note;
use crate::error::{MemoryError, StoreError};
use crate::git::Head;
use crate::ledger::{Ledger, Vouching};
use crate::mask::Masking;
use crate::origin::Origin;
use crate::ranking::Factor;
use crate::store::{self, Index, ItemFacts, Store};

/// The feedback on an item, including the new one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeedbackReport {
    /// All verdicts on the item, this one included.
    pub stats: ItemStats,
}

impl Engine {
    /// Stores a verdict on a memory, a document or a chunk. It is on disk when this returns.
    ///
    /// # Errors
    /// The item or the item that it is said to duplicate is not known, or the journal cannot be written.
    pub fn rate_item(&self, origin: &Origin, request: &RateItem) -> Result<FeedbackReport, MemoryError> {
        let now = self.clock.now();
        let stores = self.stores(origin, Scope::All)?;
        for store in &stores {
            store.ledger.refresh(now)?;
        }
        let not_found = |item: ItemId| MemoryError::NotFound { id: item.to_string() };
        let (store, item) = holder(&stores, request.item)?.ok_or_else(|| not_found(request.item))?;
        let mut feedback = request.feedback.clone();
        if let Verdict::Duplicate { of } = &mut feedback.verdict {
            (_, *of) = holder(&stores, *of)?.ok_or_else(|| not_found(*of))?;
        }
        feedback.note = Masking::default().mask_some(feedback.note.as_deref());
        let timestamp = match item {
            ItemId::Memory(id) => store.ledger.moment_after(id, now),
            ItemId::Document(_) | ItemId::Chunk(_) => now,
        };
        let vouching = match feedback.verdict {
            Verdict::Useful => Vouching::from_provenance(&request.provenance),
            Verdict::NotUseful | Verdict::Outdated | Verdict::Duplicate { .. } => Vouching::Keeps,
        };
        let said = Event {
            timestamp,
            id: store.ledger.event_id(None, now),
            body: EventBody::Feedback { item, feedback },
            provenance: store::complete_provenance(&request.provenance, &Head::read_from(&store.root), &store),
        };
        match item {
            ItemId::Memory(id) => store.ledger.write_about(id, said, vouching)?,
            ItemId::Document(_) | ItemId::Chunk(_) => store.ledger.write(&[said])?,
        }
        self.note_judgment(origin, request);
        Ok(FeedbackReport { stats: item_stats(&store.ledger, &store.facts, item) })
    }

    /// Records the verdict in the client's session, if it has one. Does not wait for the write.
    fn note_judgment(&self, origin: &Origin, request: &RateItem) {
        let RateItem { item, feedback, provenance } = request;
        self.recorder.note(origin, provenance, || Note::Judgment { item: *item, feedback: feedback.clone() });
    }
}

/// Returns the first store that holds an item, and the item. The document or chunk of a memory is replaced by the memory. A
/// promoted memory is held by the store that it was moved to, if that still has it.
pub(super) fn holder(stores: &[MountedStore], item: ItemId) -> Result<Option<(Arc<Store>, ItemId)>, StoreError> {
    let mut moved = None;
    for store in stores {
        let key = |document: StoredDocument| document.document.key();
        let inner = |id| store.mount.inner_id(id, &store.index.known_documents());
        let item = match item {
            ItemId::Memory(_) => Some(item),
            ItemId::Document(id) => inner(id).map(ItemId::Document),
            ItemId::Chunk(id) => inner(id.document).map(|document| ItemId::Chunk(ChunkId { document, ..id })),
        };
        let Some(item) = item else { continue };
        let key = match item {
            ItemId::Memory(id) => match store.ledger.memory(id) {
                Some(memory) if memory.promoted.is_none() => return Ok(Some((Arc::clone(&store.store), item))),
                Some(_) => {
                    moved.get_or_insert((Arc::clone(&store.store), item));
                    None
                }
                None => None,
            },
            ItemId::Document(id) => store.index.read(|snapshot| Ok(snapshot.document(id)?.map(key)))?,
            ItemId::Chunk(id) => {
                store.index.read(|snapshot| Ok(snapshot.chunk(id)?.map(|chunk| key(chunk.document))))?
            }
        };
        if let Some(key) = key {
            let item = match key {
                DocumentKey::Memory(id) => ItemId::Memory(id),
                DocumentKey::File(_) => item,
            };
            return Ok(Some((Arc::clone(&store.store), item)));
        }
    }
    Ok(moved)
}

/// Returns the factors from feedback on files and from their use, by the row of the document. Documents without either have no entry.
///
/// The rows are looked up again for each generation, for each new verdict and for each new use. While long journals are read for the first time,
/// there are no factors.
pub(crate) fn rated_files(
    ledger: &Ledger,
    index: &Index,
    facts: &ItemFacts,
    now: Timestamp,
) -> Result<Arc<HashMap<i64, Factor>>, StoreError> {
    ledger.refresh_if_small(now);
    facts.factors(index.known_documents().generation, ledger.file_ratings(), |ratings| {
        index.read(|snapshot| {
            let mut factors = HashMap::new();
            let uses: HashMap<DocumentId, u64> =
                facts.retrievals().used_items().into_iter().filter_map(used_file).collect();
            let none = FeedbackTally::default();
            let rated = ratings.iter().map(|(id, tally)| (*id, tally));
            let unrated = uses.keys().filter(|id| !ratings.contains_key(id)).map(|id| (*id, &none));
            for (id, tally) in rated.chain(unrated) {
                let (document, uses) = (snapshot.document(id)?, uses.get(&id).copied().unwrap_or_default());
                factors.extend(document.and_then(|stored| Some((stored.row.0, file_factor(tally, uses)?))));
            }
            Ok(factors)
        })
    })
}

/// Returns the feedback on an item and how often it was found and used.
pub(crate) fn item_stats(ledger: &Ledger, facts: &ItemFacts, item: ItemId) -> ItemStats {
    let counts = facts.retrievals().count(item);
    match item {
        ItemId::Memory(id) => ledger.memory(id).map(|memory| ItemStats::from_memory(&memory, counts)),
        ItemId::Document(_) | ItemId::Chunk(_) => None,
    }
    .unwrap_or_else(|| ItemStats::new(&ledger.feedback(item), counts))
}

/// Returns the flagged documents: those of memories and of files whose feedback asks for a review.
pub(crate) fn flagged_documents(ledger: &Ledger, facts: &ItemFacts) -> Vec<DocumentId> {
    let memories = ledger.ids().into_iter().filter(|id| item_stats(ledger, facts, ItemId::Memory(*id)).is_flagged);
    let ratings = ledger.file_ratings();
    let is_flagged = |id: DocumentId, tally: &FeedbackTally| {
        ItemStats::new(tally, facts.retrievals().count(ItemId::Document(id))).is_flagged
    };
    let files = ratings.iter().filter(|(id, tally)| is_flagged(**id, tally)).map(|(id, _)| *id);
    memories.map(|id| DocumentId::from_path(&id.to_path())).chain(files).collect()
}

/// Returns the factor of a file. A file has no validity, so "outdated" counts as "not useful".
fn file_factor(tally: &FeedbackTally, uses: u64) -> Option<Factor> {
    usefulness(&FeedbackTally { not_useful: tally.not_useful + tally.outdated, ..tally.clone() }, uses)
}

/// Returns the uses of a file; `None` for a memory, whose factor is computed with its validity.
fn used_file((item, uses): (ItemId, u64)) -> Option<(DocumentId, u64)> {
    match item {
        ItemId::Document(id) => Some((id, uses)),
        ItemId::Chunk(_) | ItemId::Memory(_) => None,
    }
}
