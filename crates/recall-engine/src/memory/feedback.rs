//! Feedback on an item.

use std::sync::Arc;

use recall_core::{ChunkId, DocumentKey, Event, EventBody, ItemId, ItemStats, RateItem, Scope, Verdict};
use recall_index::catalog::StoredDocument;

use super::rated::item_stats;
use crate::Engine;
use crate::engine::MountedStore;
use crate::engine::recorder::Note;
use crate::error::{MemoryError, StoreError};
use crate::git::Head;
use crate::ledger::Vouching;
use crate::mask::Masking;
use crate::origin::Origin;
use crate::store::{Store, provenance};

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
            provenance: provenance::complete(&request.provenance, &Head::read_from(&store.root), &store),
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
