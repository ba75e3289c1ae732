//! The memories that a set of events gives.
//!
//! Git merges journals in any order and may repeat lines, so a state must depend on the set of events alone: applying one is
//! commutative and idempotent (ADR 8). Each memory keeps all its events, sorted by time and id, and its state is folded from them.

mod fold;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use recall_core::{
    Anchor, Event, EventBody, EventId, Feedback, FeedbackTally, ItemId, Memory, MemoryChange, MemoryId, NewMemory,
    Successor, Timestamp, ValidityInputs, Verdict,
};

use fold::Fold;

/// The state that a set of events gives. Equal sets give equal states, in whatever order and however often they are
/// applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memories {
    states: BTreeMap<MemoryId, MemoryState>,
    /// The feedback on items that are not memories.
    feedback: BTreeMap<ItemId, MemoryState>,
    /// For each memory, the memories whose events say that they supersede it.
    superseders: BTreeMap<MemoryId, BTreeSet<MemoryId>>,
}

/// The effect of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// The event was known.
    Known,
    /// The event is new and may have changed the state of this item.
    New(ItemId),
}

impl Memories {
    /// Applies an event. Order and repetition do not matter.
    pub fn apply(&mut self, event: impl Into<Arc<Event>>) -> Applied {
        let event = event.into();
        let item = event.item();
        if let EventBody::Memory { id, change } = &event.body
            && let Some(older) = change.new_memory().and_then(|added| added.supersedes)
        {
            self.superseders.entry(older).or_default().insert(*id);
        }
        let state = match item {
            ItemId::Memory(id) => self.states.entry(id).or_default(),
            ItemId::Document(_) | ItemId::Chunk(_) => self.feedback.entry(item).or_default(),
        };
        if state.apply(event) { Applied::New(item) } else { Applied::Known }
    }

    /// Returns all events known about a memory, deleted or not.
    pub fn state(&self, id: MemoryId) -> Option<&MemoryState> {
        self.states.get(&id)
    }

    /// Returns a memory, deleted or not; `None` if it was never added.
    pub fn memory(&self, id: MemoryId) -> Option<Memory> {
        self.state(id)?.memory(id)
    }

    /// Returns when a person accepted a memory; `None` if it was added without a review, or is only proposed.
    pub fn acceptance(&self, id: MemoryId) -> Option<Timestamp> {
        self.state(id)?.fold(&|_| true)?.acceptance()
    }

    /// Returns a memory like [`memory`](Self::memory), but with only those verifications and feedback events for which
    /// `counts` returns true.
    pub fn judge(&self, id: MemoryId, counts: &dyn Fn(&Event) -> bool) -> Option<Judged> {
        self.state(id)?.judge(id, counts)
    }

    /// Returns the inputs of a memory's validity and its anchors, without copying its content; `None` if it is deleted.
    /// Verifications and feedback count as in [`judge`](Self::judge), and the memories that supersede it as in
    /// [`superseded_by`](Self::superseded_by).
    pub fn validity_inputs(
        &self,
        id: MemoryId,
        counts: &dyn Fn(&Event) -> bool,
        admits: &dyn Fn(MemoryId) -> bool,
    ) -> Option<(ValidityInputs, &[Anchor])> {
        let state = self.state(id)?;
        let fold = state.fold(counts).filter(|fold| !fold.is_deleted())?;
        let is_superseded = self.superseded_by(id, admits).is_some();
        Some((fold.validity_inputs(state.feedback(counts), is_superseded), fold.anchors()))
    }

    /// Iterates over all memories that are not deleted, ordered by id.
    pub fn iter(&self) -> impl Iterator<Item = Memory> {
        self.records().filter(|memory| memory.deleted.is_none())
    }

    /// Iterates over all memories, including deleted ones, ordered by id.
    pub fn records(&self) -> impl Iterator<Item = Memory> {
        self.states.iter().filter_map(|(id, state)| state.memory(*id))
    }

