//! Many write at once; who writes for all of them, and what is each told?
//!
//! Whoever finds nobody writing takes all that waits, its own among it, and writes it as one. Meanwhile others queue up. So
//! one sync acknowledges everybody who came while the one before ran.

use std::sync::Arc;

use parking_lot::{Condvar, Mutex};

use crate::{AppendError, Day};

/// How many bytes are written at once, unless one entry alone has more. Everybody among them is told the same, so that one
/// write should not be much larger than what a disk takes in a few milliseconds.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// Lines that wait to be written.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The lines by day.
    pub(crate) lines: Vec<(Day, Vec<u8>)>,
    outcome: Arc<Mutex<Option<Outcome>>>,
}

pub(crate) type Outcome = Result<(), AppendError>;

impl Entry {
    fn bytes(&self) -> usize {
        self.lines.iter().map(|(_, lines)| lines.len()).sum()
    }

    /// Tells whoever waits; the first that is told holds.
    pub(crate) fn tell(&self, outcome: Outcome) {
        self.outcome.lock().get_or_insert(outcome);
    }
}

/// The entries that wait, in the order in which they came.
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
    /// Puts lines into the queue and returns what became of them. `write` is called here or by another of those who wait, by
    /// one at a time, and tells every entry that it is given.
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
            let turn = Turn { queue: self, batch };
            write(&turn.batch);
            drop(turn);
            state = self.state.lock();
        }
    }
}

impl State {
    /// Takes the first that wait, as many as are written at once.
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

/// The turn to write. However it ends, nobody is left waiting.
struct Turn<'a> {
    queue: &'a Queue,
    batch: Vec<Entry>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        for entry in &self.batch {
            if let Some((day, _)) = entry.lines.first() {
                let source = Arc::new(std::io::Error::other("the writer ended without a word"));
                entry.tell(Err(AppendError::Unsettled { day: *day, source }));
            }
        }
        self.queue.state.lock().is_writing = false;
        self.queue.changed.notify_all();
    }
}
