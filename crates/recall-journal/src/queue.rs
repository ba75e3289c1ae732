//! A group-commit queue.
//!
//! A thread that finds no write in progress writes everything that waits, its own entry included, as one batch. Entries
//! that arrive meanwhile form the next batch. So one sync acknowledges all entries that arrived during the previous
//! one.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use crate::{AppendError, Day};

/// The largest batch in bytes, unless a single entry is larger. All entries of a batch share one outcome, so a batch
/// should not exceed what a disk writes in a few milliseconds.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// Lines waiting to be written.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) lines: Vec<(Day, Vec<u8>)>,
    outcome: Arc<Mutex<Option<Outcome>>>,
}

pub(crate) type Outcome = Result<(), AppendError>;

impl Entry {
    fn bytes(&self) -> usize {
        self.lines.iter().map(|(_, lines)| lines.len()).sum()
    }

    /// Sets the outcome. The first outcome that is set is final.
    pub(crate) fn complete(&self, outcome: Outcome) {
        self.outcome.lock().get_or_insert(outcome);
    }
}

/// The waiting entries, in order of arrival.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: Vec<Entry>,
    is_writing: bool,
}

impl Queue {
    /// Queues lines and returns the outcome of their write. `write` is called by this thread or by another waiting one,
    /// by one thread at a time. It must complete every entry passed to it.
    pub(crate) fn append(&self, lines: Vec<(Day, Vec<u8>)>, write: impl Fn(&[Entry])) -> Outcome {
        let outcome = Arc::new(Mutex::new(None));
        let mut state = self.state.lock();
        state.waiting.push(Entry { lines, outcome: Arc::clone(&outcome) });
        loop {
            if let Some(outcome) = outcome.lock().take() {
                return outcome;
            }
            if state.is_writing {
                self.changed.wait(&mut state);
                continue;
            }
            state.is_writing = true;
            let batch = state.batch();
            drop(state);
            let turn = WriteTurn { queue: self, batch };
            write(&turn.batch);
            drop(turn);
            state = self.state.lock();
        }
    }
}

impl State {
    /// Takes entries from the front, up to the size of a batch.
    fn batch(&mut self) -> Vec<Entry> {
        let mut bytes = 0;
        let fits = |entry: &&Entry| {
            bytes += entry.bytes();
            bytes <= BATCH_BYTES
        };
        let count = self.waiting.iter().take_while(fits).count().max(1);
        self.waiting.drain(..count.min(self.waiting.len())).collect()
    }
}

/// Exclusive permission to write. When it is dropped, even by a panic, every entry of the batch has an outcome.
struct WriteTurn<'a> {
    queue: &'a Queue,
    batch: Vec<Entry>,
}

impl Drop for WriteTurn<'_> {
    fn drop(&mut self) {
        for entry in &self.batch {
            if let Some((day, _)) = entry.lines.first() {
                let source = Arc::new(std::io::Error::other("the writing thread panicked"));
                entry.complete(Err(AppendError::Unsettled { day: *day, source }));
            }
        }
        self.queue.state.lock().is_writing = false;
        self.queue.changed.notify_all();
    }
}