    /// Iterates over all events, by item.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.states.values().chain(self.feedback.values()).flat_map(MemoryState::events)
    }

    /// Iterates over the events that were not taken back, by item.
    pub fn events_in_force(&self) -> impl Iterator<Item = &Event> {
        self.states.values().chain(self.feedback.values()).flat_map(MemoryState::events_in_force)
    }

    /// Returns the memory that supersedes this one: the last added of those that are neither deleted nor only proposed, and that
    /// `admits` accepts.
    pub fn superseded_by(&self, id: MemoryId, admits: &dyn Fn(MemoryId) -> bool) -> Option<MemoryId> {
        self.successor(id, admits).map(|successor| successor.id)
    }

    /// Returns the memory that [supersedes](Self::superseded_by) this one, and since when it counts.
    pub fn successor(&self, id: MemoryId, admits: &dyn Fn(MemoryId) -> bool) -> Option<Successor> {
        let superseders = self.superseders.get(&id)?.iter();
        let folds = superseders.filter_map(|id| Some((*id, self.state(*id)?.fold(&|_| true)?)));
        let in_force = folds.filter(|(newer, fold)| fold.counts() && fold.supersedes() == Some(id) && admits(*newer));
        let (id, fold) = in_force.max_by_key(|(id, fold)| (fold.creation_time(), *id))?;
        Some(Successor { id, since: fold.acceptance().unwrap_or_else(|| fold.creation_time()) })
    }

    /// Returns the memories that some addition of this one supersedes, whether it is in force or not.
    pub fn predecessors(&self, id: MemoryId) -> BTreeSet<MemoryId> {
        let additions = self.state(id).into_iter().flat_map(MemoryState::additions);
        additions.filter_map(|(_, added)| added.supersedes).collect()
    }

    /// Sums up the feedback on an item, from the events for which `counts` returns true.
    pub fn feedback(&self, item: ItemId, counts: &dyn Fn(&Event) -> bool) -> FeedbackTally {
        let state = match item {
            ItemId::Memory(id) => self.states.get(&id),
            ItemId::Document(_) | ItemId::Chunk(_) => self.feedback.get(&item),
        };
        state.map(|state| state.feedback(counts)).unwrap_or_default()
    }

    /// Iterates over the items with feedback that are not memories, ordered by id.
    pub fn rated_items(&self) -> impl Iterator<Item = ItemId> {
        self.feedback.keys().copied()
    }

    /// Iterates over the memories that have amendments but no addition: the line that added them is damaged or not
    /// merged yet.
    pub fn orphans(&self) -> impl Iterator<Item = MemoryId> {
        self.states.iter().filter(|(_, state)| !state.is_added()).map(|(id, _)| *id)
    }

    /// Iterates over the ids under which two different texts were added. The last one added is the memory; the others
    /// are its [rivals](MemoryState::rivals).
    pub fn collisions(&self) -> impl Iterator<Item = MemoryId> {
        self.states.iter().filter(|(_, state)| state.rivals().next().is_some()).map(|(id, _)| *id)
    }

    /// Returns the number of memories, including deleted ones and orphans.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns whether no event about a memory is known.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Returns the timestamp with which a new event about a memory is later than all known ones: `now`, or later if the
    /// clock of another machine runs ahead.
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

/// All known events about one item.
///
/// The set is ordered by timestamp, then by id, so the state does not depend on the order of arrival. A memory is the
/// fold of its events from first to last: each event replaces the fields that it has, so the last writer wins per
/// field. Events are never removed: replaced and deleted content is still here, and so is what was taken back, which the
/// fold leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryState {
    /// Behind an `Arc`, since there may be hundreds of thousands of events, and a node of the set holds several of
    /// them.
    events: BTreeSet<Arc<Event>>,
}

/// A memory as a subset of its events gives it, and whether its content depends on other events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The memory, without the verifications and the feedback that do not count.
    pub memory: Memory,
    /// The first event that determines the content but does not count: its id and its timestamp. `None` if all of them
    /// count.
    pub foreign: Option<(EventId, Timestamp)>,
}

impl MemoryState {
    /// Adds an event. Returns whether it was new.
    fn apply(&mut self, event: Arc<Event>) -> bool {
        self.events.insert(event)
    }

