//! The errors of reading, writing and reviewing memories.

use std::path::PathBuf;
use std::{fmt, io};

use recall_core::{MemoryId, Scope, Timestamp};
use recall_journal::Day;
use recall_os::OpenError;
use recall_watch::root::OutsideError;

use super::store::StoreError;
use crate::moments::UnknownTime;

/// Writing or reading memories failed.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// Nothing has that id.
    #[error("not found: `{id}`")]
    NotFound {
        /// The id as the request has it.
        id: String,
    },
    /// The scope names stores that are not configured, or several.
    #[error("the scope `{scope}` does not name a single store")]
    NoStore {
        /// The scope that the request names.
        scope: Scope,
    },
    /// A related file is outside of the project.
    #[error("`{path}` is not a file of the project")]
    Outside {
        /// The related file as the request has it.
        path: String,
        /// Why the path is none below the root.
        #[source]
        source: OutsideError,
    },
    /// A text names no time.
    #[error(transparent)]
    Time(#[from] UnknownTime),
    /// The journals cannot be read.
    #[error(transparent)]
    ReadJournal {
        /// The error of listing their folder. A line that cannot be read is not an error.
        source: recall_journal::ReadError,
    },
    /// The journals cannot be opened to be written.
    #[error("the journals in `{}` cannot be written", folder.display())]
    OpenJournal {
        /// The folder of the journals.
        folder: PathBuf,
        /// The error of listing the folder, or of repairing the end of a file.
        #[source]
        source: recall_journal::OpenError,
    },
    /// A journal was not written: nothing is stored.
    #[error("the journals in `{}` could not be written", folder.display())]
    Write {
        /// The folder of the journals.
        folder: PathBuf,
        /// The error of the write, and whether the lines may come to count all the same.
        #[source]
        source: recall_journal::AppendError,
    },
    /// An agent asked to promote a memory that came with the repository and that this user has not confirmed.
    #[error("`{id}` came with the repository and is not confirmed")]
    Unconfirmed {
        /// The memory, which stays in its project.
        id: MemoryId,
    },
    /// The user's settings refuse memories from there.
    #[error("memories {from} are refused here")]
    Refused {
        /// From where, in words.
        from: &'static str,
    },
    /// An agent asked to change a memory where what agents write is reviewed, or to do what only a person does.
    #[error("only a person may do that: what agents write is reviewed here")]
    NeedsPerson,
    /// The request is about a memory that is only proposed, and needs one that counts.
    #[error("`{id}` is only proposed")]
    Proposed {
        /// The memory.
        id: MemoryId,
    },
    /// The memory is not a proposal.
    #[error("`{id}` {why}")]
    NotProposed {
        /// The memory, which is unchanged.
        id: MemoryId,
        /// What it is instead.
        why: NoProposal,
    },
    /// The memory was amended at another time than the client expects.
    #[error("`{id}` was amended elsewhere meanwhile")]
    Amended {
        /// The memory, which is unchanged.
        id: MemoryId,
    },
    /// The record of what was handed over from the repository's log to a journal was not written. Handing over again changes
    /// nothing that is there.
    #[error("the memories of linked work trees could not be handed over")]
    HandOver {
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// The user's confirmation was not stored.
    #[error("the confirmation could not be stored")]
    Confirm {
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// A file for git next to the journals was not written.
    #[error("cannot write `{}`", .0.path().display())]
    GitFile(#[source] OpenError),
    /// A store that the request needs cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a memory does not wait for a review. `Display` is a clause to follow its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoProposal {
    /// No memory has the id.
    Unknown,
    /// It was added without a review.
    Unreviewed,
    /// A person accepted it.
    Accepted {
        /// When.
        at: Timestamp,
    },
    /// It was rejected, merged into another memory, or deleted otherwise.
    Deleted {
        /// When.
        at: Timestamp,
        /// The reason, in words.
        reason: Option<String>,
    },
}

impl fmt::Display for NoProposal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("is not the id of a memory here"),
            Self::Unreviewed => f.write_str("was not proposed: it counts already"),
            Self::Accepted { at } => write!(f, "was accepted on {}", Day::from_timestamp(*at)),
            Self::Deleted { at, reason } => {
                write!(f, "was deleted on {}", Day::from_timestamp(*at))?;
                reason.as_ref().map_or(Ok(()), |reason| write!(f, ": {reason}"))
            }
        }
    }
}
