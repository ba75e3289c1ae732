//! The events of an agent's session that recall answers.

/// An event of an agent's session. The vendors' names are in the rows of `hooks/contract.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// A session starts, is resumed, or continues after its context was cleared or compacted.
    SessionStart,
    /// The user has sent a prompt.
    Prompt,
    /// A tool is about to run.
    PreTool,
    /// A tool has run, or has failed.
    PostTool,
    /// The context is about to be compacted.
    PreCompact,
    /// The agent has ended its turn.
    Stop,
    /// The session ends; its context is gone.
    SessionEnd,
    /// A subagent starts, with a context of its own.
    SubagentStart,
}

impl HookEvent {
    /// All events, in the order of a session.
    pub const ALL: [Self; 8] = [
        Self::SessionStart,
        Self::Prompt,
        Self::PreTool,
        Self::PostTool,
        Self::PreCompact,
        Self::Stop,
        Self::SessionEnd,
        Self::SubagentStart,
    ];

    /// Returns the name on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::Prompt => "prompt",
            Self::PreTool => "pre-tool",
            Self::PostTool => "post-tool",
            Self::PreCompact => "pre-compact",
            Self::Stop => "stop",
            Self::SessionEnd => "session-end",
            Self::SubagentStart => "subagent-start",
        }
    }

    /// Returns the event of a name on the command line.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.as_str() == name)
    }
}
