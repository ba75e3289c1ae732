//! Indexing of memories, in the background and before searches.

use std::collections::HashSet;
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{Clock, MemoryId, Timestamp};
use recall_text::error_chain;

use crate::embeddings::UpdateExtent;
use crate::indexing::ingest::{RunControl, Task, Work, ingest};
use crate::known::Known;
use crate::ledger::{Difference, Ledger};
use crate::store::{DirtySnapshot, Store};

/// How long to collect further memories before the next batch: a client that adds many adds more, and indexing fifty takes about
/// as long as one. The first memory never waits, nor does one that a search waits for; all others are found within the promised
/// tenth of a second.
const GATHERING: Duration = Duration::from_millis(40);

/// How long a search waits for a few memories that were acknowledged before it. Indexing one takes 20 ms, a hundred times as long on a
/// very busy machine, and behind the import of a large project the writer is not free for seconds.
const ACKNOWLEDGED_WAIT: Duration = Duration::from_secs(20);

/// How many times a search starts the indexing of such memories again if it ended without them, as after a failed write.
const MOST_STARTS: usize = 3;

/// The most memories that count as a few: one ingest indexes them all.
const FEW: usize = 64;

/// How often a waiting search checks whether the memories are still being indexed.
const STEP: Duration = Duration::from_millis(50);

/// The work of an ingest for memories.
#[derive(Debug, Default)]
pub(crate) struct MemoryWork {
    /// Documents to be written.
    pub(crate) read: Vec<Task>,
    /// Memories whose documents are removed.
    pub(crate) gone: Vec<MemoryId>,
}

/// The outcome of waiting for memories to be indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryWait {
    /// They are indexed, or will be with the store's first index.
    Over,
    /// They were not indexed before the timeout.
    InVain,
}

/// Returns the work that makes the index hold the memories of the ledger.
pub(crate) fn memory_work(ledger: &Ledger, known: &Known) -> MemoryWork {
    let Difference { missing, orphaned } = ledger.difference(known);
    MemoryWork {
        read: missing
            .into_iter()
            .map(|(memory, there)| Task::Memory { memory: Arc::new(memory), is_known: there.is_some() })
            .collect(),
        gone: orphaned,
    }
}

/// Reads the journals, then returns the work for their memories. If the journals cannot be read, there is no work, and answers
/// carry a warning.
pub(crate) fn memory_work_after_reading(
    store: &Store,
    known: &Known,
    noted: &DirtySnapshot,
    now: Timestamp,
) -> MemoryWork {
    if let Err(error) = store.ledger.refresh(now) {
        let reason = error_chain(&error);
        tracing::warn!(root = %store.root.display(), reason, "the journals were not read");
        return MemoryWork::default();
    }
    if store.index.holds_nothing() {
        store.ledger.backlog().compare_everything();
    }
    let mut work = memory_work(&store.ledger, known);
    if noted.covers_everything() {
        let changed: HashSet<MemoryId> = work.read.iter().filter_map(Task::memory).collect();
        let others = known.memories.ids().filter(|id| !changed.contains(id));
        let memories = others.filter_map(|id| store.ledger.memory(id)).map(crate::mask::memory);
        work.read.extend(memories.map(|memory| Task::Memory { memory: Arc::new(memory), is_known: true }));
    }
    work
}

/// Indexes the memories that the index lacks on a thread of its own, unless one is running.
///
/// A store that was never indexed gets them with its first index; until then no search reads it.
pub(crate) fn index_backlog_soon(store: &Arc<Store>, clock: &Arc<dyn Clock>) {
    if store.awaits_first_index() || store.ledger.backlog().is_empty() || !store.ledger.backlog().begin_indexing() {
        return;
    }
    let (store_there, clock, working) = (Arc::clone(store), Arc::clone(clock), store.jobs.begin_thread());
    let thread = std::thread::Builder::new().name("remember".to_owned()).spawn(move || {
        let store = store_there;
        index_memories(&store, &*clock);
        store.catch_up(UpdateExtent::Complete);
        store.settle();
        store.empty_log();
        // The first search after this then ranks by the same graph as the second.
        store.follow_structure();
        drop(store);
        drop(working);
    });
    if let Err(error) = thread {
        store.ledger.backlog().end_indexing();
        tracing::warn!(%error, "no thread to index memories; the next search does");
    }
}

/// Indexes until the index lacks no memory. The caller has the turn.
fn index_memories(store: &Store, clock: &dyn Clock) {
    loop {
        let turn = IndexingTurn(store);
        let is_well = index_memories_once(store, clock.now());
        drop(turn);
        // No other thread indexes the memories that arrived after the last check and before the turn was given back.
        if !is_well || store.ledger.backlog().is_empty() || !store.ledger.backlog().begin_indexing() {
            return;
        }
    }
}

/// Indexes the memories that the index lacks; returns whether that succeeded.
fn index_memories_once(store: &Store, now: Timestamp) -> bool {
    loop {
        let MemoryWork { read, gone } = memory_work(&store.ledger, &store.index.known_documents());
        let work = Work { read, gone_memories: gone, ..Work::default() };
        if work.is_empty() {
            return true;
        }
        let cancel = store.jobs.cancel().clone();
        let patience = Duration::MAX;
        let mut control = RunControl { patience, progress: &mut |_| {}, cancel: &cancel, likely_indexed: &mut |_| {} };
        if let Err(error) = ingest(store, &work, NonZero::<usize>::MIN, now, None, &mut control) {
            let reason = error_chain(&error);
            tracing::warn!(root = %store.root.display(), reason, "memories are not indexed");
            return false;
        }
        if !store.ledger.backlog().remains(&store.index.known_documents()) {
            return true;
        }
        store.ledger.backlog().wait_for_batch(GATHERING);
    }
}

/// Waits for memories that were acknowledged to be in the index.
///
/// A search after an acknowledged memory finds it: it waits longer than `patience` for a few memories, at most `longest`. It does
/// not for many at once, as after a merge.
pub(crate) fn wait_for_memories(
    store: &Arc<Store>,
    clock: &Arc<dyn Clock>,
    patience: Duration,
    longest: Duration,
) -> MemoryWait {
    if store.awaits_first_index() || store.ledger.backlog().is_empty() {
        return MemoryWait::Over;
    }
    // After a change of branch everything is compared first, so that only what differs counts.
    if !store.ledger.backlog().remains(&store.index.known_documents()) {
        return MemoryWait::Over;
    }
    let longest =
        if store.ledger.backlog().len() <= FEW { patience.max(ACKNOWLEDGED_WAIT.min(longest)) } else { patience };
    // Later memories are not waited for, since they may never end.
    let (mark, began) = (store.ledger.backlog().mark(), Instant::now());
    index_backlog_soon(store, clock);
    let mut is_over = store.ledger.backlog().wait_for(mark, patience);
    let mut starts = 1;
    while !is_over && began.elapsed() < longest {
        if !store.ledger.backlog().is_indexing() {
            if starts == MOST_STARTS {
                break;
            }
            starts += 1;
            index_backlog_soon(store, clock);
        }
        is_over = store.ledger.backlog().wait_for(mark, STEP);
    }
    // The indexing may have succeeded since the last check.
    if is_over || store.ledger.backlog().wait_for(mark, Duration::ZERO) { MemoryWait::Over } else { MemoryWait::InVain }
}

/// The guard of the turn to index, which is given back even after a panic.
struct IndexingTurn<'a>(&'a Store);

impl Drop for IndexingTurn<'_> {
    fn drop(&mut self) {
        self.0.ledger.backlog().end_indexing();
    }
}