    /// Iterates over all events, the earliest first.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.events.iter().map(|event| &**event)
    }

    /// Returns the events that no reversal takes back, the earliest first.
    ///
    /// A reversal takes back events before it, also reversals. So the last event is in force, and each one is decided by those after it:
    /// the result depends on the set alone, also if two reversals name each other.
    pub fn events_in_force(&self) -> Vec<&Event> {
        let mut reverted: BTreeSet<EventId> = BTreeSet::new();
        let mut in_force = Vec::with_capacity(self.events.len());
        for event in self.events().rev() {
            if reverted.contains(&event.id) {
                continue;
            }
            if let EventBody::Revert { events, .. } = &event.body {
                reverted.extend(events);
            }
            in_force.push(event);
        }
        in_force.reverse();
        in_force
    }

    /// Returns the timestamp of the last event.
    fn last(&self) -> Option<Timestamp> {
        self.events.last().map(|event| event.timestamp)
    }

    /// Returns whether the memory was added.
    fn is_added(&self) -> bool {
        self.additions().next().is_some()
    }

    /// Returns the additions under the same id whose text differs from that of the last addition: two machines gave one
    /// id to two memories.
    pub fn rivals(&self) -> impl Iterator<Item = (&Event, &NewMemory)> {
        let last = self.additions().next_back().map(|(event, added)| (event.id, &added.title, &added.content));
        let is_rival = move |(event, added): &(&Event, &NewMemory)| {
            last.is_some_and(|(id, title, content)| {
                event.id != id && (&added.title, &added.content) != (title, content)
            })
        };
        self.additions().filter(is_rival)
    }

    fn additions(&self) -> impl DoubleEndedIterator<Item = (&Event, &NewMemory)> {
        self.events().filter_map(|event| Some((event, event.new_memory()?)))
    }

    /// Folds the events in force to the borrowed memory, without verifications that do not count; `None` if it was never added.
    fn fold(&self, counts: &dyn Fn(&Event) -> bool) -> Option<Fold<'_>> {
        let events = self.events_in_force();
        let (first, added) = events.iter().find_map(|event| Some((*event, event.new_memory()?)))?;
        let mut fold = Fold::new(first, added);
        for event in events {
            if let EventBody::Memory { change, .. } = &event.body
                && (!matches!(change, MemoryChange::Verify { .. }) || counts(event))
            {
                fold.change(event, change);
            }
            // Who accepts a memory has looked at it.
            if matches!(&event.body, EventBody::Memory { change: MemoryChange::Accept, .. }) && counts(event) {
                fold.verify(event);
            }
        }
        Some(fold)
    }

    /// Returns the memory; `None` if it was never added.
    fn memory(&self, id: MemoryId) -> Option<Memory> {
        Some(self.fold(&|_| true)?.to_memory(id, self.feedback(&|_| true)))
    }

    /// Returns the memory by the events that count, and the first event that determines its content but does not count.
    fn judge(&self, id: MemoryId, counts: &dyn Fn(&Event) -> bool) -> Option<Judged> {
        let fold = self.fold(counts)?;
        // Without a reversal the content would be another one.
        let in_force = self.events_in_force();
        let reversals = in_force.into_iter().filter(|event| matches!(event.body, EventBody::Revert { .. }));
        let mut sources = fold.source_events().chain(reversals);
        let foreign = sources.find(|event| !counts(event)).map(|event| (event.id, event.timestamp));
        Some(Judged { memory: fold.to_memory(id, self.feedback(counts)), foreign })
    }

    /// Sums up the feedback that counts. If two lines have the same event id but differ, the greater one counts.
    fn feedback(&self, counts: &dyn Fn(&Event) -> bool) -> FeedbackTally {
        let mut verdicts: BTreeMap<EventId, &Event> = BTreeMap::new();
        let rates = |event: &&Event| matches!(event.body, EventBody::Feedback { .. }) && counts(event);
        for event in self.events_in_force().into_iter().filter(rates) {
            verdicts.insert(event.id, event);
        }
        let mut verdicts: Vec<_> = verdicts.into_values().collect();
        verdicts.sort_unstable();
        let mut tally = FeedbackTally::default();
        for event in verdicts {
            if let EventBody::Feedback { feedback, .. } = &event.body {
                count(&mut tally, event.timestamp, feedback);
            }
        }
        tally
    }
}

fn count(tally: &mut FeedbackTally, timestamp: Timestamp, feedback: &Feedback) {
    match feedback.verdict {
        Verdict::Useful => tally.useful += 1,
        Verdict::NotUseful => tally.not_useful += 1,
        Verdict::Outdated => {
            tally.outdated += 1;
            tally.last_outdated = Some(timestamp);
        }
        Verdict::Duplicate { of } => {
            tally.duplicate += 1;
            tally.duplicate_of = Some(of);
        }
    }
}
