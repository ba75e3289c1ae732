//! Errors of opening, reading and appending, and faults: parts of a journal that could not be read, with their
//! positions.

use std::path::PathBuf;
use std::sync::Arc;
use std::{fmt, io};

use recall_core::{EventId, MemoryId};

use crate::Day;

/// A journal could not be opened for appending. It can still be read.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder cannot be listed.
    #[error("cannot list the journals in `{}`", folder.display())]
    List {
        /// The folder of journals.
        folder: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The end of a file could not be read or repaired.
    #[error("cannot repair the end of the journal `{}`", path.display())]
    Repair {
        /// The day's file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
}

/// The journals could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot list the journals in `{}`", folder.display())]
pub struct ReadError {
    /// The folder of journals.
    pub folder: PathBuf,
    /// The operating system's error.
    pub source: io::Error,
}

/// Events were not acknowledged. Events acknowledged earlier are unaffected.
///
/// All events of one batch get the same error.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AppendError {
    /// The event's line is longer than the reader accepts. Nothing was written.
    #[error("event {event} needs a line of {bytes} bytes; the limit is {limit}")]
    TooLong {
        /// The id of the event.
        event: EventId,
        /// The length of its line in bytes.
        bytes: usize,
        /// The limit, [`LINE_BYTES`](crate::LINE_BYTES).
        limit: usize,
    },
    /// The write failed, and no event of that day is in its file.
    #[error("cannot write to the journal of {day}")]
    NotWritten {
        /// The day whose file was written to.
        day: Day,
        /// The operating system's error.
        source: Arc<io::Error>,
    },
    /// The write failed, and rolling it back failed too: some of the events may be in the file. Appending the same
    /// events again is safe, since each event counts once.
    #[error("cannot write to the journal of {day}, and cannot undo the partial write")]
    Unsettled {
        /// The day whose file was written to.
        day: Day,
        /// The operating system's error for the write.
        source: Arc<io::Error>,
    },
}

/// A part of a journal that could not be read. It is left in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The day whose file it is in.
    pub day: Day,
    /// The line number, counted from 1.
    pub line: u64,
    /// The byte offset at which the line begins.
    pub offset: u64,
    /// What is wrong with it, and whether an event may be lost.
    pub kind: FaultKind,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.day.path().display(), self.line, self.kind)
    }
}

/// What is wrong with a part of a journal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// The last line has no newline and is incomplete: another process is writing it, or a crash tore it.
    #[error("the last line is torn")]
    Torn,
    /// A conflict marker left by git. The lines of both sides are read.
    #[error("a conflict marker")]
    ConflictMarker,
    /// The line is not UTF-8.
    #[error("not UTF-8 from byte {column}")]
    NotUtf8 {
        /// The first invalid byte, counted from 0 in the line.
        column: usize,
    },
    /// The line is longer than the reader accepts.
    #[error("a line of {bytes} bytes; the limit is {limit}")]
    TooLong {
        /// Its length in bytes.
        bytes: u64,
        /// The limit, [`LINE_BYTES`](crate::LINE_BYTES).
        limit: usize,
    },
    /// The line, or a part of it, is not JSON.
    #[error("not JSON from byte {column}: {reason}")]
    NotJson {
        /// The byte at which the part begins, counted from 0 in the line.
        column: usize,
        /// The parser's message.
        reason: String,
    },
    /// The JSON is not an event.
    #[error("not an event: {reason}")]
    NotAnEvent {
        /// What is missing or wrong.
        reason: String,
    },
    /// An event of an unknown kind; a newer version may know it.
    #[error("unknown event `{event}`")]
    UnknownEvent {
        /// The kind that the line names.
        event: String,
    },
    /// A path of a memory is outside the project. The memory is read without it.
    #[error("memory {memory} relates to `{path}`, which is not a path inside the project")]
    PathOutside {
        /// The memory that names the path.
        memory: MemoryId,
        /// The path as written.
        path: String,
    },
    /// The file cannot be opened, or cannot be read from this line on.
    #[error("cannot be read: {reason}")]
    Unreadable {
        /// The operating system's message.
        reason: String,
    },
    /// The file has more faults than are listed one by one.
    #[error("{count} more faults")]
    More {
        /// The number of unlisted faults.
        count: u64,
    },
}

impl FaultKind {
    /// Returns whether this fault may have hidden an event. With the other faults every event is still read.
    pub fn is_loss(&self) -> bool {
        match self {
            Self::ConflictMarker | Self::PathOutside { .. } => false,
            Self::Torn
            | Self::NotUtf8 { .. }
            | Self::TooLong { .. }
            | Self::NotJson { .. }
            | Self::NotAnEvent { .. }
            | Self::UnknownEvent { .. }
            | Self::Unreadable { .. }
            | Self::More { .. } => true,
        }
    }
}
