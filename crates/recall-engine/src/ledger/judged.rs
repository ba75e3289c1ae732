//! Memories with their ownership. Only this user's own verifications and feedback count.

use std::sync::Arc;

use recall_core::{
    Admission, Anchor, Deleted, Event, EventId, FeedbackTally, ItemId, Memory, MemoryId, Ownership, Successor,
    Timestamp, ValidityInputs,
};

use recall_journal::Memories;

use crate::error::{MemoryError, NoProposal};
use crate::ledger::state::{all_expected, is_retired};
use crate::ledger::words::WordRarity;
use crate::ledger::{Ledger, Vouching};

/// The most memories whose words are counted. More change the weights little, and each change of a memory costs a count.
const MOST_READ: usize = 1_000;

/// A memory and its ownership.
#[derive(Clone, Debug)]
pub(crate) struct JudgedMemory {
    pub(crate) memory: Memory,
    pub(crate) ownership: Ownership,
    /// The event of another user that determines its content, with its time; `None` if the memory is this user's own.
    pub(crate) foreign: Option<(EventId, Timestamp)>,
}

/// The inputs of a memory's validity.
pub(crate) struct JudgedInputs {
    pub(crate) inputs: ValidityInputs,
    pub(crate) anchors: Vec<Anchor>,
    pub(crate) ownership: Ownership,
}

impl Ledger {
    /// Returns how rare words are in the memories. Returns the same `Arc` until a memory changes.
    pub(crate) fn word_rarity(&self) -> Arc<WordRarity> {
        let state = &mut *self.state.lock();
        if let Some(rarity) = &state.rarity {
            return Arc::clone(rarity);
        }
        let memories: Vec<_> = state.memories.iter().collect();
        let step = memories.len().div_ceil(MOST_READ).max(1);
        let read = memories.iter().step_by(step).map(|memory| (&*memory.title, &*memory.content));
        Arc::clone(state.rarity.insert(Arc::new(WordRarity::new(read))))
    }

    /// Returns a memory, also a retired one; `None` for a deleted one.
    pub(crate) fn memory(&self, id: MemoryId) -> Option<Memory> {
        self.judge(id).map(|judged| judged.memory)
    }

    /// Returns a memory with its ownership; `None` for a deleted one.
    pub(crate) fn judge(&self, id: MemoryId) -> Option<JudgedMemory> {
        self.load_memories([id]);
        let judged = self.state.lock().memories.judge(id, &|event| self.wrote_itself(event));
        let recall_journal::Judged { mut memory, foreign } = judged.filter(|judged| judged.memory.deleted.is_none())?;
        let ownership = self.ownership(&memory, foreign.is_some());
        memory.proposed |= ownership == Ownership::Repository && self.clones() != Admission::Accept;
        Some(JudgedMemory { memory, ownership, foreign })
    }

    /// Returns why a memory that is not a proposal is none; `None` if it is not in these journals.
    pub(crate) fn why_no_proposal(&self, id: MemoryId) -> Option<NoProposal> {
        self.load_memories([id]);
        let state = self.state.lock();
        let deleted = state.memories.memory(id)?.deleted;
        Some(match (deleted, state.memories.acceptance(id)) {
            (Some(Deleted { timestamp: at, reason, .. }), _) => NoProposal::Deleted { at, reason },
            (None, Some(at)) => NoProposal::Accepted { at },
            (None, None) => NoProposal::Unreviewed,
        })
    }

    /// Returns a memory with its ownership and the memory that supersedes it.
    pub(crate) fn memory_and_successor(&self, id: MemoryId) -> Option<(JudgedMemory, Option<Successor>)> {
        let judged = self.judge(id)?;
        let (state, admits) = (self.state.lock(), self.admits());
        let successor = state.memories.successor(id, &|newer| admits(&state.memories, newer));
        Some((judged, successor))
    }

    /// Returns the inputs of the memories' validity, and their anchors; `None` for one that is unknown or deleted.
    pub(crate) fn validity_inputs(&self, ids: &[MemoryId]) -> Vec<Option<JudgedInputs>> {
        self.load_memories(ids.iter().copied());
        let (state, admits) = (self.state.lock(), self.admits());
        let own = |event: &Event| self.wrote_itself(event);
        let inputs = |id: &MemoryId| {
            let (mut inputs, tied) =
                state.memories.validity_inputs(*id, &own, &|newer| admits(&state.memories, newer))?;
            inputs.is_retired |= !admits(&state.memories, *id);
            let anchors = tied.to_vec();
            let ownership = if self.log.is_some() {
                let judged = state.memories.judge(*id, &own)?;
                self.ownership(&judged.memory, judged.foreign.is_some())
            } else {
                Ownership::Own
            };
            Some(JudgedInputs { inputs, anchors, ownership })
        };
        ids.iter().map(inputs).collect()
    }

    /// Returns this user's own feedback on an item.
    pub(crate) fn feedback(&self, item: ItemId) -> FeedbackTally {
        self.state.lock().memories.feedback(item, &|event| self.wrote_itself(event))
    }

