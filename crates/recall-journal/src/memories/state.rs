//! What do all events about one item say together?

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use recall_core::{
    Deleted, Event, EventBody, EventId, Feedback, FeedbackTally, Memory, MemoryChange, MemoryId, NewMemory, Provenance,
    Timestamp, Verdict, Verified,
};

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

    /// The memory; none where it was never added.
    pub(super) fn memory(&self, id: MemoryId) -> Option<Memory> {
        let (first, added) = self.additions().next()?;
        let mut memory = new(id, first, added);
        for event in self.events() {
            if let EventBody::Memory { change, .. } = &event.body {
                change_memory(&mut memory, event, change);
            }
        }
        memory.feedback = self.feedback();
        Some(memory)
    }

    /// What feedback says. An event counts once, even where two lines tell it differently: the greater does.
    pub(super) fn feedback(&self) -> FeedbackTally {
        let mut verdicts: BTreeMap<EventId, &Event> = BTreeMap::new();
        for event in self.events().filter(|event| matches!(event.body, EventBody::Feedback { .. })) {
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

/// A memory as its first addition gives it.
fn new(id: MemoryId, event: &Event, added: &NewMemory) -> Memory {
    let NewMemory { title, content, tags, related_files, scope, source, origin, supersedes, anchors, lineage } =
        added.clone();
    Memory {
        id,
        title,
        content,
        tags,
        related_files,
        scope,
        source,
        origin,
        supersedes,
        anchors,
        lineage,
        provenance: event.provenance.clone(),
        created: event.timestamp,
        updated: event.timestamp,
        verified: None,
        deleted: None,
        promoted: None,
        feedback: FeedbackTally::default(),
    }
}

/// Takes over what an event changes; those before it were taken over.
fn change_memory(memory: &mut Memory, event: &Event, change: &MemoryChange) {
    let Event { timestamp, provenance, id: _, body: _ } = event;
    match change {
        MemoryChange::Add(added) => {
            // What was said of it before goes on to hold but for the fields that are added.
            let before = memory.clone();
            *memory = Memory {
                created: before.created,
                verified: before.verified,
                promoted: before.promoted,
                ..new(memory.id, event, added)
            };
        }
        MemoryChange::Update(amendment) => {
            let recall_core::Amendment { title, content, tags, related_files, anchors } = &**amendment;
            replace(&mut memory.title, title.as_ref());
            replace(&mut memory.content, content.as_ref());
            replace(&mut memory.tags, tags.as_ref());
            replace(&mut memory.related_files, related_files.as_ref());
            replace(&mut memory.anchors, anchors.as_ref());
            memory.updated = *timestamp;
            memory.deleted = None;
        }
        MemoryChange::Delete { reason } => {
            memory.deleted =
                Some(Deleted { timestamp: *timestamp, reason: reason.clone(), provenance: provenance.clone() });
        }
        MemoryChange::Verify { anchors } => {
            replace(&mut memory.anchors, anchors.as_ref());
            memory.verified = Some(Verified { timestamp: *timestamp, provenance: Provenance::clone(provenance) });
        }
        MemoryChange::Promote(promotion) => memory.promoted = Some(promotion.clone()),
    }
}

fn replace<T: Clone>(field: &mut T, by: Option<&T>) {
    if let Some(by) = by {
        field.clone_from(by);
    }
}
