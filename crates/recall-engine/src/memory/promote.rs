//! Promotion of a memory to a wider store.

use std::sync::Arc;

use recall_core::{
    Event, EventBody, Lineage, MemoryChange, MemoryId, NewMemory, PromoteMemory, Promotion, Scope, StoreScope,
};

use crate::error::MemoryError;
use crate::git::Head;
use crate::indexing::index_memories_soon;
use crate::ledger::JudgedMemory;
use crate::mask::memory as masked;
use crate::origin::Origin;
use crate::{Engine, store};

/// The store that holds a promoted memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromoteReport {
    /// Its id, which does not change.
    pub id: MemoryId,
    /// The scope of the store that has it from now on.
    pub scope: StoreScope,
}

impl Engine {
    /// Moves a memory of the project to the global store or to a domain. It is written there first, so that a crash in between
    /// leaves it in both.
    ///
    /// It loses its anchors, since the files of one project mean nothing in another. If the wider store already has it, it is
    /// written there again only if an earlier promotion was interrupted and the memory was updated in the project since.
    ///
    /// # Errors
    /// The project does not have the memory, the wider store does not exist, an agent promotes an unconfirmed memory, or a journal
    /// cannot be written.
    pub fn promote_memory(&self, origin: &Origin, request: &PromoteMemory) -> Result<PromoteReport, MemoryError> {
        let &PromoteMemory { id, to, ref provenance } = request;
        let scope = match to {
            StoreScope::Global => Scope::Global,
            StoreScope::Domain => Scope::Domain,
            StoreScope::Project => return Err(MemoryError::NoStore { scope: Scope::Project }),
        };
        let now = self.clock.now();
        let project = self.memory_store(origin, Scope::Project)?;
        let wider = self.memory_store(origin, scope)?;
        if Arc::ptr_eq(&project, &wider) {
            return Err(MemoryError::NoStore { scope });
        }
        for store in [&project, &wider] {
            store.ledger.refresh(now)?;
        }
        let not_found = || MemoryError::NotFound { id: id.to_string() };
        let JudgedMemory { memory, ownership, .. } = project.ledger.judge(id).ok_or_else(not_found)?;
        if memory.proposed {
            return Err(MemoryError::Proposed { id });
        }
        project.check_author(provenance, &memory)?;
        // In the wider store it counts as this user's own. The text of a memory could ask an agent to promote it.
        if !ownership.is_vouched_for() && provenance.agent.is_some() {
            return Err(MemoryError::Unconfirmed { id });
        }
        let memory = masked(memory);
        let provenance = store::complete_provenance(provenance, &Head::read_from(&project.root), &project);
        // If an earlier promotion was interrupted, the memory may have been updated here since.
        if wider.ledger.memory(id).is_none_or(|known| memory.promoted.is_none() && known.updated < memory.updated) {
            let added = NewMemory {
                title: memory.title,
                content: memory.content,
                tags: memory.tags,
                related_files: Vec::new(),
                cues: memory.cues,
                scope: to,
                source: memory.source,
                origin: memory.origin,
                supersedes: None,
                anchors: Vec::new(),
                lineage: Some(Lineage { scope: project.scope, name: provenance.project.clone() }),
                valid: memory.valid,
            };
            // The wider store first: an interruption leaves the memory in both, and the next promotion ends it. The other order could
            // lose it.
            wider.ledger.write(&[Event {
                timestamp: wider.ledger.moment_after(id, now),
                id: wider.ledger.event_id(None, now),
                body: EventBody::Memory { id, change: MemoryChange::Add(Box::new(added)) },
                provenance: memory.provenance,
            }])?;
        }
        if memory.promoted.is_none() {
            let change = MemoryChange::Promote(Promotion {
                to,
                domain: origin.domain.clone().filter(|_| to == StoreScope::Domain),
            });
            project.ledger.write(&[Event {
                timestamp: project.ledger.moment_after(id, now),
                id: project.ledger.event_id(None, now),
                body: EventBody::Memory { id, change },
                provenance,
            }])?;
        }
        index_memories_soon(&project, &self.clock);
        index_memories_soon(&wider, &self.clock);
        Ok(PromoteReport { id, scope: to })
    }
}
