//! What of a journal could not be read, where, and why?

use std::fmt;

use recall_core::MemoryId;

use crate::Day;

/// Something in a journal that could not be read as it stands. It stays in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The day whose file it is in.
    pub day: Day,
    /// The line, counted from 1.
    pub line: u64,
    /// Where the line begins, in bytes.
    pub offset: u64,
    /// What it is.
    pub kind: FaultKind,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.day.path().display(), self.line, self.kind)
    }
}

/// What could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// The last line does not end, and is not whole: somebody is just writing it, or a crash tore it.
    #[error("the last line is torn")]
    Torn,
    /// A mark that git leaves around two sides; the lines of both sides are read.
    #[error("a conflict marker")]
    ConflictMarker,
    /// The line is no UTF-8.
    #[error("not UTF-8 from byte {column}")]
    NotUtf8 {
        /// The first byte that is not, counted from 0 in the line.
        column: usize,
    },
    /// The line is too long to be held in memory.
    #[error("a line of {bytes} bytes, at most {limit} are read")]
    TooLong {
        /// How long it is.
        bytes: u64,
        /// The limit, [`LINE_BYTES`](crate::LINE_BYTES).
        limit: usize,
    },
    /// The line, or a part of it, is no JSON.
    #[error("not JSON from byte {column}: {reason}")]
    NotJson {
        /// Where the part begins, counted from 0 in the line.
        column: usize,
        /// What the parser says.
        reason: String,
    },
    /// JSON that is no event.
    #[error("not an event: {reason}")]
    NotAnEvent {
        /// What is missing or wrong.
        reason: String,
    },
    /// An event of a kind that is not known here; a newer version may know it.
    #[error("unknown event `{event}`")]
    UnknownEvent {
        /// The kind.
        event: String,
    },
    /// A file of a memory lies outside of the project; the memory counts without it.
    #[error("memory {memory} relates to `{path}`, which is no path inside the project")]
    PathOutside {
        /// The memory.
        memory: MemoryId,
        /// The path, as it was written.
        path: String,
    },
    /// The file cannot be opened or read, from this line on.
    #[error("cannot be read: {reason}")]
    Unreadable {
        /// What the operating system said.
        reason: String,
    },
    /// There are more faults in the file than are kept one by one.
    #[error("{count} more faults")]
    More {
        /// How many.
        count: u64,
    },
}

impl FaultKind {
    /// Whether something that may be an event was not read. Of the other faults the events count.
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
