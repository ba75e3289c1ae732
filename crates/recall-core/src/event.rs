//! What happened to a memory, or was said about an item?
//!
//! Events are the truth; a [`Memory`](crate::Memory) is what they give together. They commute: in which order they become
//! known, and how often, changes nothing.

use std::sync::Arc;

use crate::{
    Anchor, DocPath, EventId, ItemId, Lineage, MemoryId, MemoryOrigin, Promotion, Provenance, StoreScope, Timestamp,
};

/// Something that happened. Ordered by its time, then by its id: the greater wins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// When.
    pub timestamp: Timestamp,
    /// Which.
    pub id: EventId,
    /// What.
    pub body: EventBody,
    /// Who did it, and where.
    pub provenance: Provenance,
}

impl Event {
    /// The item that it is about.
    pub fn item(&self) -> ItemId {
        match &self.body {
            EventBody::Memory { id, .. } => ItemId::Memory(*id),
            EventBody::Feedback { item, .. } => *item,
        }
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventBody {
    /// A memory was added or changed.
    Memory {
        /// The memory.
        id: MemoryId,
        /// How.
        change: MemoryChange,
    },
    /// Somebody said what an item is worth.
    Feedback {
        /// The item.
        item: ItemId,
        /// What was said.
        feedback: Feedback,
    },
}

/// How a memory was changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryChange {
    /// It was added.
    Add(Box<NewMemory>),
    /// Some of its fields were replaced.
    Update(Box<Amendment>),
    /// It was deleted; its record stays.
    Delete {
        /// Why, in words.
        reason: Option<String>,
    },
    /// Somebody found that it holds.
    Verify {
        /// What it is tied to from there on; none leaves the anchors as they are.
        anchors: Option<Vec<Anchor>>,
    },
    /// It was promoted to a wider store.
    Promote(Promotion),
}

/// All fields of a memory that is added.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NewMemory {
    /// What a person would call it.
    pub title: Arc<str>,
    /// The text.
    pub content: Arc<str>,
    /// Labels.
    pub tags: Vec<String>,
    /// The files that it is about.
    pub related_files: Vec<DocPath>,
    /// The scope of the store that it is added to.
    pub scope: StoreScope,
    /// Where whoever adds it says that it comes from.
    pub source: Option<String>,
    /// How it came about.
    pub origin: MemoryOrigin,
    /// The memory that it retires.
    pub supersedes: Option<MemoryId>,
    /// What it is tied to.
    pub anchors: Vec<Anchor>,
    /// The store that it was promoted from.
    pub lineage: Option<Lineage>,
}

/// The fields of a memory that are replaced; those that are none stay.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amendment {
    /// What a person would call it.
    pub title: Option<Arc<str>>,
    /// The text.
    pub content: Option<Arc<str>>,
    /// Labels.
    pub tags: Option<Vec<String>>,
    /// The files that it is about.
    pub related_files: Option<Vec<DocPath>>,
    /// What it is tied to.
    pub anchors: Option<Vec<Anchor>>,
}

/// What somebody said about an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Feedback {
    /// The verdict.
    pub verdict: Verdict,
    /// On what occasion, in words.
    pub note: Option<String>,
}

/// What an item is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It helped.
    Useful,
    /// It did not.
    NotUseful,
    /// It no longer holds.
    Outdated,
    /// Another item says the same.
    Duplicate {
        /// That one.
        of: ItemId,
    },
}
