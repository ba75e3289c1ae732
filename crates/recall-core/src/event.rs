//! Events: changes of memories, and feedback about items.
//!
//! Events are the source of truth; a [`Memory`](crate::Memory) is the fold of all events about it. They commute and are
//! idempotent: neither the order in which they are read nor repetition changes the result.

use std::sync::Arc;

use crate::{
    Anchor, DocPath, EventId, ItemId, Lineage, MemoryId, MemoryOrigin, Promotion, Provenance, StoreScope, Timestamp,
};

/// An event. Ordered by time, then by id; the greater one wins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// Its time.
    pub timestamp: Timestamp,
    /// Its id.
    pub id: EventId,
    /// Its content.
    pub body: EventBody,
    /// Who caused it, and where.
    pub provenance: Provenance,
}

impl Event {
    /// Returns the item that the event concerns.
    pub fn item(&self) -> ItemId {
        match &self.body {
            EventBody::Memory { id, .. } => ItemId::Memory(*id),
            EventBody::Feedback { item, .. } => *item,
        }
    }
}

/// The content of an event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventBody {
    /// A memory was added or changed.
    Memory {
        /// The memory.
        id: MemoryId,
        /// The change.
        change: MemoryChange,
    },
    /// An item was rated.
    Feedback {
        /// The item.
        item: ItemId,
        /// The rating.
        feedback: Feedback,
    },
}

/// A change of a memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryChange {
    /// It was added.
    Add(Box<NewMemory>),
    /// Some of its fields were replaced.
    Update(Box<Amendment>),
    /// It was deleted; its record stays.
    Delete {
        /// The reason, in words.
        reason: Option<String>,
    },
    /// It was verified.
    Verify {
        /// The new anchors; `None` keeps the old ones.
        anchors: Option<Vec<Anchor>>,
    },
    /// It was promoted to a wider store.
    Promote(Promotion),
}

/// The fields of a new memory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NewMemory {
    /// The title.
    pub title: Arc<str>,
    /// The text.
    pub content: Arc<str>,
    /// Labels.
    pub tags: Vec<String>,
    /// The files that it concerns.
    pub related_files: Vec<DocPath>,
    /// The scope of the store that it is added to.
    pub scope: StoreScope,
    /// Its source, as stated when it was added.
    pub source: Option<String>,
    /// Its origin.
    pub origin: MemoryOrigin,
    /// The memory that it supersedes.
    pub supersedes: Option<MemoryId>,
    /// Its anchors.
    pub anchors: Vec<Anchor>,
    /// The store that it was promoted from.
    pub lineage: Option<Lineage>,
}

/// The fields of a memory to replace; fields that are `None` stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amendment {
    /// The title.
    pub title: Option<Arc<str>>,
    /// The text.
    pub content: Option<Arc<str>>,
    /// Labels.
    pub tags: Option<Vec<String>>,
    /// The files that it concerns.
    pub related_files: Option<Vec<DocPath>>,
    /// Its anchors.
    pub anchors: Option<Vec<Anchor>>,
}

/// A rating of an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Feedback {
    /// The verdict.
    pub verdict: Verdict,
    /// The occasion, in words.
    pub note: Option<String>,
}

/// A judgement of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It helped.
    Useful,
    /// It did not.
    NotUseful,
    /// It no longer applies.
    Outdated,
    /// Another item says the same.
    Duplicate {
        /// The other item.
        of: ItemId,
    },
}
