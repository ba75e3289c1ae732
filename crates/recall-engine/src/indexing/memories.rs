//! How do the documents of memories get into the index?

use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{Clock, ContentHash, Memory, Timestamp, error_chain};

use crate::embeddings::Reach;
use crate::indexing::ingest::{Supervision, Task, Work, ingest};
use crate::known::Known;
use crate::ledger::Difference;
use crate::store::{Look, Noted, Store};

/// How long more is waited for before memories are indexed that came while others were: whoever adds many adds more, and to
/// index one takes about as long as fifty. The first one never waits, nor does one that a search waits for; all others are
/// found within the tenth of a second that is promised.
const GATHERING: Duration = Duration::from_millis(40);

/// How long a search waits for a few memories that were acknowledged before it. One takes 20 ms, and more on a busy machine.
const ACKNOWLEDGED_WAIT: Duration = Duration::from_secs(5);

/// How many memories are few: one ingest takes them all.
const FEW: usize = 64;

/// How often a search that waits looks whether the memories are still being indexed.
const STEP: Duration = Duration::from_millis(50);

/// What an ingest is to do for memories.
#[derive(Debug, Default)]
pub(crate) struct MemoryWork {
    /// Documents to be written.
    pub(crate) read: Vec<Task>,
    /// Paths of documents that are to go.
    pub(crate) gone: Vec<String>,
}

/// Whether the index has all memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MemoryWait {
    /// It has, or will have with the store's first index.
    Over,
    /// It had not in time.
    InVain,
}

impl Store {
    /// What the index lacks of the memories that are known.
    pub(crate) fn memory_work(&self, known: &Known) -> MemoryWork {
        let Difference { missing, surplus } = self.ledger.difference(known);
        MemoryWork {
            read: missing.into_iter().map(|(memory, there)| task(memory, there)).collect(),
            gone: surplus.into_iter().map(|id| id.to_string()).collect(),
        }
    }

    /// Sees what the journals say, and what the index lacks of it. Journals that cannot be read leave the index as it is, which
    /// answers tell.
    pub(crate) fn memory_work_anew(&self, known: &Known, noted: &Noted, now: Timestamp) -> MemoryWork {
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
                !here.contains(&path) && noted.look(&path) == Look::Anew
            });
            let memories = others.filter_map(|id| self.ledger.memory(id)).map(crate::mask::memory);
            work.read.extend(memories.map(|memory| Task { hash: None, is_known: true, ..task(memory, None) }));
        }
        work
    }

    /// Brings the documents of memories into the index on a thread of its own, unless one does already.
    ///
    /// A store that was never indexed gets them with its first index: until then no search looks into it.
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
            // So that the first search after it ranks by the graph as the second does.
            store.follow_structure();
            drop(store);
            drop(working);
        });
        if let Err(error) = thread {
            self.ledger.end_indexing();
            tracing::warn!(%error, "no thread to index memories; the next search does");
        }
    }

    /// Indexes until nothing is behind. The caller has the turn.
    fn index_memories(&self, clock: &dyn Clock) {
        loop {
            let turn = Turn(self);
            let is_well = self.index_memories_once(clock.now());
            drop(turn);
            // What came after the last look and before the turn was given back has nobody else.
            if !is_well || !self.ledger.is_behind() || !self.ledger.begin_indexing() {
                return;
            }
        }
    }

    /// Indexes what is behind; tells whether nothing stood in the way.
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
    /// A search that follows an acknowledged memory finds it: a few memories are waited for longer than `patience`, as long as
    /// they are being indexed. Many memories at once, as after a merge, are not.
    pub(crate) fn wait_for_memories(self: &Arc<Self>, clock: &Arc<dyn Clock>, patience: Duration) -> MemoryWait {
        if self.awaits_first_index() || !self.ledger.is_behind() {
            return MemoryWait::Over;
        }
        let longest = if self.ledger.behind() <= FEW { patience.max(ACKNOWLEDGED_WAIT) } else { patience };
        // What comes meanwhile is not waited for: it may never end.
        let (mark, began) = (self.ledger.mark(), Instant::now());
        self.index_memories_soon(clock);
        let mut is_over = self.ledger.wait_until_past(mark, patience);
        while !is_over && began.elapsed() < longest && self.ledger.is_indexing() {
            is_over = self.ledger.wait_until_past(mark, STEP);
        }
        // The indexing may have ended since the last look, and well.
        if is_over || self.ledger.wait_until_past(mark, Duration::ZERO) { MemoryWait::Over } else { MemoryWait::InVain }
    }
}

/// The turn to index. However it ends, another may begin.
struct Turn<'a>(&'a Store);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.ledger.end_indexing();
    }
}

/// A task to write a memory's document. `there` is the hash of the document that the index has of it.
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
