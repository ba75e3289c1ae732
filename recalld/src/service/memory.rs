//! What is told of memories, as messages.

use recall_core::{MemoryView, StoreScope};
use recall_engine::MemoryNote;
use recall_proto::convert::memory;
use recall_proto::v1;
use recall_proto::v1::Severity;

use super::warning;

/// Writes the memory that an answer's document is, where it is one.
pub(super) fn to_proto(recalled: Option<&MemoryView>, store: StoreScope) -> Option<v1::Memory> {
    recalled.map(|recalled| memory::to_proto(recalled, store))
}

/// The age by the threshold of its type; 0 for a file, of which none is told.
pub(super) fn staleness(recalled: Option<&MemoryView>) -> f64 {
    recalled.map_or(0.0, |recalled| recalled.staleness)
}

/// Writes what should be known beside the outcome of remembering something.
pub(super) fn notes(notes: Vec<MemoryNote>) -> Vec<v1::Warning> {
    notes.into_iter().map(note).collect()
}

fn note(note: MemoryNote) -> v1::Warning {
    match note {
        MemoryNote::Masked { rules } => {
            let message = format!("secrets were masked before anything was kept: {}", rules.join(", "));
            warning::new(
                "SECRET_MASKED",
                Severity::Warning,
                message,
                "keep secrets where only those who need them can read them",
            )
        }
        MemoryNote::NotAnchored { path, reason } => {
            let message = format!("it is not tied to `{path}`: {reason}");
            let hint = "name files below the project's root that are there";
            v1::Warning { path: path.to_string(), ..warning::new("NOT_ANCHORED", Severity::Warning, message, hint) }
        }
    }
}
