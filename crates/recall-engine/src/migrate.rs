//! The use cases about what other tools remember: its import, and the audit before it.
//!
//! The readers are in `recall-agents`, in the module `foreign`. An imported memory is one like any other: masked, compared with the known ones, anchored
//! and written to the journal, with the time at which it was made and the origin [`Imported`](recall_core::MemoryOrigin::Imported).
//! Its event's id is derived from its kind and its foreign id, so importing it again changes nothing.
//!
//! Keeping foreign memories as documents would be simpler, and then they could not be verified, rated or superseded (ADR 34).

mod audit;
mod claims;
mod import;
mod memories;
mod sources;

use std::path::PathBuf;

use recall_core::ForeignKind;
use recall_os::OpenError;

use crate::error::{MemoryError, StoreError};
use crate::fault::{Fault, from_open};
use crate::session_log::SessionError;

pub use audit::{AuditFinding, AuditFindingKind, AuditReport, AuditedSource};
pub use import::{Arrivals, LeftOutItem, LeftOutTally, MigrateReport};
pub use recall_agents::foreign::ReadError;
pub use sources::{ForeignProjects, ForeignSource, MigrateRequest};

/// An import or an audit failed.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// No place of the tool exists.
    #[error("nothing of {kind} was found{}", list_places(places))]
    NotFound {
        /// The tool that was asked for.
        kind: ForeignKind,
        /// The places that were looked at.
        places: Vec<PathBuf>,
    },
    /// A source cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A memory was not stored.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// A session was not stored.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A file was not copied.
    #[error("cannot write `{}`", .0.path().display())]
    File(#[source] OpenError),
    /// The store that takes them cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MigrateError {
    /// Returns the kind of the failure.
    pub fn fault(&self) -> Fault {
        match self {
            Self::NotFound { .. } | Self::Read(_) => Fault::Other,
            Self::Memory(error) => error.fault(),
            Self::Session(error) => error.fault(),
            Self::File(error) => from_open(error),
            Self::Store(error) => error.fault(),
        }
    }
}

fn list_places(places: &[PathBuf]) -> String {
    if places.is_empty() {
        return ": this tool has no usual place".to_owned();
    }
    let places: Vec<_> = places.iter().map(|place| format!("`{}`", place.display())).collect();
    format!(": looked for {}", places.join(", "))
}
