//! The difference between the memories in force and their documents in the index.

use std::collections::HashSet;
use std::sync::Arc;

use recall_core::{ContentHash, Memory, MemoryId};
use recall_text::Vocabulary;

use crate::known::Known;
use crate::ledger::Ledger;
use crate::ledger::backlog::Stale;
use crate::ledger::state::{Unindexed, expected_hash};
use crate::mask::memory as masked;

/// The changes that make the index hold the documents of exactly the memories in force.
#[derive(Debug, Default)]
pub(crate) struct Difference {
    /// Memories whose document is missing or outdated, with secrets masked, each with the hash of its document in the index.
    pub(crate) missing: Vec<(Memory, Option<ContentHash>)>,
    /// Memories whose document is to be removed.
    pub(crate) orphaned: Vec<MemoryId>,
}

impl Ledger {
    /// Returns the memories that the index lacks or has in excess.
    pub(crate) fn difference(&self, known: &Known) -> Difference {
        let state = self.state.lock();
        let Stale { missing, orphaned } = self.backlog.compare(known);
        let memories = missing.into_iter().filter_map(|id| Some((state.memories.memory(id)?, known.memories.hash(id))));
        let memories: Vec<_> = memories.collect();
        drop(state);
        let mut missing: Vec<_> = memories.into_iter().map(|(memory, there)| (masked(memory), there)).collect();
        // Documents are inserted in the order of the memories' last changes, since insertion order breaks ties in ranking.
        missing.sort_by_key(|(memory, _)| (memory.updated, memory.id));
        Difference { missing, orphaned }
    }

    /// Returns the words of at most `most` memories that the index may lack.
    pub(crate) fn unindexed_memories(&self, most: usize) -> Vec<Unindexed> {
        let state = &mut *self.state.lock();
        let lacking = self.backlog.first(most);
        if state.unindexed.len() > 2 * most {
            let lacking: HashSet<MemoryId> = lacking.iter().map(|(id, _)| *id).collect();
            state.unindexed.retain(|id, _| lacking.contains(id));
        }
        let words_of = |(id, hash)| {
            if let Some((_, known)) = state.unindexed.get(&id).filter(|(known, _)| *known == hash) {
                return Some(known.clone());
            }
            let memory = masked(state.memories.memory(id)?);
            let vocabulary = Arc::new(Vocabulary::new(&[&memory.title, &memory.content]));
            let unindexed = Unindexed { id, title: memory.title, content: memory.content, vocabulary };
            state.unindexed.insert(id, (hash, unindexed.clone()));
            Some(unindexed)
        };
        lacking.into_iter().filter_map(words_of).collect()
    }

    /// Returns whether `hash` is that of the document that the index should have of a memory.
    pub(crate) fn is_up_to_date(&self, id: MemoryId, hash: ContentHash) -> bool {
        self.load_memories([id]);
        let state = self.state.lock();
        let expected = if state.read_at.is_some() {
            self.backlog.expected_hash(id)
        } else {
            expected_hash(&state.memories, id, &self.admits())
        };
        expected == Some(hash)
    }
}
