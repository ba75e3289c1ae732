//! The RPCs about sessions: `StartSession`, `EndSession`, `ListSessions` and `Briefing`.

pub(super) mod briefing;
pub(super) mod end;
pub(super) mod list;
pub(super) mod start;
