//! The memories that the journals define, and the documents that the index should have of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Instant;

use recall_core::{ContentHash, Event, EventBody, EventId, ItemId, Memory, MemoryChange, MemoryId, Vocabulary};
use recall_journal::{Applied, Memories};

use crate::known::Known;
use crate::ledger::document::hash_of;
use crate::ledger::ratings::Ratings;
use crate::mask::memory as masked;

/// The first number in `behind`. Memories found by comparing everything get the number before it.
const FIRST_BEHIND: u64 = 1;

pub(crate) struct State {
    /// All memories; until the first full read, those that were glanced at.
    pub(crate) memories: Memories,
    /// The memories whose lines were all read by glances.
    pub(crate) glanced: BTreeSet<MemoryId>,
    /// When the first glance was.
    pub(crate) first_glance: Option<Instant>,
    /// The hash of the document of each memory in force.
    pub(crate) wanted: HashMap<MemoryId, ContentHash>,
    /// Memories whose documents in the index may be outdated, numbered in the order in which they changed.
    pub(crate) behind: BTreeMap<MemoryId, u64>,
    /// The next number for `behind`.
    pub(crate) next_behind: u64,
    /// The number of threads that wait for the index.
    pub(crate) waiting: usize,
    /// A cache of the words of memories in `behind`, with the hash of the document: a new memory is compared with all of them.
    pub(crate) unindexed: HashMap<MemoryId, (ContentHash, Unindexed)>,
    /// Whether every document of the index is to be compared, because lines of the journals were changed or removed.
    pub(crate) everything_behind: bool,
    /// The memories that are being written now.
    pub(crate) in_flight: BTreeMap<MemoryId, InFlight>,
    /// When the journals were last read; `None` before the first full read.
    pub(crate) looked: Option<Instant>,
    /// Why the last read failed.
    pub(crate) problem: Option<String>,
    /// A cache of the feedback on files; cleared by new feedback.
    pub(crate) ratings: Option<Arc<Ratings>>,
}

/// A memory that is being written.
pub(crate) struct InFlight {
    pub(crate) event: EventId,
    pub(crate) title: Arc<str>,
    pub(crate) vocabulary: Vocabulary,
}

/// A memory that the index may lack, with secrets masked.
#[derive(Clone, Debug)]
pub(crate) struct Unindexed {
    pub(crate) id: MemoryId,
    pub(crate) title: Arc<str>,
    /// The words of its title and text.
    pub(crate) vocabulary: Arc<Vocabulary>,
}

impl Default for State {
    fn default() -> Self {
        Self {
            memories: Memories::default(),
            glanced: BTreeSet::new(),
            first_glance: None,
            wanted: HashMap::new(),
            behind: BTreeMap::new(),
            next_behind: FIRST_BEHIND,
            waiting: 0,
            unindexed: HashMap::new(),
            everything_behind: false,
            in_flight: BTreeMap::new(),
            looked: None,
            problem: None,
            ratings: None,
        }
    }
}

impl State {
    pub(crate) fn apply_all(&mut self, events: Vec<Event>) {
        for event in events {
            self.apply(event);
        }
    }

    pub(crate) fn apply(&mut self, event: Event) {
        let added = match &event.body {
            EventBody::Memory { id, change: MemoryChange::Add(added) } => Some((*id, added.supersedes)),
            EventBody::Memory { .. } => None,
            EventBody::Feedback { .. } => {
                self.ratings = None;
                None
            }
        };
        if let (Applied::New(ItemId::Memory(id)), older) =
            (self.memories.apply(event), added.and_then(|(_, supersedes)| supersedes))
        {
            self.derive(id);
            // The event may retire another memory, or end its retirement.
            let retired = self.memories.memory(id).and_then(|memory| memory.supersedes);
            for older in retired.into_iter().chain(older) {
                self.derive(older);
            }
        }
    }

    /// Replaces all memories and the hashes of their documents.
    pub(crate) fn replace(&mut self, memories: Memories, wanted: HashMap<MemoryId, ContentHash>) {
        (self.memories, self.wanted) = (memories, wanted);
        self.glanced.clear();
        self.ratings = None;
        self.behind.clear();
        self.everything_behind = true;
    }

    /// Computes the document that the index should have of a memory.
    pub(crate) fn derive(&mut self, id: MemoryId) {
        let hash = wanted(&self.memories, id);
        let before = match hash {
            Some(hash) => self.wanted.insert(id, hash),
            None => self.wanted.remove(&id),
        };
        if before != hash {
            self.behind.entry(id).or_insert(self.next_behind);
            self.next_behind += 1;
        }
    }

    /// Removes from `behind` the memories whose documents in the index are current, after a full comparison if one is due.
    pub(crate) fn forget_even(&mut self, known: &Known) {
        let Self { wanted, behind, everything_behind, .. } = self;
        if std::mem::take(everything_behind) {
            let gone = known.memories.ids().filter(|id| !wanted.contains_key(id));
            let other = wanted.iter().filter(|(id, hash)| known.memories.hash(**id) != Some(**hash)).map(|(id, _)| *id);
            // This number is before every mark, so that all waiting threads wait for these.
            behind.extend(gone.chain(other).map(|id| (id, FIRST_BEHIND - 1)));
        }
        behind.retain(|id, _| wanted.get(id).copied() != known.memories.hash(*id));
    }
}

/// Returns the hash of the document of each memory in force.
pub(crate) fn all_wanted(memories: &Memories) -> HashMap<MemoryId, ContentHash> {
    let retired = |memory: &Memory| memories.superseded_by(memory.id).is_some();
    let in_force = memories.iter().filter(|memory| memory.promoted.is_none() && !retired(memory));
    in_force.map(|memory| (memory.id, hash_of(&masked(memory)))).collect()
}

/// Returns the hash of the document that the index should have of a memory; `None` if it is not in force.
pub(crate) fn wanted(memories: &Memories, id: MemoryId) -> Option<ContentHash> {
    let memory = memories.memory(id).filter(|memory| memory.deleted.is_none() && memory.promoted.is_none())?;
    memories.superseded_by(id).is_none().then(|| hash_of(&masked(memory)))
}
