//! How is something remembered, and how does it come back?
//!
//! The truth is the store's journal: whatever is asked for is an event that is written there first. What the journal says
//! becomes documents of the catalog and of the lexical index, which are found like all others; from it alone, so that an
//! index that is gone is made again to the same answers.

mod add;
mod anchors;
mod feedback;
pub(crate) mod note;
mod prior;
pub(crate) mod profile;
mod promote;
mod rated;
pub(crate) mod related_files;
mod remove;
mod similar;
mod update;
mod verify;

pub use add::{AddOutcome, AddReport};
pub use feedback::FeedbackReport;
pub use note::MemoryNote;
pub use promote::PromoteReport;
pub use similar::SimilarMemory;
pub use update::UpdateReport;
pub use verify::VerifyReport;

pub(crate) use prior::factors;
