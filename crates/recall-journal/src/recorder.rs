//! The event file of a session, and the JSON form of its events.
//!
//! A session's events come from hooks, many in a second, and are written by one machine only. So they are lines of one file, in the
//! order of writing, without the days and the merging of a journal. Group commit and the repair of a torn last line are those of the
//! journals.
//!
//! One object per line: texts as in the domain types, timestamps in RFC 3339, ids in hexadecimal. Unknown fields are
//! ignored.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use recall_core::{EventDetails, EventId, Metadata, MetadataValue, Provenance, SessionEvent, Timestamp, exact_integer};
use recall_text::DocPath;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::day::{moment_of, rfc_3339};
use crate::journal::{Entry, Queue};
use crate::line::{ProvenanceFields, parser_message};
use crate::lines::Lines;
use crate::writer::{WriteError, Writer};
use crate::{AppendError, Day, Disk, LINE_BYTES, Stat, Storage};

/// The name of the file in the folder of a session.
pub const EVENTS_FILE: &str = "events.jsonl";

/// The number of faults listed one by one: more than a person will read.
const FAULTS: usize = 100;

/// Appends the events of a session to a file of its own, `events.jsonl` in the session's folder.
///
/// Any number of threads and processes may append at once. Events that arrive during a write are written together by
/// the next one (group commit), and one sync acknowledges them all.
#[derive(Debug)]
pub struct Recorder {
    storage: Disk,
    path: PathBuf,
    queue: Queue,
    writer: Mutex<Writer>,
}

/// The content of a session's file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// The events in the order of writing, without duplicates.
    pub events: Vec<SessionEvent>,
    /// The lines that could not be read. They stay in the file.
    pub faults: Vec<RecordingFault>,
    /// The file's metadata from before it was read; `None` if there is no file.
    pub stat: Option<Stat>,
}

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingFault {
    /// The line number, counted from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// Events were not acknowledged. Events acknowledged earlier are unaffected.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The event's line is longer than the reader accepts. Nothing was written.
    #[error("event {event} needs a line of {bytes} bytes; the limit is {limit}")]
    TooLong {
        /// The id of the event.
        event: EventId,
        /// The length of its line in bytes.
        bytes: usize,
        /// The limit, [`LINE_BYTES`].
        limit: usize,
    },
    /// The write failed, and none of the events is in the file.
    #[error("cannot write to `{}`", path.display())]
    NotWritten {
        /// The event file of the session.
        path: PathBuf,
        /// The operating system's error.
        source: Arc<io::Error>,
    },
    /// The write failed, and rolling it back failed too: some of the events may be in the file.
    #[error("cannot write to `{}`, and cannot undo the partial write", path.display())]
    Unsettled {
        /// The event file of the session.
        path: PathBuf,
        /// The operating system's error for the write.
        source: Arc<io::Error>,
    },
}

