//! Sessions: their start, their events, their end with a summary, and the briefing of the next one.
//!
//! The source of truth is one file of events for each session, in [`session_log`](crate::session_log). It stays on this machine, and
//! so does the summary, a document like any other, unless somebody shares it: events repeat what a user asked and searched, and an
//! agent that commits everything would publish them (ADR 51).
//!
//! Whether a session is open, ended or abandoned is derived from its events and the time. So a killed daemon and a resumed session
//! need no repair (ADR 15). Begin with `end`, `log`, `history`, `briefing` and `why`.

mod agent_trace;
mod briefing;
mod drafts;
mod end;
mod fix;
mod hand_off;
mod history;
mod list;
mod log;
mod since;
mod stats;
mod trace;
mod uses;
mod why;

pub use agent_trace::TraceContributor;
pub use briefing::{Briefing, BriefingSection, SectionKind};
pub use drafts::Draft;
pub use end::{EndedSession, KeptSession, StartedSession};
pub use fix::{ErrorFix, ErrorFixes, FixStep};
pub use hand_off::{HandOff, HandOffRequest};
pub use history::Keeping;
pub use list::SessionListing;
pub use log::{EventListing, LoggedEvent};
pub use since::{ChangedMemory, ChangesSince};
pub use stats::{CountRecords, DayCounts, Records, Savings, Stats, StoreStats};
pub use uses::{RecordedUse, RecordedUseKind, RecordedUses};
pub use why::{LineOrigin, LineSession, LineTie, LineTrace, UnknownCommit, Why, WhyRequest};

pub(crate) use end::{SummaryAuthor, end_event};
pub(crate) use history::{Material, summary_of, title as title_of, write as write_summary};
