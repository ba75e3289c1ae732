//! Which documents should the index have, and how far is it behind?

use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{ContentHash, Memory, MemoryId, Vocabulary};

use crate::known::Known;
use crate::ledger::Ledger;
use crate::ledger::state::{State, Unindexed, wanted};
use crate::mask::memory as masked;

/// What is to be done so that the index has the documents of all memories in force.
#[derive(Debug, Default)]
pub(crate) struct Difference {
    /// Memories whose document is missing or another, without their secrets; with the hash of the one that the index has.
    pub(crate) missing: Vec<(Memory, Option<ContentHash>)>,
    /// Memories whose document is to go.
    pub(crate) surplus: Vec<MemoryId>,
}

impl Ledger {
    /// Compares what is known to be behind with what the index has.
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
        // As if they came one after the other: the order in which a store was filled decides between equals.
        difference.missing.sort_by_key(|(memory, _)| (memory.updated, memory.id));
        difference
    }

    /// Takes note of what the index has by now; tells whether it lacks something.
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

    /// Lets more come to what is to be indexed, for so long at most, or until somebody waits for it.
    pub(crate) fn gather(&self, longest: Duration) {
        let deadline = Instant::now() + longest;
        let mut state = self.state.lock();
        while state.waiting == 0 && !self.awaited.wait_until(&mut state, deadline).timed_out() {}
    }

    /// Has the whole index compared by the next [`difference`](Self::difference): it was made anew.
    pub(crate) fn compare_everything(&self) {
        self.state.lock().everything_behind = true;
    }

    /// Whether the index may lack something.
    pub(crate) fn is_behind(&self) -> bool {
        let state = self.state.lock();
        state.everything_behind || !state.behind.is_empty()
    }

    /// How many memories the index lacks or has too many, at most.
    pub(crate) fn behind(&self) -> usize {
        let state = self.state.lock();
        if state.everything_behind { state.wanted.len() } else { state.behind.len() }
    }

    /// Waits until the index lacks nothing of what it lacks now; tells whether that was in time. What comes meanwhile is not
    /// waited for: it may never end.
    pub(crate) fn wait_until_even(&self, patience: Duration) -> bool {
        self.wait_until_past(self.mark(), patience)
    }

    /// A mark behind what the index lacks now, and before what it will lack.
    pub(crate) fn mark(&self) -> u64 {
        self.state.lock().next_behind
    }

    /// Waits until the index lacks nothing of what it lacked at a [`mark`](Self::mark); tells whether that was in time.
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

    /// The words of the memories that the index may not have, at most of so many.
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

    /// Whether the document that the index has of a memory is the one that it should have.
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

    /// Longer than a test takes that waits for nothing.
    const LONG: Duration = Duration::from_secs(30);

    const NOW: Timestamp = Timestamp(1_795_000_000_000_000_000);

    fn id(number: u32) -> MemoryId {
        MemoryId { memory_type: MemoryType::Note, number }
    }

    fn write(ledger: &Ledger, number: u32) {
        ledger.write(&[addition(ledger, id(number), NOW)]).expect("kept");
    }

    /// What an index knows that has what the ledger wants of some memories.
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
    fn what_comes_while_somebody_waits_is_not_waited_for_and_nothing_is_gathered_meanwhile() {
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
            // Ends when the other waits, or has never ended.
            ledger.gather(LONG);
            assert!(began.elapsed() < LONG);
            write(&ledger, 2);
            assert!(ledger.is_behind_of(&indexed(&ledger, &[1])));
            assert!(waiting.join().expect("no panic"));
        });
        assert!(!ledger.wait_until_even(Duration::ZERO), "the second one is waited for by who comes now");
        assert!(!ledger.is_behind_of(&indexed(&ledger, &[1, 2])));
        assert!(ledger.wait_until_even(Duration::ZERO));
    }
}
