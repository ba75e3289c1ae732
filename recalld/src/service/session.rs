//! Sessions: `StartSession`, `EndSession`, `ListSessions`, and what is told of the memories that an end keeps.

pub(super) mod briefing;
pub(super) mod end;
pub(super) mod list;
pub(super) mod start;
