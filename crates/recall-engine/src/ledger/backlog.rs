//! The memories whose documents the index lacks, and the turn of one thread to index them.
//!
//! An addition is acknowledged when it is on disk, before it is indexed (ADR 12): a commit of two indexes takes longer than a sync,
//! and callers would queue for it. What is missing is not a queue of tasks but a difference of hashes, so that a lost task, an edited
//! journal and a deleted index are one case. A search that needs the difference to be empty takes a [mark](IndexBacklog::mark) and
//! waits for what was missing then.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use recall_core::{ContentHash, MemoryId};

use crate::known::Known;

/// The first number of a stale memory. Memories found by comparing everything get the number before it.
const FIRST_NUMBER: u64 = 1;

/// The documents that the index should have of memories, and which of them it may lack.
///
/// The [`Ledger`](super::Ledger) states what is expected; the threads that index and search read what is stale.
pub(crate) struct IndexBacklog {
    state: Mutex<MemoryDocuments>,
    /// Signalled when documents may have become up to date.
    indexed: Condvar,
    /// Signalled when a thread begins to wait for documents.
    awaited: Condvar,
    /// Whether a thread is indexing memories.
    is_indexing: AtomicBool,
}

struct MemoryDocuments {
    /// Whether the journals were fully read, so that the expected documents are all there are.
    are_known: bool,
    /// The hash of the document of each memory in force.
    expected: HashMap<MemoryId, ContentHash>,
    /// Memories whose documents in the index may be outdated, numbered in the order in which they changed.
    stale: BTreeMap<MemoryId, u64>,
    /// The next number of a stale memory.
    next_number: u64,
    /// Whether every document of the index is to be compared, because lines of the journals were changed or removed.
    are_all_stale: bool,
    /// The number of threads that wait for the index.
    waiting: usize,
}

/// The memories whose documents in the index differ from the expected ones.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Stale {
    /// Memories whose document is missing or outdated.
    pub(crate) missing: Vec<MemoryId>,
    /// Memories that are no longer in force and whose document is to be removed.
    pub(crate) orphaned: Vec<MemoryId>,
}

impl Default for IndexBacklog {
    fn default() -> Self {
        let documents = MemoryDocuments {
            are_known: false,
            expected: HashMap::new(),
            stale: BTreeMap::new(),
            next_number: FIRST_NUMBER,
            are_all_stale: false,
            waiting: 0,
        };
        Self {
            state: Mutex::new(documents),
            indexed: Condvar::new(),
            awaited: Condvar::new(),
            is_indexing: AtomicBool::new(false),
        }
    }
}

impl IndexBacklog {
    /// Sets the hashes of the documents that the index should have of some memories; `None` for a memory that is not in force.
    pub(super) fn expect(&self, documents: impl IntoIterator<Item = (MemoryId, Option<ContentHash>)>) {
        let mut state = self.state.lock();
        for (id, hash) in documents {
            let before = match hash {
                Some(hash) => state.expected.insert(id, hash),
                None => state.expected.remove(&id),
            };
            if before != hash {
                let number = state.next_number;
                state.stale.entry(id).or_insert(number);
                state.next_number += 1;
            }
        }
    }

    /// Replaces all expected documents.
    pub(super) fn replace(&self, expected: HashMap<MemoryId, ContentHash>) {
        let mut state = self.state.lock();
        state.expected = expected;
        state.stale.clear();
        state.are_all_stale = true;
    }

    /// Records that the journals were fully read. Until then nothing is stale.
    pub(super) fn set_known(&self) {
        self.state.lock().are_known = true;
    }

    /// Compares the index with the expected documents; returns which differ.
    pub(super) fn compare(&self, known: &Known) -> Stale {
        let mut state = self.state.lock();
        if !state.are_known {
            return Stale::default();
        }
        state.forget_indexed(known);
        let (missing, orphaned) = state.stale.keys().partition(|id| state.expected.contains_key(id));
        drop(state);
        self.indexed.notify_all();
        Stale { missing, orphaned }
    }

