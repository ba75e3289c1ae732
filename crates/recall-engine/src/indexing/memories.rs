//! Indexing of memories, in the background and before searches.

use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{Clock, ContentHash, Memory, Timestamp, error_chain};

use crate::embeddings::Reach;
use crate::indexing::ingest::{Supervision, Task, Work, ingest};
use crate::known::Known;
use crate::ledger::Difference;
use crate::store::{Look, Noted, Store};

/// How long to collect further memories before the next batch: a client that adds many adds more, and indexing fifty takes about
/// as long as one. The first memory never waits, nor does one that a search waits for; all others are found within the promised
/// tenth of a second.
const GATHERING: Duration = Duration::from_millis(40);

/// How long a search waits for a few memories that were acknowledged before it. Indexing one takes 20 ms, more on a busy machine.
const ACKNOWLEDGED_WAIT: Duration = Duration::from_secs(5);

/// The most memories that count as a few: one ingest indexes them all.
const FEW: usize = 64;

/// How often a waiting search checks whether the memories are still being indexed.
const STEP: Duration = Duration::from_millis(50);

/// The work of an ingest for memories.
#[derive(Debug, Default)]
pub(crate) struct MemoryWork {
    /// Documents to be written.
    pub(crate) read: Vec<Task>,
    /// Paths of documents to be removed.
    pub(crate) gone: Vec<String>,
}

/// The outcome of waiting for memories to be indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryWait {
    /// They are indexed, or will be with the store's first index.
    Over,
    /// They were not indexed before the timeout.
    InVain,
}

impl Store {
    /// Returns the work that makes the index hold the memories of the ledger.
    pub(crate) fn memory_work(&self, known: &Known) -> MemoryWork {
        let Difference { missing, surplus } = self.ledger.difference(known);
        MemoryWork {
            read: missing.into_iter().map(|(memory, there)| task(memory, there)).collect(),
            gone: surplus.into_iter().map(|id| id.to_string()).collect(),
        }
    }

    /// Reads the journals, then returns the work for their memories. If the journals cannot be read, there is no work, and answers
    /// carry a warning.
    pub(crate) fn memory_work_after_reading(&self, known: &Known, noted: &Noted, now: Timestamp) -> MemoryWork {
        if let Err(error) = self.ledger.look(now, Duration::ZERO) {
            let reason = error_chain(&error);
            tracing::warn!(root = %self.root.display(), reason, "the journals were not read");
            return MemoryWork::default();
        }
        if self.holds_nothing() {
            self.ledger.compare_everything();
        }
        let mut work = self.memory_work(known);
        if noted.covers_everything() {
            let here = work.read.iter().map(|task| task.path.clone()).collect::<std::collections::HashSet<_>>();
            let others = known.memories.ids().filter(|id| {
                let path = id.to_path();
                !here.contains(&path) && noted.look(&path) == Look::Rewrite
            });
            let memories = others.filter_map(|id| self.ledger.memory(id)).map(crate::mask::memory);
            work.read.extend(memories.map(|memory| Task { hash: None, is_known: true, ..task(memory, None) }));
        }
        work
    }

    /// Indexes memories on a thread of its own, unless one is running.
    ///
    /// A store that was never indexed gets them with its first index; until then no search reads it.
    pub(crate) fn index_memories_soon(self: &Arc<Self>, clock: &Arc<dyn Clock>) {
        self.compare_own_soon(clock);
        if self.awaits_first_index() || !self.ledger.is_behind() || !self.ledger.begin_indexing() {
            return;
        }
        let (store, clock, working) = (Arc::clone(self), Arc::clone(clock), self.background.begin());
        let thread = std::thread::Builder::new().name("remember".to_owned()).spawn(move || {
            store.index_memories(&*clock);
            store.catch_up(Reach::Whole);
            store.settle();
            // The first search after this then ranks by the same graph as the second.
            store.follow_structure();
            drop(store);
            drop(working);
        });
        if let Err(error) = thread {
            self.ledger.end_indexing();
            tracing::warn!(%error, "no thread to index memories; the next search does");
        }
    }

    /// Indexes until the index lacks no memory. The caller has the turn.
    fn index_memories(&self, clock: &dyn Clock) {
        loop {
            let turn = Turn(self);
            let is_well = self.index_memories_once(clock.now());
            drop(turn);
            // No other thread indexes the memories that arrived after the last check and before the turn was given back.
            if !is_well || !self.ledger.is_behind() || !self.ledger.begin_indexing() {
                return;
            }
        }
    }

    /// Indexes the memories that the index lacks; returns whether that succeeded.
    fn index_memories_once(&self, now: Timestamp) -> bool {
        loop {
            let MemoryWork { read, gone } = self.memory_work(&self.known());
            let work = Work { read, gone, skipped: Vec::new() };
            if work.is_empty() {
                return true;
            }
            let cancel = self.cancel.clone();
            let mut supervision = Supervision { progress: &mut |_| {}, cancel: &cancel };
            if let Err(error) = ingest(self, &work, NonZero::<usize>::MIN, now, None, &mut supervision) {
                let reason = error_chain(&error);
                tracing::warn!(root = %self.root.display(), reason, "memories are not indexed");
                return false;
            }
            if !self.ledger.is_behind_of(&self.known()) {
                return true;
            }
            self.ledger.gather(GATHERING);
        }
    }

    /// Waits for memories that were acknowledged to be in the index.
    ///
    /// A search after an acknowledged memory finds it: it waits longer than `patience` for a few memories, as long as they are
    /// being indexed. It does not for many at once, as after a merge.
    pub(crate) fn wait_for_memories(self: &Arc<Self>, clock: &Arc<dyn Clock>, patience: Duration) -> MemoryWait {
        if self.awaits_first_index() || !self.ledger.is_behind() {
            return MemoryWait::Over;
        }
        let longest = if self.ledger.behind() <= FEW { patience.max(ACKNOWLEDGED_WAIT) } else { patience };
        // Later memories are not waited for, since they may never end.
        let (mark, began) = (self.ledger.mark(), Instant::now());
        self.index_memories_soon(clock);
        let mut is_over = self.ledger.wait_until_past(mark, patience);
        while !is_over && began.elapsed() < longest && self.ledger.is_indexing() {
            is_over = self.ledger.wait_until_past(mark, STEP);
        }
        // The indexing may have succeeded since the last check.
        if is_over || self.ledger.wait_until_past(mark, Duration::ZERO) { MemoryWait::Over } else { MemoryWait::InVain }
    }
}

/// The guard of the turn to index, which is given back even after a panic.
struct Turn<'a>(&'a Store);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.ledger.end_indexing();
    }
}

/// Returns the task to write a memory's document. `there` is the hash of its document in the index.
pub(crate) fn task(memory: Memory, there: Option<ContentHash>) -> Task {
    Task {
        path: memory.id.to_path(),
        size_bytes: crate::ledger::text_of(&memory).len() as u64,
        modified: memory.updated,
        is_known: there.is_some(),
        hash: None,
        tags: Vec::new(),
        source: None,
        document_type: None,
        memory: Some(Arc::new(memory)),
    }
}
