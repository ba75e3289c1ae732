//! Admission of index runs, which take turns within a memory budget if they index more than a few files, and the
//! progress and cancellation of long jobs.
//!
//! A run takes its whole share before it reads a file, and gives it back after its merges and embeddings. It takes nothing else
//! from a budget meanwhile, so two runs cannot deadlock. An edit of a few files takes no share and never waits.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use recall_index::lexical::WriterSettings;

use crate::budget::{Budget, BudgetUse, Permit};
use crate::settings::MemorySettings;

/// The divisor of a run's share for the heap of the lexical writer. The writer's other memory and the texts that wait for it take
/// about twice as much again.
const HEAP_PART: u64 = 4;

/// The divisor of a run's share for files that are read and not yet written.
const FILES_PART: u64 = 3;

/// The memory that a file takes per byte from reading to writing: its text, syntax tree, chunks, symbols and references. An
/// estimate: with it, an index run of 332 MB takes three quarters of the ceiling (bench `ceiling`, `add`).
pub(crate) const COST_PER_BYTE: u64 = 12;

/// The part of the memory of index runs, beside it, that first indexes of small projects take, and how many do so at once. Such an
/// index takes a fraction of a second, so these wait for each other and not for large runs.
const FEW_PART: u64 = 3;
const FEW_AT_ONCE: u64 = 2;

/// Below this heap size, a second thread of the lexical writer is not worth its memory.
const TWO_WRITERS_BYTES: u64 = 40_000_000;

/// The turns and the memory of index runs.
pub(crate) struct IndexRuns {
    budget: Budget,
    /// For first indexes of a few files.
    few: Budget,
    share_bytes: u64,
    ceiling_bytes: u64,
    used_bytes: Arc<dyn Fn() -> u64 + Send + Sync>,
    /// Closes the least recently used idle store; returns whether there was one.
    shed: Box<Shed>,
}

/// Closes an idle store; returns whether there was one.
pub(crate) type Shed = dyn Fn() -> bool + Send + Sync;

/// Whether there is memory for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// The process is below its ceiling, perhaps since idle stores were closed.
    Left,
    /// There is not, although every idle store is closed.
    Full,
}

impl IndexRuns {
    /// Creates the queue of index runs for the stores that `shed` closes.
    pub(crate) fn new(settings: &MemorySettings, shed: Box<Shed>) -> Self {
        let MemorySettings { index_run_bytes, index_runs_at_once, ceiling_bytes, ref used_bytes } = *settings;
        Self {
            budget: Budget::new(index_run_bytes),
            few: Budget::new(index_run_bytes / FEW_PART),
            share_bytes: index_run_bytes / index_runs_at_once.get() as u64,
            ceiling_bytes,
            used_bytes: Arc::clone(used_bytes),
            shed,
        }
    }

    pub(crate) fn usage(&self) -> BudgetUse {
        self.budget.usage()
    }

    /// Takes a turn if that needs no waiting.
    pub(crate) fn try_begin(self: &Arc<Self>) -> Option<IndexRun> {
        self.begin(|| true)
    }

    /// Waits for a turn to index a few files of a project for the first time; it ends when the permit is dropped. Returns `None` if
    /// `is_over` returns true first.
    pub(crate) fn begin_few(&self, is_over: impl Fn() -> bool) -> Option<Permit> {
        self.few.wait(self.few.usage().whole_bytes / FEW_AT_ONCE, is_over)
    }

    /// Waits for a turn, first come, first served. Returns `None` if `is_over` returns true first.
    pub(crate) fn begin(self: &Arc<Self>, is_over: impl Fn() -> bool) -> Option<IndexRun> {
        let permit = self.budget.wait(self.share_bytes, is_over)?;
        // The run has not allocated its share yet, so room is made for it.
        self.close_idle_above(self.ceiling_bytes.saturating_sub(self.share_bytes));
        Some(IndexRun { index_runs: Arc::clone(self), permit })
    }

    /// Closes idle stores while the process is above its ceiling, the least recently used one first.
    pub(crate) fn make_room(&self) -> Room {
        self.close_idle_above(self.ceiling_bytes)
    }

    fn close_idle_above(&self, most_bytes: u64) -> Room {
        relieve(&*self.used_bytes, most_bytes, &*self.shed)
    }
}