    /// Forgets the memories that the index has by now; returns whether any are left.
    pub(crate) fn remains(&self, known: &Known) -> bool {
        let mut state = self.state.lock();
        if !state.are_known {
            return false;
        }
        state.forget_indexed(known);
        let remains = !state.stale.is_empty();
        drop(state);
        self.indexed.notify_all();
        remains
    }

    /// Makes the next comparison cover every memory, after the index was rebuilt.
    pub(crate) fn compare_everything(&self) {
        self.state.lock().are_all_stale = true;
    }

    /// Returns whether the index is known to have the expected documents.
    pub(crate) fn is_empty(&self) -> bool {
        let state = self.state.lock();
        !state.are_all_stale && state.stale.is_empty()
    }

    /// Returns an upper bound of the number of documents that the index lacks or has in excess.
    pub(crate) fn len(&self) -> usize {
        let state = self.state.lock();
        if state.are_all_stale { state.expected.len() } else { state.stale.len() }
    }

    /// Counts the documents that the index lacks, has in excess, or has outdated.
    pub(crate) fn count_stale(&self, known: &Known) -> u64 {
        let state = self.state.lock();
        if !state.are_known {
            return 0;
        }
        let has = |id: &MemoryId| known.memories.hash(*id);
        let missing = state.expected.iter().filter(|(id, hash)| has(id) != Some(**hash)).count();
        let orphaned = known.memories.ids().filter(|id| !state.expected.contains_key(id)).count();
        (missing + orphaned) as u64
    }

    /// Returns at most `most` memories in force whose documents the index may lack, each with the hash of its document.
    pub(super) fn first(&self, most: usize) -> Vec<(MemoryId, ContentHash)> {
        let state = self.state.lock();
        let with_hash = |id: &MemoryId| Some((*id, *state.expected.get(id)?));
        if state.are_all_stale {
            state.expected.iter().take(most).map(|(id, hash)| (*id, *hash)).collect()
        } else {
            state.stale.keys().filter_map(with_hash).take(most).collect()
        }
    }

    /// Returns the hash of the document that the index should have of a memory; `None` if the memory is not in force.
    pub(crate) fn expected_hash(&self, id: MemoryId) -> Option<ContentHash> {
        self.state.lock().expected.get(&id).copied()
    }

    /// Returns the memories in force, in no particular order.
    pub(super) fn in_force(&self) -> Vec<MemoryId> {
        self.state.lock().expected.keys().copied().collect()
    }

    /// Returns the number of memories in force.
    pub(super) fn count_in_force(&self) -> usize {
        self.state.lock().expected.len()
    }

    /// Waits for further memories to index in one batch, until a thread waits for the index, and at most `longest`.
    pub(crate) fn wait_for_batch(&self, longest: Duration) {
        let deadline = Instant::now() + longest;
        let mut state = self.state.lock();
        while state.waiting == 0 && !self.awaited.wait_until(&mut state, deadline).timed_out() {}
    }

    /// Returns a mark that separates the documents that the index lacks now from those that are added later.
    pub(crate) fn mark(&self) -> u64 {
        self.state.lock().next_number
    }

    /// Waits until the documents that the index lacked at a [`mark`](Self::mark) are indexed; returns whether that was before the
    /// timeout. Does not wait for later memories, since they may never end.
    pub(crate) fn wait_for(&self, mark: u64, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut state = self.state.lock();
        let lacks = |state: &MemoryDocuments| state.are_all_stale || state.stale.values().any(|number| *number < mark);
        state.waiting += 1;
        self.awaited.notify_all();
        let mut is_in_time = true;
        while is_in_time && lacks(&state) {
            is_in_time = !self.indexed.wait_until(&mut state, deadline).timed_out();
        }
        state.waiting -= 1;
        is_in_time
    }

    /// Takes the turn to index memories; returns whether it was free.
    pub(crate) fn begin_indexing(&self) -> bool {
        !self.is_indexing.swap(true, Ordering::SeqCst)
    }

