//! The conversion of memories and notes about them to messages.

use recall_core::{MemoryView, StoreScope};
use recall_engine::MemoryNote;
use recall_proto::convert::memory;
use recall_proto::v1;
use recall_proto::v1::Severity;

use super::warning;

/// Converts a memory; `None` for a file.
pub(super) fn to_proto(recalled: Option<&MemoryView>, store: StoreScope) -> Option<v1::Memory> {
    recalled.map(|recalled| memory::to_proto(recalled, store))
}

/// Returns the age of a memory relative to the threshold of its type; 0 for a file.
pub(super) fn staleness(recalled: Option<&MemoryView>) -> f64 {
    recalled.map_or(0.0, |recalled| recalled.staleness)
}

/// Converts the notes about a stored memory or event to warnings.
pub(super) fn notes(notes: Vec<MemoryNote>) -> Vec<v1::Warning> {
    notes.into_iter().map(note).collect()
}

fn note(note: MemoryNote) -> v1::Warning {
    match note {
        MemoryNote::Masked { rules } => {
            let message = format!("secrets were masked before the text was stored: {}", rules.join(", "));
            warning::new(
                "SECRET_MASKED",
                Severity::Warning,
                message,
                "keep secrets where only those who need them can read them",
            )
        }
        MemoryNote::NotAnchored { path, reason } => {
            let message = format!("it is not tied to `{path}`: {reason}");
            let hint = "name existing files below the project's root";
            v1::Warning { path: path.to_string(), ..warning::new("NOT_ANCHORED", Severity::Warning, message, hint) }
        }
    }
}
