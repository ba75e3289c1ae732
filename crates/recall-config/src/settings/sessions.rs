//! The settings of sessions, of briefings, and of what hooks record.

use recall_core::SessionShare;

/// What happens to the records of sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionSettings {
    /// Which sessions' summaries become files of the project.
    pub share: SessionShare,
}

/// What a briefing shows, besides what is known about the current work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BriefingSettings {
    /// The profiles of the user and the project.
    pub profile: bool,
    /// What the last sessions did.
    pub history: bool,
    /// What they left open.
    pub tasks: bool,
}

impl Default for BriefingSettings {
    fn default() -> Self {
        Self { profile: true, history: true, tasks: true }
    }
}

/// What hooks record of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the configuration")]
pub struct CaptureSettings {
    /// The first prompt, as the goal of the session.
    pub goal: bool,
    /// Which files were edited.
    pub edits: bool,
    /// Which commands failed, and why.
    pub failures: bool,
    /// Which commits were made.
    pub commits: bool,
    /// What the agent said at the end of a turn.
    pub messages: bool,
    /// The agent's list of tasks.
    pub tasks: bool,
}

impl Default for CaptureSettings {
    fn default() -> Self {
        Self { goal: true, edits: true, failures: true, commits: true, messages: true, tasks: true }
    }
}
