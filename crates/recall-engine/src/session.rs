//! Sessions: their start, their events, their end with a summary, and the briefing of the next one.
//!
//! The source of truth is one file of events for each session, in [`session_log`](crate::session_log). It stays on this
//! machine, and so does the summary, a document like any other, unless somebody shares it.

mod briefing;
mod drafts;
mod end;
mod history;
mod keep;
mod list;
mod log;
mod note;
mod resolve;
mod start;
mod stats;
mod substance;
mod summary;

pub use briefing::{Briefing, BriefingSection, SectionKind};
pub use drafts::Draft;
pub use end::EndedSession;
pub use history::Keeping;
pub use keep::KeptSession;
pub use list::SessionListing;
pub use log::EventListing;
pub use log::LoggedEvent;
pub use start::StartedSession;
pub use stats::{Estimate, Savings, Stats, StoreStats};

pub(crate) use end::{SummaryAuthor, end_event};
pub(crate) use history::write as write_summary;
pub(crate) use summary::{Material, summary_of, title as title_of};