    /// Returns the memories in force that came with the repository and that this user has not confirmed, in the order of their ids.
    pub(crate) fn unconfirmed_memories(&self) -> Vec<MemoryId> {
        if self.log.is_none() {
            return Vec::new();
        }
        let is_unconfirmed =
            |id: &MemoryId| self.judge(*id).is_some_and(|judged| judged.ownership == Ownership::Repository);
        let mut ids: Vec<MemoryId> = self.ids().into_iter().chain(self.waiting()).filter(is_unconfirmed).collect();
        ids.sort_unstable();
        ids
    }

    /// Returns the proposals that a person can decide about, in the order of their ids.
    pub(crate) fn proposals(&self) -> Vec<MemoryId> {
        let is_refused = |id: &MemoryId| {
            let is_foreign = || self.judge(*id).is_some_and(|judged| judged.ownership == Ownership::Repository);
            self.clones() == Admission::Refuse && is_foreign()
        };
        self.waiting().into_iter().filter(|id| !is_refused(id)).collect()
    }

    /// Returns the memories that count once a person accepts them, in the order of their ids.
    fn waiting(&self) -> Vec<MemoryId> {
        let (state, admits) = (self.state.lock(), self.admits());
        let memories = &state.memories;
        let waits = |memory: &Memory| {
            (memory.proposed || !admits(memories, memory.id)) && !is_retired(memories, memory, &admits)
        };
        memories.iter().filter(waits).map(|memory| memory.id).collect()
    }

    /// Returns the events that were not taken back and that `is_wanted` accepts, the earliest first.
    pub(crate) fn events_in_force(&self, is_wanted: impl Fn(&Event) -> bool) -> Vec<Event> {
        let state = self.state.lock();
        let mut events: Vec<Event> =
            state.memories.events_in_force().filter(|event| is_wanted(event)).cloned().collect();
        drop(state);
        events.sort_unstable();
        events
    }

    /// Returns the title of a memory, also if its addition was taken back: then the one that was added last.
    pub(crate) fn last_title(&self, id: MemoryId) -> Option<String> {
        let state = self.state.lock();
        let memory = state.memories.memory(id).map(|memory| memory.title.to_string());
        let added =
            || state.memories.state(id)?.events().rev().find_map(|event| Some(event.new_memory()?.title.to_string()));
        memory.or_else(added)
    }

    /// Returns what happens to memories that came with the repository and that this user has not confirmed.
    pub(super) fn clones(&self) -> Admission {
        *self.clones.lock()
    }

    /// Sets what happens to memories that came with the repository.
    pub(crate) fn admit_clones(&self, admission: Admission) {
        if std::mem::replace(&mut *self.clones.lock(), admission) == admission {
            return;
        }
        let state = self.state.lock();
        if state.read_at.is_some() {
            self.backlog.replace(all_expected(&state.memories, &self.admits()));
        }
    }

    /// Returns whether a memory counts, as far as that depends on whose it is.
    pub(super) fn admits(&self) -> impl Fn(&Memories, MemoryId) -> bool {
        let clones = self.clones();
        move |memories, id| {
            let owned = || {
                let judged = memories.judge(id, &|event| self.wrote_itself(event))?;
                Some(self.ownership(&judged.memory, judged.foreign.is_some()))
            };
            clones == Admission::Accept || owned() != Some(Ownership::Repository)
        }
    }

    /// Writes an event about a memory, as [`write`](Self::write) does, and stores the confirmation if the event implies one.
    ///
    /// # Errors
    /// The event cannot be written, and is not acknowledged; or it is written and the confirmation cannot be stored.
    pub(crate) fn write_about(&self, id: MemoryId, event: Event, vouching: Vouching) -> Result<(), MemoryError> {
        let before = self.judge(id).map(|judged| judged.ownership);
        self.write(&[event])?;
        if vouching == Vouching::Confirms || before == Some(Ownership::Confirmed) {
            self.confirm(&[id])?;
        }
        Ok(())
    }

    /// Stores that this user confirms memories with their current content.
    ///
    /// # Errors
    /// The confirmation cannot be written.
    fn confirm(&self, ids: &[MemoryId]) -> Result<(), MemoryError> {
        let Some(log) = &self.log else { return Ok(()) };
        let judged = ids.iter().filter_map(|id| self.judge(*id));
        let memories: Vec<Memory> =
            judged.filter(|judged| judged.ownership != Ownership::Own).map(|judged| judged.memory).collect();
        log.own_state().confirm(&memories).map_err(|source| MemoryError::Confirm { source })?;
        self.state.lock().expect(ids.iter().copied(), &self.backlog, &self.admits());
        Ok(())
    }

    /// Returns whether this user's recall wrote an event, with exactly this content.
    pub(crate) fn wrote_itself(&self, event: &Event) -> bool {
        self.log.as_ref().is_none_or(|log| log.own_state().wrote(event))
    }

    fn ownership(&self, memory: &Memory, is_foreign: bool) -> Ownership {
        match &self.log {
            Some(log) if is_foreign && log.own_state().has_confirmed(memory) => Ownership::Confirmed,
            Some(_) if is_foreign => Ownership::Repository,
            Some(_) | None => Ownership::Own,
        }
    }
}
