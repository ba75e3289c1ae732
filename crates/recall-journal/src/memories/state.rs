//! What do all events about one item say together?

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use recall_core::{
    Event, EventBody, EventId, Feedback, FeedbackTally, Memory, MemoryChange, MemoryId, NewMemory, Timestamp, Verdict,
};

use super::Judged;
use super::fold::Fold;

/// All events that are known about one item.
///
/// They are a set in the order of their times, then of their ids, so that the order in which they became known is not there to
/// be asked for. A memory is what they give from the first to the last: each one replaces the fields that it has, so in every
/// field the greatest wins. Nothing is taken out: what was replaced or deleted is still here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryState {
    /// Shared, since events come by the hundred thousand and nodes of a set are as large as many of them.
    events: BTreeSet<Arc<Event>>,
}

impl MemoryState {
    /// Adds an event; whether it was not known.
    pub(super) fn apply(&mut self, event: Arc<Event>) -> bool {
        self.events.insert(event)
    }

    /// All events, the earliest first.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.events.iter().map(|event| &**event)
    }

    /// When the last of them happened.
    pub(super) fn last(&self) -> Option<Timestamp> {
        self.events.last().map(|event| event.timestamp)
    }

    /// Whether the memory was added.
    pub(super) fn is_added(&self) -> bool {
        self.additions().next().is_some()
    }

    /// What was added under the same id and is another text than the last that was: two machines gave one id to two memories.
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

    /// The memory, borrowed; none where it was never added. Of the verifications those are left out that do not count.
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

    /// The memory; none where it was never added.
    pub(super) fn memory(&self, id: MemoryId) -> Option<Memory> {
        Some(self.fold(&|_| true)?.to_memory(id, self.feedback(&|_| true)))
    }

    /// The memory by the events that count, and the first of those that decide what it says and do not count.
    pub(super) fn judged(&self, id: MemoryId, counts: &dyn Fn(&Event) -> bool) -> Option<Judged> {
        let fold = self.fold(counts)?;
        let foreign = fold.deciding().find(|event| !counts(event)).map(|event| (event.id, event.timestamp));
        Some(Judged { memory: fold.to_memory(id, self.feedback(counts)), foreign })
    }

    /// What the feedback says that counts. An event counts once, even where two lines tell it differently: the greater does.
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
