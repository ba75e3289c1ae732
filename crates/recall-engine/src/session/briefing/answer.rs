//! A briefing and its sections.

use crate::warning::Warning;

/// The briefing of a new session.
#[derive(Clone, Debug, PartialEq)]
pub struct Briefing {
    /// The whole text, for a model to read.
    pub text: String,
    /// The estimated tokens of the text; never above the budget.
    pub used_tokens: u32,
    /// Its sections, in the order of the text.
    pub sections: Vec<BriefingSection>,
    /// Conditions that affect the briefing.
    pub warnings: Vec<Warning>,
}

/// One section, with its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BriefingSection {
    /// What it is about.
    pub kind: SectionKind,
    /// The heading, as the text has it.
    pub title: &'static str,
    /// Its text, without the heading.
    pub text: String,
    /// The ids and paths of its sources, in order.
    pub citations: Vec<String>,
}

/// What a section of a briefing is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SectionKind {
    /// What this session did so far.
    Session,
    /// The user, the project and its conventions.
    Profile,
    /// What the earlier sessions did.
    History,
    /// What they left open.
    Tasks,
    /// Memories about the current work.
    Decisions,
    /// What changed, and which memories may no longer hold.
    Changes,
}

impl SectionKind {
    /// The kind's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Profile => "profile",
            Self::History => "history",
            Self::Tasks => "tasks",
            Self::Decisions => "decisions",
            Self::Changes => "changes",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Session => "What this session did",
            Self::Profile => "Profile",
            Self::History => "Recent sessions",
            Self::Tasks => "Left open",
            Self::Decisions => "Decisions and lessons",
            Self::Changes => "Changes",
        }
    }
}