fn relieve(used_bytes: impl Fn() -> u64, most_bytes: u64, shed: impl Fn() -> bool) -> Room {
    while used_bytes() > most_bytes {
        if !shed() {
            return Room::Full;
        }
    }
    Room::Left
}

/// A turn to index; it ends when this is dropped.
pub(crate) struct IndexRun {
    index_runs: Arc<IndexRuns>,
    permit: Permit,
}

impl IndexRun {
    /// Returns how many bytes of files may be read and not yet written.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.permit.bytes() / FILES_PART / COST_PER_BYTE
    }

    /// Returns the settings of the lexical writer.
    pub(crate) fn writer(&self) -> WriterSettings {
        let WriterSettings { heap_bytes: most, .. } = WriterSettings::default();
        let heap_bytes = (self.permit.bytes() / HEAP_PART).min(most as u64);
        let threads = if heap_bytes < TWO_WRITERS_BYTES { 1 } else { 2 };
        WriterSettings { threads, heap_bytes: heap_bytes as usize }
    }

    /// Closes idle stores if necessary, and returns whether there is memory for one more file in flight.
    pub(crate) fn room(&self) -> Room {
        self.index_runs.make_room()
    }
}

impl fmt::Debug for IndexRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexRuns").field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl fmt::Debug for IndexRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IndexRun").field(&self.permit).finish()
    }
}

/// A flag that asks a job to stop. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the job to stop at its next safe point. Committed batches stay.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether the job was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.0
    }
}

/// The progress of an index job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The files were found and compared.
    Started {
        /// Files that are new or may have changed.
        files: u64,
    },
    /// More files were read.
    Advanced {
        /// Files that are written so far.
        files_done: u64,
        /// Files to read in all.
        files: u64,
        /// Bytes of text that are written so far.
        bytes: u64,
        /// The file that was read last.
        current: String,
    },
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::num::NonZero;

    use super::*;

    /// Stores of 10 bytes each above 5 bytes that stay, of which `idle` may be closed.
    fn check(stores: u64, idle: u64, ceiling: u64, expected: (Room, u64)) {
        let open = Cell::new(stores);
        let shed = || {
            let may_close = stores - open.get() < idle;
            open.set(open.get() - u64::from(may_close));
            may_close
        };
        let room = relieve(|| 5 + 10 * open.get(), ceiling, shed);
        assert_eq!((room, open.get()), expected);
    }

    #[test]
    fn only_as_many_stores_are_closed_as_needed() {
        check(3, 3, 35, (Room::Left, 3));
        check(3, 3, 20, (Room::Left, 1));
        check(3, 1, 20, (Room::Full, 2));
        check(0, 0, 4, (Room::Full, 0));
    }

    fn index_runs(index_run_bytes: u64, at_once: usize) -> Arc<IndexRuns> {
        let index_runs_at_once = NonZero::new(at_once).expect("not zero");
        let settings = MemorySettings { index_run_bytes, index_runs_at_once, ..MemorySettings::default() };
        Arc::new(IndexRuns::new(&settings, Box::new(|| false)))
    }

    #[test]
    fn as_many_imports_run_as_there_are_shares() {
        let index_runs = index_runs(100, 2);
        let first = index_runs.try_begin().expect("the queue is empty");
        let second = index_runs.try_begin().expect("there are two shares");
        assert!(index_runs.try_begin().is_none());
        drop(first);
        let third = index_runs.try_begin().expect("a share is free");
        drop((second, third));
        assert_eq!(index_runs.usage(), BudgetUse { whole_bytes: 100, used_bytes: 0, waiting: 0 });
    }

    #[test]
    fn first_indexes_of_a_few_files_wait_for_each_other_only() {
        let index_runs = index_runs(120, 1);
        let _large = index_runs.try_begin().expect("the queue is empty");
        let few: Vec<_> = (0..FEW_AT_ONCE).map(|_| index_runs.begin_few(|| true).expect("there is room")).collect();
        assert!(index_runs.begin_few(|| true).is_none());
        drop(few);
        assert!(index_runs.begin_few(|| true).is_some());
    }

    #[test]
    fn a_small_share_has_one_writer_thread() {
        let writer = |bytes| index_runs(bytes, 1).try_begin().expect("the queue is empty").writer();
        assert_eq!(writer(1 << 30), WriterSettings { threads: 2, ..WriterSettings::default() });
        assert_eq!(writer(80 << 20), WriterSettings { threads: 1, heap_bytes: 20 << 20 });
    }
}
