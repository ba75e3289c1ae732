//! Deletion of memories. Their text stays in the journal and in git.

use std::sync::Arc;

use recall_core::{Event, EventBody, MemoryChange, MemoryId, Provenance};

use crate::Engine;
use crate::error::MemoryError;
use crate::git::Head;
use crate::store::{Store, provenance};

impl Engine {
    /// Writes the deletion of memories. The caller has checked that the store has them.
    pub(crate) fn delete_memories(
        &self,
        store: &Arc<Store>,
        ids: &[MemoryId],
        said: &Provenance,
    ) -> Result<(), MemoryError> {
        if ids.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        let provenance = provenance::completed(said, &Head::of(&store.root), store);
        let event = |&id: &MemoryId| Event {
            timestamp: store.ledger.moment_after(id, now),
            id: store.ledger.event_id(None, now),
            body: EventBody::Memory { id, change: MemoryChange::Delete { reason: None } },
            provenance: provenance.clone(),
        };
        let events: Vec<_> = ids.iter().map(event).collect();
        store.ledger.write(&events)?;
        store.index_memories_soon(&self.clock);
        Ok(())
    }
}
