//! What happens in the sessions of a project, and how is it told later?
//!
//! The truth is a file of events for each session. It is local: what is committed of a session is its summary, which is a
//! document like any other. What the files say is read when somebody asks.

mod account;
mod end;
mod error;
mod events;
mod folder;
mod history;
mod list;
mod log;
mod note;
mod recorder;
mod sessions;
mod start;
mod summary;
mod told;

pub use end::EndedSession;
pub use error::SessionError;
pub use events::EventListing;
pub use list::SessionListing;
pub use log::LoggedEvent;
pub use recorder::RecorderCounts;
pub use start::StartedSession;

pub(crate) use recorder::FlightRecorder;
pub(crate) use sessions::Sessions;
pub(crate) use summary::{title as title_of, without_commits as summary_without_commits};
