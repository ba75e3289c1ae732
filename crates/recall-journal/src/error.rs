//! Errors of opening, reading and appending.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use recall_core::EventId;

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
