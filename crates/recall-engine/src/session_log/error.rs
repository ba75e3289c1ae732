//! The error of session operations.

use std::path::PathBuf;

use recall_journal::RecordError;
use recall_os::OpenError;

use crate::error::{MemoryError, StoreError};
use crate::fault::{Fault, from_io, from_open};

/// A session operation failed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The request does not name a session.
    #[error("there is no session to write to: the request names none")]
    NoSession,
    /// No session has this id.
    #[error("no session is known as `{id}`")]
    NotFound {
        /// The id as the request has it.
        id: String,
    },
    /// The project has no session with this id, or none at all.
    #[error("{}{}", no_session(id), if *reads_transcripts { "" } else { ", and transcripts are not read" })]
    NothingToHandOff {
        /// The id as the request has it; empty for any session.
        id: String,
        /// Whether the transcripts of agents were looked at.
        reads_transcripts: bool,
    },
    /// The beginning of an id fits several sessions.
    #[error("`{id}` fits several sessions: {}", candidates.join(", "))]
    Ambiguous {
        /// The beginning as the request has it.
        id: String,
        /// The ids, the latest first.
        candidates: Vec<String>,
    },
    /// The session did nothing that a file is worth.
    #[error("session `{id}` has nothing to keep: it decided, changed and recorded nothing")]
    Trivial {
        /// The session, which gets no file.
        id: String,
    },
    /// The events were not written.
    #[error("the events of session `{id}` could not be kept")]
    Write {
        /// The session that the events are of.
        id: String,
        /// The error of the append, and whether the lines may come to count all the same.
        #[source]
        source: RecordError,
    },
    /// The events cannot be read.
    #[error("the events in `{}` cannot be read", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: std::io::Error,
    },
    /// A folder or file of sessions cannot be opened or created.
    #[error("cannot use `{}`", .0.path().display())]
    Folder(#[source] OpenError),
    /// The summary was not written.
    #[error("the summary `{}` could not be written", path.display())]
    Summary {
        /// The path of the summary.
        path: PathBuf,
        /// The error of opening or replacing it.
        #[source]
        source: OpenError,
    },
    /// A memory could not be added, or a related file lies outside the project.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The store of the project cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SessionError {
    /// Returns the kind of the failure.
    pub fn fault(&self) -> Fault {
        match self {
            Self::NoSession
            | Self::NotFound { .. }
            | Self::NothingToHandOff { .. }
            | Self::Ambiguous { .. }
            | Self::Trivial { .. } => Fault::Other,
            Self::Write { source, .. } => match source {
                RecordError::TooLong { .. } => Fault::Other,
                RecordError::NotWritten { source, .. } | RecordError::Unsettled { source, .. } => from_io(source),
            },
            Self::Read { source, .. } => from_io(source),
            Self::Folder(error) | Self::Summary { source: error, .. } => from_open(error),
            Self::Memory(error) => error.fault(),
            Self::Store(error) => error.fault(),
        }
    }
}

fn no_session(id: &str) -> String {
    if id.is_empty() { "this project has no session".to_owned() } else { format!("no session is known as `{id}`") }
}