impl Recorder {
    /// Creates a recorder for a session's folder. The folder need not exist: the first append creates it.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self::below(folder, "")
    }

    /// Creates a recorder for a folder at a plain path below a root. The first append creates what is missing.
    pub fn below(root: impl Into<PathBuf>, below: impl Into<PathBuf>) -> Self {
        let storage = Disk::below(root, below).single(EVENTS_FILE);
        let path = storage.folder().join(EVENTS_FILE);
        let writer = Writer::new(|line, _| read_event(line).is_ok_and(|event| event.is_some()));
        Self { storage, path, queue: Queue::default(), writer: Mutex::new(writer) }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends events in the given order. All of them are on disk when this returns.
    ///
    /// # Errors
    /// None of the events is acknowledged. Appending all of them again is safe, since each event counts once.
    pub fn append(&self, events: &[SessionEvent]) -> Result<(), RecordError> {
        let mut lines = Vec::new();
        for event in events {
            let begin = lines.len();
            write_event(event, &mut lines);
            let bytes = lines.len() - begin - 1;
            if bytes > LINE_BYTES {
                return Err(RecordError::TooLong { event: event.id, bytes, limit: LINE_BYTES });
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        self.queue
            .append(vec![(Day::SINGLE, lines)], |batch| self.write(batch))
            .map_err(|error| self.record_error(error))
    }

    /// Returns the file's metadata; `None` if there is no file.
    ///
    /// # Errors
    /// The file's metadata cannot be read.
    pub fn stat(&self) -> io::Result<Option<Stat>> {
        self.storage.stat(Day::SINGLE)
    }

    /// Reads all events. A missing file has none.
    ///
    /// A line that cannot be read is added to the faults; the other lines are still read.
    ///
    /// # Errors
    /// The file cannot be opened or read.
    pub fn read(&self) -> io::Result<Recording> {
        let mut recording = Recording::default();
        let Some(file) = self.storage.open(Day::SINGLE)? else { return Ok(recording) };
        let stat = file.stat()?;
        recording.stat = Some(stat);
        let mut known = std::collections::HashSet::new();
        let mut lines = Lines::new(&*file, 0, stat.length, 0);
        while let Some(line) = lines.next()? {
            let read = match line.bytes {
                Some(bytes) => read_event(bytes),
                None => Err(format!("a line of {} bytes; the limit is {LINE_BYTES}", line.length)),
            };
            match read {
                Ok(event) => recording.events.extend(event.filter(|event| known.insert(event.id))),
                // A last line without a newline is being written, or was torn by a crash. It was never acknowledged.
                Err(reason) if line.ends && recording.faults.len() < FAULTS => {
                    recording.faults.push(RecordingFault { line: line.number, reason });
                }
                Err(_) => {}
            }
        }
        Ok(recording)
    }

    /// Returns the ids of the events in the last `bytes` of the file. A missing file has none.
    ///
    /// # Errors
    /// The file cannot be opened or read.
    pub fn recent_ids(&self, bytes: u64) -> io::Result<Vec<EventId>> {
        let mut ids = Vec::new();
        let Some(file) = self.storage.open(Day::SINGLE)? else { return Ok(ids) };
        let length = file.stat()?.length;
        let mut lines = Lines::new(&*file, length.saturating_sub(bytes), length, 0);
        // The first line may be the end of one, and so may be the last: neither is an event then.
        while let Some(line) = lines.next()? {
            let event = line.bytes.and_then(|bytes| read_event(bytes).ok().flatten());
            ids.extend(event.filter(|_| line.ends).map(|event| event.id));
        }
        Ok(ids)
    }

    /// Writes a batch and completes its entries.
    fn write(&self, batch: &[Entry]) {
        let lines: Vec<u8> =
            batch.iter().flat_map(|entry| &entry.lines).flat_map(|(_, lines)| lines).copied().collect();
        let mut writer = self.writer.lock();
        let outcome = writer.write(&self.storage, Day::SINGLE, &lines).map_err(|error| match error {
            WriteError::NotWritten(source) => AppendError::NotWritten { day: Day::SINGLE, source: Arc::new(source) },
            WriteError::Unsettled(source) => AppendError::Unsettled { day: Day::SINGLE, source: Arc::new(source) },
        });
        // A torn last line was never acknowledged, so its repair is not reported.
        writer.take_repairs();
        for entry in batch {
            entry.complete(outcome.clone());
        }
    }

    fn record_error(&self, error: AppendError) -> RecordError {
        let path = self.path.clone();
        match error {
            AppendError::TooLong { event, bytes, limit } => RecordError::TooLong { event, bytes, limit },
            AppendError::NotWritten { source, .. } => RecordError::NotWritten { path, source },
            AppendError::Unsettled { source, .. } => RecordError::Unsettled { path, source },
        }
    }
}

/// The fields of an event. The event's type determines which ones are present.
///
/// `event` must be the first field: a torn last line is recognized by it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct EventLine {
    event: String,
    event_id: String,
    timestamp: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rationale: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_agent: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_files: Vec<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    metadata: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<ProvenanceFields>,
}

/// Appends an event's line, with its newline, to `lines`.
fn write_event(event: &SessionEvent, lines: &mut Vec<u8>) {
    let SessionEvent { id, timestamp, details, provenance } = event;
    let EventDetails { event_type, content, rationale, resolution, from_agent, to_agent, related_files, metadata } =
        details.clone();
    let line = EventLine {
        event: event_type.as_str().to_owned(),
        event_id: id.to_string(),
        timestamp: rfc_3339(*timestamp),
        content,
        rationale,
        resolution,
        from_agent,
        to_agent,
        related_files: related_files.iter().map(|path| path.as_str().to_owned()).collect(),
        metadata: to_json(metadata),
        provenance: (*provenance != Provenance::default()).then(|| provenance.into()),
    };
    serde_json::to_writer(&mut *lines, &line).expect("all keys are strings, and writing to a `Vec` cannot fail");
    lines.push(b'\n');
}

/// Parses a line without its newline. Returns `None` if it is blank.
///
/// # Errors
/// A description of what is wrong with the line.
fn read_event(bytes: &[u8]) -> Result<Option<SessionEvent>, String> {
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() {
        return Ok(None);
    }
    let line: EventLine = serde_json::from_slice(bytes).map_err(|error| parser_message(&error))?;
    let wrong = |what: &dyn std::fmt::Display| what.to_string();
    let timestamp: Timestamp =
        moment_of(&line.timestamp).ok_or_else(|| format!("`{}` is not an RFC 3339 timestamp", line.timestamp))?;
    let details = EventDetails {
        event_type: line.event.parse().map_err(|error| wrong(&error))?,
        content: line.content,
        rationale: line.rationale,
        resolution: line.resolution,
        from_agent: line.from_agent,
        to_agent: line.to_agent,
        // A path outside the project was not written by this crate. The event is read without it.
        related_files: line.related_files.iter().filter_map(|path| DocPath::new(path).ok()).collect(),
        metadata: from_json(line.metadata),
    };
    let id = line.event_id.parse().map_err(|error| wrong(&error))?;
    let provenance = line.provenance.map(Provenance::from).unwrap_or_default();
    Ok(Some(SessionEvent { id, timestamp, details, provenance }))
}

fn to_json(metadata: Metadata) -> Map<String, Value> {
    metadata.into_iter().map(|(name, value)| (name, value_to_json(value))).collect()
}

fn value_to_json(value: MetadataValue) -> Value {
    match value {
        MetadataValue::Null => Value::Null,
        MetadataValue::Bool(is) => Value::Bool(is),
        MetadataValue::Number(number) => number_to_json(number),
        MetadataValue::Text(text) => Value::String(text),
        MetadataValue::List(values) => Value::Array(values.into_iter().map(value_to_json).collect()),
        MetadataValue::Map(values) => Value::Object(to_json(values)),
    }
}

fn number_to_json(number: f64) -> Value {
    exact_integer(number).map_or_else(|| Value::from(number), Value::from)
}

fn from_json(values: Map<String, Value>) -> Metadata {
    values.into_iter().map(|(name, value)| (name, value_from_json(value))).collect()
}

fn value_from_json(value: Value) -> MetadataValue {
    match value {
        Value::Null => MetadataValue::Null,
        Value::Bool(is) => MetadataValue::Bool(is),
        Value::Number(number) => number.as_f64().map_or(MetadataValue::Null, MetadataValue::Number),
        Value::String(text) => MetadataValue::Text(text),
        Value::Array(values) => MetadataValue::List(values.into_iter().map(value_from_json).collect()),
        Value::Object(values) => MetadataValue::Map(from_json(values)),
    }
}
