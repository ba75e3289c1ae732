//! Appending events to the journals of a folder, in groups.
//!
//! In the queue, a thread that finds no write in progress writes everything that waits, its own entry included, as one batch. Entries
//! that arrive meanwhile form the next batch. So one sync acknowledges all entries that arrived during the previous
//! one.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use recall_core::Event;

use crate::line::{read_line, write_line};
use crate::writer::{WriteError, Writer, ends_mid_line};
use crate::{AppendError, Day, LINE_BYTES, OpenError, Repair, Storage};

/// Appends events to the journals of a folder.
///
/// Any number of threads and processes may append at once, through one journal or several. Events that arrive during a
/// write are written together by the next one (group commit), and one sync acknowledges them all.
#[derive(Debug)]
pub struct Journal {
    storage: Arc<dyn Storage>,
    queue: Queue,
    writer: Mutex<Writer>,
}

impl Journal {
    /// Opens the journals of a folder and repairs the files that end in the middle of a line; see
    /// [`take_repairs`](Self::take_repairs).
    ///
    /// A missing folder is not created; the first append creates it.
    ///
    /// # Errors
    /// The folder cannot be listed, or the end of a file cannot be repaired. Acknowledged events are unaffected and can
    /// be read.
    pub fn open(storage: Arc<dyn Storage>) -> Result<Self, OpenError> {
        let days = storage.days();
        let days = days.map_err(|source| OpenError::List { folder: storage.folder().to_owned(), source })?;
        let mut writer = Writer::new(|line, day| !read_line(line, day).events.is_empty());
        for day in days {
            repair_end(&*storage, day, &mut writer).map_err(|source| {
                let path = storage.folder().join(day.path());
                OpenError::Repair { path, source }
            })?;
        }
        Ok(Self { storage, queue: Queue::default(), writer: Mutex::new(writer) })
    }

    /// Appends an event. It is on disk when this returns.
    ///
    /// The event's timestamp determines the file.
    ///
    /// # Errors
    /// The event is not acknowledged. Events acknowledged earlier are unaffected.
    pub fn append(&self, event: &Event) -> Result<(), AppendError> {
        self.append_all(std::slice::from_ref(event))
    }

    /// Appends events in the given order. All of them are on disk when this returns.
    ///
    /// # Errors
    /// None of the events is acknowledged. Events of other days than the one in the error may have been written.
    /// Appending all of them again is safe, since each event counts once.
    pub fn append_all(&self, events: &[Event]) -> Result<(), AppendError> {
        let mut lines: BTreeMap<Day, Vec<u8>> = BTreeMap::new();
        for event in events {
            let lines = lines.entry(Day::from_timestamp(event.timestamp)).or_default();
            let begin = lines.len();
            write_line(event, lines);
            let bytes = lines.len() - begin - 1;
            if bytes > LINE_BYTES {
                return Err(AppendError::TooLong { event: event.id, bytes, limit: LINE_BYTES });
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        self.queue.append(lines.into_iter().collect(), |batch| self.write(batch))
    }

    /// Takes the repairs made since the last call: those made by `open`, and those of torn lines that other processes
    /// left later.
    pub fn take_repairs(&self) -> Vec<Repair> {
        self.writer.lock().take_repairs()
    }

    /// Writes a batch, one day after another, and completes its entries.
    fn write(&self, batch: &[Entry]) {
        let mut days: BTreeMap<Day, Vec<u8>> = BTreeMap::new();
        for (day, lines) in batch.iter().flat_map(|entry| &entry.lines) {
            days.entry(*day).or_default().extend(lines);
        }
        let mut writer = self.writer.lock();
        let mut outcomes = BTreeMap::new();
        for (day, lines) in days {
            outcomes.insert(day, writer.write(&*self.storage, day, &lines).map_err(|error| append_error(day, error)));
        }
        for entry in batch {
            let outcome: Outcome = entry.lines.iter().try_for_each(|(day, _)| outcomes[day].clone());
            entry.complete(outcome);
        }
    }
}

/// Repairs the end of a day's file. Takes its lock only if it needs a repair.
fn repair_end(storage: &dyn Storage, day: Day, writer: &mut Writer) -> std::io::Result<()> {
    let needs_repair = match storage.open(day) {
        Ok(Some(file)) => ends_mid_line(&*file)?,
        // A reader reports a file that cannot be opened. The other days can still be written.
        Ok(None) | Err(_) => false,
    };
    if needs_repair { writer.repair(storage, day) } else { Ok(()) }
}

fn append_error(day: Day, error: WriteError) -> AppendError {
    match error {
        WriteError::NotWritten(source) => AppendError::NotWritten { day, source: Arc::new(source) },
        WriteError::Unsettled(source) => AppendError::Unsettled { day, source: Arc::new(source) },
    }
}

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
