//! Faults: parts of a journal that could not be read, with their positions.

use std::fmt;

use recall_core::MemoryId;

use crate::Day;

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
