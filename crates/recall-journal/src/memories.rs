//! Here are events; which memories do they give?

mod fold;
mod state;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use recall_core::{
    Anchor, Event, EventBody, EventId, FeedbackTally, ItemId, Memory, MemoryChange, MemoryId, Timestamp, ValidityInputs,
};

pub use state::MemoryState;

/// A memory by the events that count, and by whose events it says what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The memory. Verifications and feedback that do not count are left out.
    pub memory: Memory,
    /// Of the events that decide what it says, the first that does not count: its id and its moment. `None` if all count.
    pub foreign: Option<(EventId, Timestamp)>,
}

/// What all events together say. Two that were given the same events are equal, in whatever order and however often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memories {
    states: BTreeMap<MemoryId, MemoryState>,
    /// What was said about items that are no memories.
    feedback: BTreeMap<ItemId, MemoryState>,
    /// By what each memory may have been retired.
    superseders: BTreeMap<MemoryId, BTreeSet<MemoryId>>,
}

/// What an event changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It was known.
    Known,
    /// It is new, and may have changed what is known of this item.
    New(ItemId),
}

impl Memories {
    /// Adds an event to what is known.
    pub fn apply(&mut self, event: impl Into<Arc<Event>>) -> Applied {
        let event = event.into();
        let item = event.item();
        if let EventBody::Memory { id, change: MemoryChange::Add(added) } = &event.body
            && let Some(older) = added.supersedes
        {
            self.superseders.entry(older).or_default().insert(*id);
        }
        let state = match item {
            ItemId::Memory(id) => self.states.entry(id).or_default(),
            ItemId::Document(_) | ItemId::Chunk(_) => self.feedback.entry(item).or_default(),
        };
        if state.apply(event) { Applied::New(item) } else { Applied::Known }
    }

    /// All that is known of a memory, deleted or not.
    pub fn state(&self, id: MemoryId) -> Option<&MemoryState> {
        self.states.get(&id)
    }

    /// A memory as it is, deleted or not; none where nothing but amendments are known.
    pub fn memory(&self, id: MemoryId) -> Option<Memory> {
        self.state(id)?.memory(id)
    }

    /// A memory as [`memory`](Self::memory) gives it, except that of its verifications and of its feedback only those count
    /// for which `counts` is true.
    pub fn judged(&self, id: MemoryId, counts: &dyn Fn(&Event) -> bool) -> Option<Judged> {
        self.state(id)?.judged(id, counts)
    }

    /// What decides how a memory stands, and what it is tied to, without a copy of all that it says; none for a deleted one.
    /// Verifications and feedback count as in [`judged`](Self::judged).
    pub fn validity_inputs(
        &self,
        id: MemoryId,
        counts: &dyn Fn(&Event) -> bool,
    ) -> Option<(ValidityInputs, &[Anchor])> {
        let state = self.state(id)?;
        let fold = state.fold(counts).filter(|fold| !fold.is_deleted())?;
        let is_superseded = self.superseded_by(id).is_some();
        Some((fold.validity_inputs(state.feedback(counts), is_superseded), fold.anchors()))
    }

    /// All memories that are not deleted, in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = Memory> {
        self.records().filter(|memory| memory.deleted.is_none())
    }

    /// All memories, deleted ones among them, in the order of their ids.
    pub fn records(&self) -> impl Iterator<Item = Memory> {
        self.states.iter().filter_map(|(id, state)| state.memory(*id))
    }

    /// The memory that retired this one: of those that are not deleted the one that was added last.
    pub fn superseded_by(&self, id: MemoryId) -> Option<MemoryId> {
        let superseders = self.superseders.get(&id)?.iter();
        let folds = superseders.filter_map(|id| Some((*id, self.state(*id)?.fold(&|_| true)?)));
        let in_force = folds.filter(|(_, fold)| !fold.is_deleted() && fold.supersedes() == Some(id));
        in_force.max_by_key(|(id, fold)| (fold.created(), *id)).map(|(id, _)| id)
    }

    /// What the feedback says about an item for which `counts` is true.
    pub fn feedback(&self, item: ItemId, counts: &dyn Fn(&Event) -> bool) -> FeedbackTally {
        let state = match item {
            ItemId::Memory(id) => self.states.get(&id),
            ItemId::Document(_) | ItemId::Chunk(_) => self.feedback.get(&item),
        };
        state.map(|state| state.feedback(counts)).unwrap_or_default()
    }

    /// All items that are no memories and about which something was said, in the order of their ids.
    pub fn rated_items(&self) -> impl Iterator<Item = ItemId> {
        self.feedback.keys().copied()
    }

    /// Memories of which only amendments are known: the line that added them was damaged, or has not been merged.
    pub fn orphans(&self) -> impl Iterator<Item = MemoryId> {
        self.states.iter().filter(|(_, state)| !state.is_added()).map(|(id, _)| *id)
    }

    /// Memories whose id was given to two texts: what was added last is the memory, the other is in the
    /// [state](MemoryState::rivals).
    pub fn collisions(&self) -> impl Iterator<Item = MemoryId> {
        self.states.iter().filter(|(_, state)| state.rivals().next().is_some()).map(|(id, _)| *id)
    }

    /// How many memories there are, deleted ones and orphans among them.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether nothing is known of any memory.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The moment that an event about a memory has to bear to win over all that are known of it: the present one, unless
    /// another machine's clock runs ahead.
    pub fn moment_after(&self, id: MemoryId, now: Timestamp) -> Timestamp {
        let last = self.state(id).and_then(MemoryState::last);
        last.map_or(now, |last| now.max(Timestamp(last.0.saturating_add(1))))
    }
}

impl Extend<Event> for Memories {
    fn extend<T: IntoIterator<Item = Event>>(&mut self, events: T) {
        for event in events {
            self.apply(event);
        }
    }
}

impl FromIterator<Event> for Memories {
    fn from_iter<T: IntoIterator<Item = Event>>(events: T) -> Self {
        let mut memories = Self::default();
        memories.extend(events);
        memories
    }
}
