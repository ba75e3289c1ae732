//! What can go wrong, sorted by what the caller can do about it?

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use recall_core::EventId;

use crate::Day;

/// A journal was not opened for appending. It can still be read.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder cannot be listed.
    #[error("cannot list the journals in `{}`", folder.display())]
    List {
        /// The folder of journals.
        folder: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The end of a file could not be looked at, or not be mended.
    #[error("cannot mend the end of the journal `{}`", path.display())]
    Mend {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// The journals were not read.
#[derive(Debug, thiserror::Error)]
#[error("cannot list the journals in `{}`", folder.display())]
pub struct ReadError {
    /// The folder of journals.
    pub folder: PathBuf,
    /// What the operating system said.
    pub source: io::Error,
}

/// Events were not acknowledged. What was acknowledged before is as it was.
///
/// Everybody whose events were written together is told the same.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AppendError {
    /// The event's line would be longer than is read back. Nothing was written.
    #[error("event {event} takes a line of {bytes} bytes; at most {limit} are read")]
    TooLong {
        /// The event.
        event: EventId,
        /// How long its line would be.
        bytes: usize,
        /// The limit, [`LINE_BYTES`](crate::LINE_BYTES).
        limit: usize,
    },
    /// The operating system refused, and no event of that day is in its file.
    #[error("cannot write to the journal of {day}")]
    NotWritten {
        /// The day whose file was written to.
        day: Day,
        /// What the operating system said.
        source: Arc<io::Error>,
    },
    /// The operating system refused, and then refused to take back what was written: the events may come to count.
    /// To append the same ones again is safe; they count once.
    #[error("cannot write to the journal of {day}, and cannot take back what was written")]
    Unsettled {
        /// The day whose file was written to.
        day: Day,
        /// What the operating system said to the write.
        source: Arc<io::Error>,
    },
}
