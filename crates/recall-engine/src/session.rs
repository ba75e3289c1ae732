//! What happens in the sessions of a project, and how is it told later?
//!
//! The truth is a file of events for each session. It is local: what is committed of a session is its summary, which is a
//! document like any other. What the files say is read when somebody asks.

mod briefing;
mod end;
mod events;
mod history;
mod list;
mod log;
mod note;
mod start;
mod summary;

pub use briefing::{Briefing, BriefingSection, SectionKind};
pub use end::EndedSession;
pub use events::EventListing;
pub use list::SessionListing;
pub use log::LoggedEvent;
pub use start::StartedSession;

pub(crate) use summary::{title as title_of, without_commits as summary_without_commits};
