//! The difference between the memories in force and their documents in the index.

use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{ContentHash, Memory, MemoryId, Vocabulary};

use crate::known::Known;
use crate::ledger::Ledger;
use crate::ledger::state::{State, Unindexed, wanted};
use crate::mask::memory as masked;

/// The changes that make the index hold the documents of exactly the memories in force.
#[derive(Debug, Default)]
pub(crate) struct Difference {
    /// Memories whose document is missing or outdated, with secrets masked, each with the hash of its document in the index.
    pub(crate) missing: Vec<(Memory, Option<ContentHash>)>,
    /// Memories whose document is to be removed.
    pub(crate) surplus: Vec<MemoryId>,
}

impl Ledger {
    /// Returns the memories that the index lacks or has in excess.
    pub(crate) fn difference(&self, known: &Known) -> Difference {
        let mut state = self.state.lock();
        if state.looked.is_none() {
            return Difference::default();
        }
        state.forget_even(known);
        let mut difference = Difference::default();
        for &id in state.behind.keys() {
            if state.wanted.contains_key(&id) {
                let memory = state.memories.memory(id);
                difference.missing.extend(memory.map(|memory| (memory, known.memories.hash(id))));
            } else {
                difference.surplus.push(id);
            }
        }
        drop(state);
        self.changed.notify_all();
        difference.missing = difference.missing.into_iter().map(|(memory, there)| (masked(memory), there)).collect();
        // Documents are inserted in the order of the memories' last changes, since insertion order breaks ties in ranking.
        difference.missing.sort_by_key(|(memory, _)| (memory.updated, memory.id));
        difference
    }

    /// Forgets the memories that the index has by now; returns whether any are left.
    pub(crate) fn is_behind_of(&self, known: &Known) -> bool {
        let mut state = self.state.lock();
        if state.looked.is_none() {
            return false;
        }
        state.forget_even(known);
        let is_behind = !state.behind.is_empty();
        drop(state);
        self.changed.notify_all();
        is_behind
    }

    /// Waits for further memories to index in one batch, until a thread waits for the index, and at most `longest`.
    pub(crate) fn gather(&self, longest: Duration) {
        let deadline = Instant::now() + longest;
        let mut state = self.state.lock();
        while state.waiting == 0 && !self.awaited.wait_until(&mut state, deadline).timed_out() {}
    }

    /// Makes the next [`difference`](Self::difference) compare every memory, after the index was rebuilt.
    pub(crate) fn compare_everything(&self) {
        self.state.lock().everything_behind = true;
    }

    /// Returns whether the index may differ from the memories in force.
    pub(crate) fn is_behind(&self) -> bool {
        let state = self.state.lock();
        state.everything_behind || !state.behind.is_empty()
    }

    /// Returns an upper bound of the number of memories that the index lacks or has in excess.
    pub(crate) fn behind(&self) -> usize {
        let state = self.state.lock();
        if state.everything_behind { state.wanted.len() } else { state.behind.len() }
    }

    /// Waits until the memories that the index lacks now are indexed; returns whether that was before the timeout. Does not wait
    /// for later memories, since they may never end.
    pub(crate) fn wait_until_even(&self, patience: Duration) -> bool {
        self.wait_until_past(self.mark(), patience)
    }

    /// Returns a mark that separates the memories that the index lacks now from those that are added later.
    pub(crate) fn mark(&self) -> u64 {
        self.state.lock().next_behind
    }

    /// Waits until the memories that the index lacked at a [`mark`](Self::mark) are indexed; returns whether that was before the
    /// timeout.
    pub(crate) fn wait_until_past(&self, mark: u64, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.state.lock();
        let lacks = |state: &State| state.everything_behind || state.behind.values().any(|number| *number < mark);
        state.waiting += 1;
        self.awaited.notify_all();
        let mut is_in_time = true;
        while is_in_time && lacks(&state) {
            is_in_time = !self.changed.wait_until(&mut state, deadline).timed_out();
        }
        state.waiting -= 1;
        is_in_time
    }

    /// Returns the words of at most `most` memories that the index may lack.
    pub(crate) fn unindexed(&self, most: usize) -> Vec<Unindexed> {
        let state = &mut *self.state.lock();
        let ids: Vec<MemoryId> = if state.everything_behind {
            state.wanted.keys().take(most).copied().collect()
        } else {
            state.behind.keys().filter(|id| state.wanted.contains_key(id)).take(most).copied().collect()
        };
        if state.unindexed.len() > 2 * most {
            let behind = &state.behind;
            state.unindexed.retain(|id, _| behind.contains_key(id));
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

    /// Returns whether `hash` is that of the document that the index should have of a memory.
    pub(crate) fn is_even(&self, id: MemoryId, hash: ContentHash) -> bool {
        self.glance([id]);
        let state = self.state.lock();
        let wanted = if state.looked.is_some() { state.wanted.get(&id).copied() } else { wanted(&state.memories, id) };
        wanted == Some(hash)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use recall_catalog::FileState;
    use recall_core::{DocumentRow, MemoryType, PROJECT_FOLDER, Timestamp};

    use super::super::tests::addition;
    use super::*;

    /// A timeout that a passing test never reaches.
    const LONG: Duration = Duration::from_secs(30);

    const NOW: Timestamp = Timestamp(1_795_000_000_000_000_000);

    fn id(number: u32) -> MemoryId {
        MemoryId { memory_type: MemoryType::Note, number }
    }

    fn write(ledger: &Ledger, number: u32) {
        ledger.write(&[addition(ledger, id(number), NOW)]).expect("kept");
    }

    /// Returns the files of an index that has the current documents of some memories.
    fn indexed(ledger: &Ledger, numbers: &[u32]) -> Known {
        let mut known = Known::default();
        for &number in numbers {
            let hash = ledger.state.lock().wanted.get(&id(number)).copied();
            let (path, row) = (id(number).to_string(), Some(DocumentRow(i64::from(number))));
            known.insert(FileState { path: &path, row, size_bytes: 1, modified: NOW, hash });
        }
        known
    }

    #[test]
    fn a_wait_ignores_later_memories_and_ends_the_gathering_of_a_batch() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger =
            Ledger::new(folder.path(), Arc::new(recall_journal::Disk::below(folder.path(), PROJECT_FOLDER)), None);
        ledger.look(NOW, Duration::ZERO).expect("nothing is there");
        assert!(!ledger.is_behind_of(&indexed(&ledger, &[])));
        write(&ledger, 1);
        assert_eq!(ledger.difference(&indexed(&ledger, &[])).missing.len(), 1);
        assert!(!ledger.wait_until_even(Duration::ZERO));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| ledger.wait_until_even(LONG));
            let began = Instant::now();
            // Ends as soon as the other thread waits.
            ledger.gather(LONG);
            assert!(began.elapsed() < LONG);
            write(&ledger, 2);
            assert!(ledger.is_behind_of(&indexed(&ledger, &[1])));
            assert!(waiting.join().expect("no panic"));
        });
        assert!(!ledger.wait_until_even(Duration::ZERO), "a new wait includes the second memory");
        assert!(!ledger.is_behind_of(&indexed(&ledger, &[1, 2])));
        assert!(ledger.wait_until_even(Duration::ZERO));
    }
}
