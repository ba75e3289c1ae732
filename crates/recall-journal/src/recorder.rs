//! Here is an event of a session; is it kept, and what happened before?

mod line;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use recall_core::{EventId, SessionEvent, Timestamp};

use crate::lines::Lines;
use crate::queue::{Entry, Queue};
use crate::writer::{WriteError, Writer};
use crate::{AppendError, Day, Disk, LINE_BYTES, Stat, Storage};

/// The name of the file in the folder of a session.
pub const EVENTS_FILE: &str = "events.jsonl";

/// How many faults of a file are told one by one; a person looks at no more.
const FAULTS: usize = 100;

/// A session has one file, whichever day it is: what tells files apart elsewhere is always the same here.
fn only() -> Day {
    Day::of(Timestamp(0))
}

/// Keeps the events of a session in a file of its own, `events.jsonl` in a folder.
///
/// Any number of threads and processes may append at once. Events that come while others are being written are written
/// together, and one sync acknowledges them.
#[derive(Debug)]
pub struct Recorder {
    storage: Disk,
    path: PathBuf,
    queue: Queue,
    writer: Mutex<Writer>,
}

/// What a session's file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// The events in the order in which they were written, each once.
    pub events: Vec<SessionEvent>,
    /// What could not be read; it stays in the file.
    pub faults: Vec<RecordingFault>,
    /// What the file looked like before it was read; `None` where there is none.
    pub stat: Option<Stat>,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingFault {
    /// The line, counted from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// Events were not acknowledged. What was acknowledged before is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The event's line would be longer than is read back. Nothing was written.
    #[error("event {event} takes a line of {bytes} bytes; at most {limit} are read")]
    TooLong {
        /// The event.
        event: EventId,
        /// How long its line would be.
        bytes: usize,
        /// The limit, [`LINE_BYTES`].
        limit: usize,
    },
    /// The operating system refused, and nothing is in the file.
    #[error("cannot write to `{}`", path.display())]
    NotWritten {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: Arc<io::Error>,
    },
    /// The operating system refused, and then refused to take back what was written.
    #[error("cannot write to `{}`, and cannot take back what was written", path.display())]
    Unsettled {
        /// The file.
        path: PathBuf,
        /// What the operating system said to the write.
        source: Arc<io::Error>,
    },
}

impl Recorder {
    /// Takes the folder of a session, which need not be there: the first event makes it.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::below(folder, "")
    }

    /// Takes the folder of a session at a plain path below a root. The first event makes what is missing.
    pub fn below(root: impl Into<PathBuf>, below: impl Into<PathBuf>) -> Self {
        let storage = Disk::below(root, below).single(EVENTS_FILE);
        let path = storage.folder().join(EVENTS_FILE);
        let writer = Writer::new(|line, _| line::read(line).is_ok_and(|event| event.is_some()));
        Self { storage, path, queue: Queue::default(), writer: Mutex::new(writer) }
    }

    /// Where the events are kept.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps events, in their order: all of them are on disk when this returns.
    ///
    /// # Errors
    /// None of them is acknowledged. To append them all again is safe, since an event counts once.
    pub fn append(&self, events: &[SessionEvent]) -> Result<(), RecordError> {
        let mut lines = Vec::new();
        for event in events {
            let begin = lines.len();
            line::write(event, &mut lines);
            let bytes = lines.len() - begin - 1;
            if bytes > LINE_BYTES {
                return Err(RecordError::TooLong { event: event.id, bytes, limit: LINE_BYTES });
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        self.queue.append(vec![(only(), lines)], |batch| self.write(batch)).map_err(|error| self.told(error))
    }

    /// What the file looks like; `None` where there is none.
    ///
    /// # Errors
    /// It cannot be looked at.
    pub fn stat(&self) -> io::Result<Option<Stat>> {
        self.storage.stat(only())
    }

    /// Reads all that was kept. A session that kept nothing yet says nothing.
    ///
    /// A line that cannot be read is told beside and keeps no other from being read.
    ///
    /// # Errors
    /// The file cannot be opened or read.
    pub fn read(&self) -> io::Result<Recording> {
        let mut recording = Recording::default();
        let Some(file) = self.storage.open(only())? else { return Ok(recording) };
        let stat = file.stat()?;
        recording.stat = Some(stat);
        let mut known = std::collections::HashSet::new();
        let mut lines = Lines::new(&*file, 0, stat.length, 0);
        while let Some(line) = lines.next()? {
            let read = match line.bytes {
                Some(bytes) => line::read(bytes),
                None => Err(format!("a line of {} bytes, at most {LINE_BYTES} are read", line.length)),
            };
            match read {
                Ok(event) => recording.events.extend(event.filter(|event| known.insert(event.id))),
                // An end without newline somebody is just writing, or a crash tore it: nobody was told that it is kept.
                Err(reason) if line.ends && recording.faults.len() < FAULTS => {
                    recording.faults.push(RecordingFault { line: line.number, reason });
                }
                Err(_) => {}
            }
        }
        Ok(recording)
    }

    /// Writes what waits and tells everybody.
    fn write(&self, batch: &[Entry]) {
        let lines: Vec<u8> =
            batch.iter().flat_map(|entry| &entry.lines).flat_map(|(_, lines)| lines).copied().collect();
        let mut writer = self.writer.lock();
        let outcome = writer.write(&self.storage, only(), &lines).map_err(|error| match error {
            WriteError::NotWritten(source) => AppendError::NotWritten { day: only(), source: Arc::new(source) },
            WriteError::Unsettled(source) => AppendError::Unsettled { day: only(), source: Arc::new(source) },
        });
        // A torn end was acknowledged to nobody; what was cut off is not worth a word.
        writer.take_repairs();
        for entry in batch {
            entry.tell(outcome.clone());
        }
    }

    fn told(&self, error: AppendError) -> RecordError {
        let path = self.path.clone();
        match error {
            AppendError::TooLong { event, bytes, limit } => RecordError::TooLong { event, bytes, limit },
            AppendError::NotWritten { source, .. } => RecordError::NotWritten { path, source },
            AppendError::Unsettled { source, .. } => RecordError::Unsettled { path, source },
        }
    }
}
