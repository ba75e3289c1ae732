//! The set of events about one item.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use recall_core::{
    Event, EventBody, EventId, Feedback, FeedbackTally, Memory, MemoryChange, MemoryId, NewMemory, Timestamp, Verdict,
};

use super::fold::Fold;

/// All known events about one item.
///
/// The set is ordered by timestamp, then by id, so the state does not depend on the order of arrival. A memory is the
/// fold of its events from first to last: each event replaces the fields that it has, so the last writer wins per
/// field. Events are never removed: replaced and deleted content is still here.
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
    pub(super) fn apply(&mut self, event: Arc<Event>) -> bool {
        self.events.insert(event)
    }

    /// Iterates over all events, the earliest first.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.events.iter().map(|event| &**event)
    }

    /// Returns the timestamp of the last event.
    pub(super) fn last(&self) -> Option<Timestamp> {
        self.events.last().map(|event| event.timestamp)
    }

    /// Returns whether the memory was added.
    pub(super) fn is_added(&self) -> bool {
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
        self.events().filter_map(|event| match &event.body {
            EventBody::Memory { change: MemoryChange::Add(added), .. } => Some((event, &**added)),
            EventBody::Memory { .. } | EventBody::Feedback { .. } => None,
        })
    }

    /// Folds the events to the borrowed memory, without verifications that do not count; `None` if it was never added.
    pub(super) fn fold(&self, counts: &dyn Fn(&Event) -> bool) -> Option<Fold<'_>> {
        let (first, added) = self.additions().next()?;
        let mut fold = Fold::new(first, added);
        for event in self.events() {
            if let EventBody::Memory { change, .. } = &event.body
                && (!matches!(change, MemoryChange::Verify { .. }) || counts(event))
            {
                fold.change(event, change);
            }
        }
        Some(fold)
    }

    /// Returns the memory; `None` if it was never added.
    pub(super) fn memory(&self, id: MemoryId) -> Option<Memory> {
        Some(self.fold(&|_| true)?.to_memory(id, self.feedback(&|_| true)))
    }

    /// Returns the memory by the events that count, and the first event that determines its content but does not count.
    pub(super) fn judge(&self, id: MemoryId, counts: &dyn Fn(&Event) -> bool) -> Option<Judged> {
        let fold = self.fold(counts)?;
        let foreign = fold.source_events().find(|event| !counts(event)).map(|event| (event.id, event.timestamp));
        Some(Judged { memory: fold.to_memory(id, self.feedback(counts)), foreign })
    }

    /// Sums up the feedback that counts. If two lines have the same event id but differ, the greater one counts.
    pub(super) fn feedback(&self, counts: &dyn Fn(&Event) -> bool) -> FeedbackTally {
        let mut verdicts: BTreeMap<EventId, &Event> = BTreeMap::new();
        for event in self.events().filter(|event| matches!(event.body, EventBody::Feedback { .. }) && counts(event)) {
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
