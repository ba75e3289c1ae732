//! What a session did, by subject.

/// What a session did with regard to a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPart {
    /// The subject.
    pub kind: SessionPartKind,
    /// What it did, in order. Not empty.
    pub entries: Vec<SessionEntry>,
}

/// One thing that a session did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionEntry {
    /// What it did: a line of Markdown.
    pub text: String,
    /// The path or the id of the memory that it is about; `None` if it is about neither.
    pub item: Option<String>,
}

/// The subject of a part of what a session did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionPartKind {
    /// What the agent said last.
    Said,
    /// The edited files.
    Changed,
    /// The commits of its time.
    Commits,
    /// Logged decisions and added memories.
    Decided,
    /// Milestones.
    Reached,
    /// Errors and failed commands.
    Failed,
    /// Observations.
    Noted,
    /// Switches of the agent.
    HandedOver,
    /// What the agent said before.
    EarlierTurns,
    /// Other files that events are about.
    Files,
    /// What is not done.
    Open,
}

impl SessionPartKind {
    /// Returns the kind's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Said => "said",
            Self::Changed => "changed",
            Self::Commits => "commits",
            Self::Decided => "decided",
            Self::Reached => "reached",
            Self::Failed => "failed",
            Self::Noted => "noted",
            Self::HandedOver => "handed_over",
            Self::EarlierTurns => "earlier_turns",
            Self::Files => "files",
            Self::Open => "open",
        }
    }

    /// Returns the heading of the part in a summary.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Said => "Said last",
            Self::Changed => "Changed",
            Self::Commits => "Commits",
            Self::Decided => "Decided",
            Self::Reached => "Reached",
            Self::Failed => "Tried and failed",
            Self::Noted => "Noted",
            Self::HandedOver => "Handed over",
            Self::EarlierTurns => "Earlier turns",
            Self::Files => "Files",
            Self::Open => "Left open",
        }
    }
}
