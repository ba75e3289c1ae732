//! What the journals say, and which documents the index should have of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Instant;

use recall_core::{ContentHash, Event, EventBody, EventId, ItemId, Memory, MemoryChange, MemoryId, Vocabulary};
use recall_journal::{Applied, Memories};

use crate::known::Known;
use crate::ledger::document::hash_of;
use crate::ledger::ratings::Ratings;
use crate::mask::memory as masked;

/// The number of what is behind first; what is found by comparing everything stands before it.
const FIRST_BEHIND: u64 = 1;

pub(crate) struct State {
    /// Before all journals were read, what was glanced at.
    pub(crate) memories: Memories,
    /// Of which memories that is all that there is, and since when some were.
    pub(crate) glanced: BTreeSet<MemoryId>,
    pub(crate) first_glance: Option<Instant>,
    /// Of every memory in force the hash of its document.
    pub(crate) wanted: HashMap<MemoryId, ContentHash>,
    /// Memories whose documents the index may not have as they are, numbered in the order in which that came about.
    pub(crate) behind: BTreeMap<MemoryId, u64>,
    /// The number that the next one is given.
    pub(crate) next_behind: u64,
    /// How many wait for some of them.
    pub(crate) waiting: usize,
    /// The words of some of them, by the document that each should have: whoever adds compares with all.
    pub(crate) unindexed: HashMap<MemoryId, (ContentHash, Unindexed)>,
    /// Whether every document of the index is to be compared, since lines were changed or taken away.
    pub(crate) everything_behind: bool,
    /// What is being written at this moment.
    pub(crate) in_flight: BTreeMap<MemoryId, InFlight>,
    /// When the journals were last looked at; `None` before they were read.
    pub(crate) looked: Option<Instant>,
    /// Why they could not be read the last time.
    pub(crate) problem: Option<String>,
    /// What feedback says of files; none since something was said.
    pub(crate) ratings: Option<Arc<Ratings>>,
}

/// A memory that is being written.
pub(crate) struct InFlight {
    pub(crate) event: EventId,
    pub(crate) title: Arc<str>,
    pub(crate) vocabulary: Vocabulary,
}

/// A memory that the index may not have, without its secrets.
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
            // What was retired by it may be so no longer, or be so from here on.
            let retired = self.memories.memory(id).and_then(|memory| memory.supersedes);
            for older in retired.into_iter().chain(older) {
                self.derive(older);
            }
        }
    }

    /// Takes other memories in the place of those that were known, with the documents that there should be of them.
    pub(crate) fn replace(&mut self, memories: Memories, wanted: HashMap<MemoryId, ContentHash>) {
        (self.memories, self.wanted) = (memories, wanted);
        self.glanced.clear();
        self.ratings = None;
        self.behind.clear();
        self.everything_behind = true;
    }

    /// Tells anew which document a memory should have.
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

    /// Forgets of what is behind what the index has as it should be, once all is compared that is to be.
    pub(crate) fn forget_even(&mut self, known: &Known) {
        let Self { wanted, behind, everything_behind, .. } = self;
        if std::mem::take(everything_behind) {
            let gone = known.memories.ids().filter(|id| !wanted.contains_key(id));
            let other = wanted.iter().filter(|(id, hash)| known.memories.hash(**id) != Some(**hash)).map(|(id, _)| *id);
            // Whoever waits waits for these.
            behind.extend(gone.chain(other).map(|id| (id, FIRST_BEHIND - 1)));
        }
        behind.retain(|id, _| wanted.get(id).copied() != known.memories.hash(*id));
    }
}

/// The documents that there should be.
pub(crate) fn all_wanted(memories: &Memories) -> HashMap<MemoryId, ContentHash> {
    let retired = |memory: &Memory| memories.superseded_by(memory.id).is_some();
    let in_force = memories.iter().filter(|memory| memory.promoted.is_none() && !retired(memory));
    in_force.map(|memory| (memory.id, hash_of(&masked(memory)))).collect()
}

/// The document that there should be of a memory; none of one that is not in force.
pub(crate) fn wanted(memories: &Memories, id: MemoryId) -> Option<ContentHash> {
    let memory = memories.memory(id).filter(|memory| memory.deleted.is_none() && memory.promoted.is_none())?;
    memories.superseded_by(id).is_none().then(|| hash_of(&masked(memory)))
}