    /// Returns whether a thread has the turn.
    pub(crate) fn is_indexing(&self) -> bool {
        self.is_indexing.load(Ordering::SeqCst)
    }

    /// Gives the turn back.
    pub(crate) fn end_indexing(&self) {
        self.is_indexing.store(false, Ordering::SeqCst);
    }
}

impl MemoryDocuments {
    /// Removes from `stale` the memories whose documents in the index are current, after a full comparison if one is due.
    fn forget_indexed(&mut self, known: &Known) {
        let Self { expected, stale, are_all_stale, .. } = self;
        if std::mem::take(are_all_stale) {
            let orphaned = known.memories.ids().filter(|id| !expected.contains_key(id));
            let differs = |(id, hash): &(&MemoryId, &ContentHash)| known.memories.hash(**id) != Some(**hash);
            let missing = expected.iter().filter(differs).map(|(id, _)| *id);
            // This number is before every mark, so that all waiting threads wait for these.
            stale.extend(orphaned.chain(missing).map(|id| (id, FIRST_NUMBER - 1)));
        }
        stale.retain(|id, _| expected.get(id).copied() != known.memories.hash(*id));
    }
}

#[cfg(test)]
mod tests {
    use recall_core::{DocumentRow, MemoryType, Timestamp};
    use recall_index::catalog::FileState;

    use super::*;

    /// A timeout that a passing test never reaches.
    const LONG: Duration = Duration::from_secs(30);

    fn id(number: u32) -> MemoryId {
        MemoryId { memory_type: MemoryType::Note, number }
    }

    fn hash(number: u32) -> ContentHash {
        ContentHash([number as u8; 32])
    }

    fn expect(backlog: &IndexBacklog, number: u32) {
        backlog.expect([(id(number), Some(hash(number)))]);
    }

    /// Returns the files of an index that has the documents of some memories.
    fn indexed(numbers: &[u32]) -> Known {
        let mut known = Known::default();
        for &number in numbers {
            let (path, row) = (id(number).to_path(), Some(DocumentRow(i64::from(number))));
            known.insert(FileState {
                path: path.as_str(),
                memory: Some(id(number)),
                row,
                size_bytes: 1,
                modified: Timestamp(1),
                hash: Some(hash(number)),
                failure: None,
            });
        }
        known
    }

    #[test]
    fn a_wait_ignores_later_memories_and_ends_the_gathering_of_a_batch() {
        let backlog = IndexBacklog::default();
        backlog.set_known();
        assert!(!backlog.remains(&indexed(&[])));
        expect(&backlog, 1);
        assert_eq!(backlog.compare(&indexed(&[])).missing, [id(1)]);
        assert!(!backlog.wait_for(backlog.mark(), Duration::ZERO));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| backlog.wait_for(backlog.mark(), LONG));
            let began = Instant::now();
            // Ends as soon as the other thread waits.
            backlog.wait_for_batch(LONG);
            assert!(began.elapsed() < LONG);
            expect(&backlog, 2);
            assert!(backlog.remains(&indexed(&[1])));
            assert!(waiting.join().expect("no panic"));
        });
        assert!(!backlog.wait_for(backlog.mark(), Duration::ZERO), "a new wait includes the second memory");
        assert!(!backlog.remains(&indexed(&[1, 2])));
        assert!(backlog.wait_for(backlog.mark(), Duration::ZERO));
    }

    #[test]
    fn nothing_is_stale_before_the_journals_were_read() {
        let backlog = IndexBacklog::default();
        expect(&backlog, 1);
        assert!(!backlog.remains(&indexed(&[])) && backlog.count_stale(&indexed(&[])) == 0);
        backlog.set_known();
        backlog.compare_everything();
        let Stale { missing, orphaned } = backlog.compare(&indexed(&[2]));
        assert_eq!((missing, orphaned), (vec![id(1)], vec![id(2)]));
    }
}
