//! The review of proposals by a person: accept, reject, merge.
//!
//! A proposal is a memory that is in no index, so no answer has it (ADR 74). An agent proposes; what it may not do by adding, it may not
//! do by amending, deleting or promoting either.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use recall_core::{
    Event, EventBody, Memory, MemoryChange, MemoryId, MemoryView, ReviewAction, ReviewMemory, Scope, UpdateMemory,
    WordedTime,
};

use super::verify::recall_memory;
use crate::Engine;
use crate::error::{MemoryError, NoProposal};
use crate::indexing::index_memories_soon;
use crate::ledger::Vouching;
use crate::mask::Masking;
use crate::memory::MemoryNote;
use crate::origin::Origin;
use crate::store::{Store, where_of};

/// The result of a review.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewReport {
    /// The accepted memory, or the one that took in the proposal; `None` if it was rejected.
    pub memory: Option<MemoryView>,
    /// Notes for the caller.
    pub notes: Vec<MemoryNote>,
}

impl Engine {
    /// Accepts, rejects or merges a proposal. The decision is on disk when this returns.
    ///
    /// What is stored instead is stored first. If the decision cannot be written after that, the proposal still waits, with the new text.
    ///
    /// # Errors
    /// - An agent asks.
    /// - The memory is not a proposal, or no longer.
    /// - The memory to merge it with is unknown, or a proposal itself.
    /// - The journal cannot be written.
    pub fn review_memory(&self, origin: &Origin, request: &ReviewMemory) -> Result<ReviewReport, MemoryError> {
        let ReviewMemory { id, action, title, content, provenance } = request;
        if provenance.agent.is_some() {
            return Err(MemoryError::NeedsPerson);
        }
        let (store, proposal) = self.find_proposal(origin, *id)?;
        let stated = UpdateMemory {
            id: *id,
            title: title.clone(),
            content: content.clone(),
            tags: None,
            related_files: None,
            cues: None,
            valid: WordedTime::default(),
            expected: None,
            provenance: provenance.clone(),
        };
        let (kept, notes, change) = match action {
            ReviewAction::Accept => {
                let notes = if title.is_some() || content.is_some() {
                    self.update_memory(origin, &stated)?.notes
                } else {
                    Vec::new()
                };
                (Some(*id), notes, MemoryChange::Accept)
            }
            ReviewAction::Reject { reason } => {
                let reason = Masking::default().mask_some(reason.as_deref());
                let reason = reason.map_or_else(|| "rejected".to_owned(), |reason| format!("rejected: {reason}"));
                (None, Vec::new(), MemoryChange::Delete { reason: Some(reason) })
            }
            ReviewAction::Merge { into } => {
                let known = store.ledger.memory(*into);
                let known = known.ok_or_else(|| MemoryError::NotFound { id: into.to_string() })?;
                if known.proposed {
                    return Err(MemoryError::Proposed { id: *into });
                }
                let request = merger(stated, &known, &proposal, &store.root);
                let notes = self.update_memory(origin, &request)?.notes;
                (Some(*into), notes, MemoryChange::Delete { reason: Some(format!("merged into {into}")) })
            }
        };
        let _amending = store.ledger.begin_amending();
        let vouching = match action {
            ReviewAction::Accept => Vouching::Confirms,
            ReviewAction::Reject { .. } | ReviewAction::Merge { .. } => Vouching::Keeps,
        };
        let now = self.clock.now();
        let decided = Event {
            timestamp: store.ledger.moment_after(*id, now),
            id: store.ledger.event_id(None, now),
            body: EventBody::Memory { id: *id, change },
            provenance: where_of(&store, provenance),
        };
        store.ledger.write_about(*id, decided, vouching)?;
        index_memories_soon(&store, &self.clock);
        let memory = kept.map_or(Ok(None), |id: MemoryId| recall_memory(&store, id, now))?;
        Ok(ReviewReport { memory, notes })
    }

    /// Returns a memory that waits for a review, and its store.
    fn find_proposal(&self, origin: &Origin, id: MemoryId) -> Result<(Arc<Store>, Memory), MemoryError> {
        match self.find_memory(origin, id) {
            Ok((store, memory)) if memory.proposed => return Ok((store, memory)),
            Ok(_) | Err(MemoryError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        let stores = self.stores(origin, Scope::All)?;
        let why = stores.iter().find_map(|store| store.ledger.why_no_proposal(id)).unwrap_or(NoProposal::Unknown);
        Err(MemoryError::NotProposed { id, why })
    }
}

/// Returns the request by which a memory takes in a proposal: its text, unless one is stated, its labels and its files.
fn merger(stated: UpdateMemory, known: &Memory, proposal: &Memory, root: &Path) -> UpdateMemory {
    let files = known.related_files.iter().chain(&proposal.related_files).collect::<BTreeSet<_>>().into_iter();
    UpdateMemory {
        id: known.id,
        content: Some(stated.content.unwrap_or_else(|| join_texts(&known.content, &proposal.content))),
        tags: Some([known.tags.clone(), proposal.tags.clone()].concat()),
        related_files: Some(files.map(|path| root.join(path.as_str()).to_string_lossy().into_owned()).collect()),
        ..stated
    }
}

/// Joins two texts, unless the first has the second already.
fn join_texts(known: &str, proposed: &str) -> String {
    if known.contains(proposed.trim()) {
        return known.to_owned();
    }
    format!("{}\n\n{}", known.trim_end(), proposed.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_in_once() {
        let whole = join_texts("Use npm.\n", "In the old repository only.\n");
        assert_eq!(whole, "Use npm.\n\nIn the old repository only.");
        assert_eq!(join_texts(&whole, "In the old repository only.\n"), whole);
    }
}
