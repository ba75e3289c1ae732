//! Say what an item is worth.

use std::sync::Arc;

use recall_core::{Event, EventBody, ItemId, ItemStats, RateItem, Scope, Verdict};

use super::git::Head;
use super::mask::Masking;
use super::provenance;
use crate::Engine;
use crate::error::{MemoryError, StoreError};
use crate::origin::Origin;
use crate::store::Store;

/// What feedback says of an item, with what was just said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeedbackReport {
    /// In numbers.
    pub stats: ItemStats,
}

impl Engine {
    /// Keeps what somebody says of a memory, a document or a chunk: it is on disk when this returns.
    ///
    /// # Errors
    /// Nothing has that id, or what it is said to repeat is not known, or the journal cannot be written.
    pub fn rate_item(&self, origin: &Origin, request: &RateItem) -> Result<FeedbackReport, MemoryError> {
        let now = self.clock.now();
        let stores = self.registry.stores(origin, Scope::All, &*self.clock)?;
        for store in &stores {
            store.ledger.look(now, store.settings.limits.scan_interval)?;
        }
        let not_found = |item: ItemId| MemoryError::NotFound { id: item.to_string() };
        let store = holder(&stores, request.item)?.ok_or_else(|| not_found(request.item))?;
        if let Verdict::Duplicate { of } = request.feedback.verdict
            && holder(&stores, of)?.is_none()
        {
            return Err(not_found(of));
        }
        let mut feedback = request.feedback.clone();
        feedback.note = Masking::default().mask_some(feedback.note.as_deref());
        let timestamp = match request.item {
            ItemId::Memory(id) => store.ledger.moment_after(id, now),
            ItemId::Document(_) | ItemId::Chunk(_) => now,
        };
        store.ledger.write(&[Event {
            timestamp,
            id: store.ledger.event_id(None, now),
            body: EventBody::Feedback { item: request.item, feedback },
            provenance: provenance::completed(&request.provenance, &Head::of(&store.root), &store),
        }])?;
        Ok(FeedbackReport { stats: ItemStats::from(&store.ledger.feedback(request.item)) })
    }
}

/// The first of the stores that holds an item.
fn holder(stores: &[Arc<Store>], item: ItemId) -> Result<Option<Arc<Store>>, StoreError> {
    for store in stores {
        let is_here = match item {
            ItemId::Memory(id) => store.ledger.memory(id).is_some(),
            ItemId::Document(id) => store.read(|snapshot| Ok(snapshot.document(id)?.is_some()))?,
            ItemId::Chunk(id) => store.read(|snapshot| Ok(snapshot.chunk(id)?.is_some()))?,
        };
        if is_here {
            return Ok(Some(Arc::clone(store)));
        }
    }
    Ok(None)
}
