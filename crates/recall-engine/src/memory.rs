//! The use cases of memories: add, update, delete, verify, promote, and feedback on items.
//!
//! The store's journal is the source of truth: each change is an event that is written there first. The memories of the journal
//! become documents of the catalog and the lexical index, and are found like all others (ADR 12). A second index for memories would
//! need a comparison of scores that do not compare. They depend on the journal alone, so a rebuilt index gives the same answers.
//!
//! A memory says what was true once. So it is anchored to the files that it is about ([`anchors`]), and every answer says whether
//! they are still as they were. Feedback and age multiply its odds; they never remove it.
//!
//! Begin with `add`, `anchors`, `verify` and `prior`.

pub(crate) mod about;
mod add;
mod anchor_change;
pub(crate) mod anchors;
mod feedback;
mod prior;
mod promote;
mod review;
mod rollback;
pub(crate) mod similar;
mod update;
mod used;
pub(crate) mod verify;

pub use add::{AddOutcome, AddReport};
pub use anchor_change::AnchorChange;
pub use anchors::MemoryNote;
pub use feedback::FeedbackReport;
pub use promote::PromoteReport;
pub use review::ReviewReport;
pub use rollback::{Dependent, RollBackReport, TakenBack};
pub use similar::SimilarMemory;
pub use update::UpdateReport;
pub use used::ItemUse;
pub use verify::VerifyReport;

pub(crate) use about::{memories_about, memories_in_force_about, recall_for_client};
pub(crate) use add::{Addition, NewAddition, PreparedMemory};
pub(crate) use anchors::Anchored;
pub(crate) use feedback::{flagged_documents, rated_files};
pub(crate) use prior::{factors, foreign_factor};
pub(crate) use similar::{compare_memories_now, compare_memories_soon};
pub(crate) use used::kept_in;
pub(crate) use verify::{bring_up_anchors, recall_memory, recalled_as_hit, recalled_by_search};
