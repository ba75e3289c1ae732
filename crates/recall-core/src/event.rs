//! Events: changes of memories, and feedback about items.
//!
//! Events are the source of truth; a [`Memory`](crate::Memory) is the fold of all events about it. They commute and are
//! idempotent: neither the order in which they are read nor repetition changes the result.

use std::sync::Arc;

use crate::{
    Anchor, Cue, EventId, ItemId, Lineage, MemoryId, MemoryOrigin, Promotion, Provenance, StoreScope, Timestamp,
    ValidTime, ValidTimeChange,
};
use recall_text::DocPath;

/// An event. Ordered by time, then by id; the greater one wins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// When it happened, by the clock of the machine that wrote it.
    pub timestamp: Timestamp,
    /// The id under which it counts once, however often it is read.
    pub id: EventId,
    /// What happened, and to what.
    pub body: EventBody,
    /// Who caused it, and where.
    pub provenance: Provenance,
}

impl Event {
    /// Returns the item that the event concerns.
    pub fn item(&self) -> ItemId {
        match &self.body {
            EventBody::Memory { id, .. } => ItemId::Memory(*id),
            EventBody::Feedback { item, .. } | EventBody::Revert { item, .. } => *item,
        }
    }

    /// Returns the new memory, if the event adds or proposes one.
    pub fn new_memory(&self) -> Option<&NewMemory> {
        match &self.body {
            EventBody::Memory { change, .. } => change.new_memory(),
            EventBody::Feedback { .. } | EventBody::Revert { .. } => None,
        }
    }
}

/// The content of an event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventBody {
    /// A memory was added or changed.
    Memory {
        /// The memory, which need not be known yet: events may be read in any order.
        id: MemoryId,
        /// The fields that it replaces, or the state that it sets.
        change: MemoryChange,
    },
    /// An item was rated.
    Feedback {
        /// The rated memory, document or chunk.
        item: ItemId,
        /// The verdict, with a note.
        feedback: Feedback,
    },
    /// Events about an item were taken back: its state is what the others give. What takes back a reversal restores what that took back.
    Revert {
        /// The memory, document or chunk.
        item: ItemId,
        /// The events, which need not be known yet.
        events: Vec<EventId>,
    },
}

/// A change of a memory. The later one of each field wins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryChange {
    /// It was added, or added again after its deletion.
    Add(Box<NewMemory>),
    /// It was proposed: it is added, and counts once it is accepted.
    Propose(Box<NewMemory>),
    /// The proposal was accepted.
    Accept,
    /// Some of its fields were replaced.
    Update(Box<Amendment>),
    /// It was deleted; its record stays.
    Delete {
        /// The reason, in words.
        reason: Option<String>,
    },
    /// Somebody confirmed that it holds.
    Verify {
        /// The new anchors; `None` keeps the old ones.
        anchors: Option<Vec<Anchor>>,
    },
    /// It was promoted to a wider store.
    Promote(Promotion),
}

impl MemoryChange {
    /// Returns the new memory, if one was added or proposed.
    pub fn new_memory(&self) -> Option<&NewMemory> {
        match self {
            Self::Add(added) | Self::Propose(added) => Some(added),
            Self::Accept | Self::Update(_) | Self::Delete { .. } | Self::Verify { .. } | Self::Promote(_) => None,
        }
    }
}

/// The fields of a new memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NewMemory {
    /// The title, on one line.
    pub title: Arc<str>,
    /// The text, in Markdown.
    pub content: Arc<str>,
    /// Labels, in any order.
    pub tags: Vec<String>,
    /// The files that it concerns.
    pub related_files: Vec<DocPath>,
    /// When it is shown unasked; `None` if that follows from its text.
    pub cues: Option<Vec<Cue>>,
    /// The scope of the store that it is added to.
    pub scope: StoreScope,
    /// Its source, as stated when it was added.
    pub source: Option<String>,
    /// Whether a person, an agent or an import stated it, as the writer says.
    pub origin: MemoryOrigin,
    /// The memory that is retired by this one; `None` for none.
    pub supersedes: Option<MemoryId>,
    /// What its files and symbols were when it was added.
    pub anchors: Vec<Anchor>,
    /// The store that it was promoted from.
    pub lineage: Option<Lineage>,
    /// When it holds.
    pub valid: ValidTime,
}

/// The fields of a memory to replace; fields that are `None` stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amendment {
    /// The new title.
    pub title: Option<Arc<str>>,
    /// The new text.
    pub content: Option<Arc<str>>,
    /// The labels that replace all others.
    pub tags: Option<Vec<String>>,
    /// The files that it concerns.
    pub related_files: Option<Vec<DocPath>>,
    /// The cues that replace all others; if empty, it is not shown unasked.
    pub cues: Option<Vec<Cue>>,
    /// The anchors to the files as they are now.
    pub anchors: Option<Vec<Anchor>>,
    /// When it holds.
    pub valid: ValidTimeChange,
}

/// A rating of an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Feedback {
    /// What the rating says.
    pub verdict: Verdict,
    /// The occasion, in words.
    pub note: Option<String>,
}

/// A judgement of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It helped with what somebody was doing.
    Useful,
    /// It was shown and did not help.
    NotUseful,
    /// It no longer applies.
    Outdated,
    /// Another item says the same.
    Duplicate {
        /// The item that says the same and is kept.
        of: ItemId,
    },
}
