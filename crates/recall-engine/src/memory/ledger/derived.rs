//! Which documents should the index have, and how far is it behind?

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{ContentHash, Memory, MemoryId, Vocabulary};
use recall_journal::Memories;

use super::{Ledger, State};
use crate::memory::document::hash_of;
use crate::memory::mask::masked;
use crate::store::Known;

/// What is to be done so that the index has the documents of all memories in force.
#[derive(Debug, Default)]
pub(in crate::memory) struct Difference {
    /// Memories whose document is missing or another, without their secrets; with the hash of the one that the index has.
    pub(in crate::memory) missing: Vec<(Memory, Option<ContentHash>)>,
    /// Memories whose document is to go.
    pub(in crate::memory) surplus: Vec<MemoryId>,
}

/// A memory that the index may not have, without its secrets.
#[derive(Clone, Debug)]
pub(in crate::memory) struct Unindexed {
    pub(in crate::memory) id: MemoryId,
    pub(in crate::memory) title: Arc<str>,
    /// The words of its title and text.
    pub(in crate::memory) vocabulary: Arc<Vocabulary>,
}

impl Ledger {
    /// Compares what is known to be behind with what the index has.
    pub(in crate::memory) fn difference(&self, known: &Known) -> Difference {
        let mut state = self.state.lock();
        if state.looked.is_none() {
            return Difference::default();
        }
        let mut difference = Difference::default();
        let has = |id: MemoryId| known.files.get(id.to_string().as_str()).and_then(|file| file.hash);
        if state.everything_behind {
            state.everything_behind = false;
            let gone: Vec<_> = known.memories.values().filter(|id| !state.wanted.contains_key(id)).copied().collect();
            let other = state.wanted.iter().filter(|(id, hash)| has(**id) != Some(**hash)).map(|(id, _)| *id);
            let other: Vec<_> = other.collect();
            state.behind.extend(gone.into_iter().chain(other));
        }
        let mut even = Vec::new();
        for &id in &state.behind {
            match (state.wanted.get(&id), has(id)) {
                (Some(wanted), there) if there != Some(*wanted) => {
                    difference.missing.extend(state.memories.memory(id).map(|memory| (masked(memory), there)));
                }
                (None, Some(_)) => difference.surplus.push(id),
                (Some(_) | None, _) => even.push(id),
            }
        }
        for id in even {
            state.behind.remove(&id);
        }
        drop(state);
        // As if they came one after the other: the order in which a store was filled decides between equals.
        difference.missing.sort_by_key(|(memory, _)| (memory.updated, memory.id));
        self.changed.notify_all();
        difference
    }

    /// Has the whole index compared by the next [`difference`](Self::difference): it was made anew.
    pub(crate) fn compare_everything(&self) {
        self.state.lock().everything_behind = true;
    }

    /// Whether the index may lack something.
    pub(in crate::memory) fn is_behind(&self) -> bool {
        let state = self.state.lock();
        state.everything_behind || !state.behind.is_empty()
    }

    /// Waits until the index lacks nothing; tells whether that was in time.
    pub(crate) fn wait_until_even(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.state.lock();
        while state.everything_behind || !state.behind.is_empty() {
            if self.changed.wait_until(&mut state, deadline).timed_out() {
                return false;
            }
        }
        true
    }

    /// The words of the memories that the index may not have, at most of so many.
    pub(in crate::memory) fn unindexed(&self, most: usize) -> Vec<Unindexed> {
        let state = &mut *self.state.lock();
        let ids: Vec<MemoryId> = if state.everything_behind {
            state.wanted.keys().take(most).copied().collect()
        } else {
            state.behind.iter().filter(|id| state.wanted.contains_key(id)).take(most).copied().collect()
        };
        if state.unindexed.len() > 2 * most {
            let behind = &state.behind;
            state.unindexed.retain(|id, _| behind.contains(id));
        }
        let words_of = |id: MemoryId| {
            let hash = *state.wanted.get(&id)?;
            if let Some((_, known)) = state.unindexed.get(&id).filter(|(known, _)| *known == hash) {
                return Some(known.clone());
            }
            let memory = masked(state.memories.memory(id)?);
            let vocabulary = Arc::new(Vocabulary::of(&[&memory.title, &memory.content]));
            let unindexed = Unindexed { id, title: memory.title, vocabulary };
            state.unindexed.insert(id, (hash, unindexed.clone()));
            Some(unindexed)
        };
        ids.into_iter().filter_map(words_of).collect()
    }

    /// Whether the document that the index has of a memory is the one that it should have.
    pub(crate) fn is_even(&self, id: MemoryId, hash: ContentHash) -> bool {
        self.glance([id]);
        let state = self.state.lock();
        let wanted = if state.looked.is_some() { state.wanted.get(&id).copied() } else { wanted(&state.memories, id) };
        wanted == Some(hash)
    }
}

impl State {
    /// Takes other memories in the place of those that were known, with the documents that there should be of them.
    pub(super) fn replace(&mut self, memories: Memories, wanted: HashMap<MemoryId, ContentHash>) {
        (self.memories, self.wanted) = (memories, wanted);
        self.glanced.clear();
        self.ratings = None;
        self.behind.clear();
        self.everything_behind = true;
    }

    /// Tells anew which document a memory should have.
    pub(super) fn derive(&mut self, id: MemoryId) {
        let hash = wanted(&self.memories, id);
        let before = match hash {
            Some(hash) => self.wanted.insert(id, hash),
            None => self.wanted.remove(&id),
        };
        if before != hash {
            self.behind.insert(id);
        }
    }
}

/// The documents that there should be.
pub(super) fn all_wanted(memories: &Memories) -> HashMap<MemoryId, ContentHash> {
    let retired = |memory: &Memory| memories.superseded_by(memory.id).is_some();
    let in_force = memories.iter().filter(|memory| memory.promoted.is_none() && !retired(memory));
    in_force.map(|memory| (memory.id, hash_of(&masked(memory)))).collect()
}

/// The document that there should be of a memory; none of one that is not in force.
fn wanted(memories: &Memories, id: MemoryId) -> Option<ContentHash> {
    let memory = memories.memory(id).filter(|memory| memory.deleted.is_none() && memory.promoted.is_none())?;
    memories.superseded_by(id).is_none().then(|| hash_of(&masked(memory)))
}
