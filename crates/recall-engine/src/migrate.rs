//! The use cases about what other tools remember: its import, and the audit before it.
//!
//! The readers are in `recall-foreign`. An imported memory is one like any other: masked, compared with the known ones, anchored
//! and written to the journal, with the time at which it was made and the origin [`Imported`](recall_core::MemoryOrigin::Imported).
//! Its event's id is derived from its kind and its foreign id, so importing it again changes nothing.

mod audit;
mod claims;
mod error;
mod files;
mod import;
mod memories;
mod sessions;
mod sources;

pub use audit::{AuditFinding, AuditFindingKind, AuditReport, AuditedSource};
pub use error::MigrateError;
pub use import::{Arrivals, LeftOutItem, LeftOutTally, MigrateReport};
pub use recall_foreign::ReadError;
pub use sources::{ForeignProjects, ForeignSource, MigrateRequest};
