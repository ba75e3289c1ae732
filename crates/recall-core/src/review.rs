//! The review of memories before they count, and the reversal of what was written.

use crate::{MemoryId, Provenance, Scope};

/// What happens to a memory that arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Admission {
    /// It counts at once.
    #[default]
    Accept,
    /// It waits for a person who accepts it.
    Propose,
    /// It is refused.
    Refuse,
}

impl Admission {
    /// All choices, the default first.
    pub const ALL: [Self; 3] = [Self::Accept, Self::Propose, Self::Refuse];

    /// Returns the name in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Propose => "propose",
            Self::Refuse => "refuse",
        }
    }

    /// Finds a choice by name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.as_str() == name)
    }
}

/// What happens to a memory that arrives, by whose it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReviewPolicy {
    /// One that an agent adds.
    pub agent: Admission,
    /// One that is imported from another tool.
    pub import: Admission,
    /// One that came with the repository, and that this user has not confirmed.
    pub clone: Admission,
}

/// A decision about a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewMemory {
    /// The proposal.
    pub id: MemoryId,
    /// What becomes of it.
    pub action: ReviewAction,
    /// The title to store instead: of the accepted memory, or of the one that takes it in.
    pub title: Option<String>,
    /// The text to store instead, likewise.
    pub content: Option<String>,
    /// The caller's provenance.
    pub provenance: Provenance,
}

/// What becomes of a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewAction {
    /// It counts.
    Accept,
    /// It is deleted; its record stays.
    Reject {
        /// The reason, in words.
        reason: Option<String>,
    },
    /// Another memory takes in its text, and it is deleted.
    Merge {
        /// That memory.
        into: MemoryId,
    },
}

/// Takes back what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RollBack {
    /// Only what was written in this session.
    pub session: Option<String>,
    /// Only what this agent wrote.
    pub agent: Option<String>,
    /// Only what was written since this time, as for a search.
    pub since: Option<String>,
    /// The stores to look in.
    pub scope: Scope,
    /// Whether anything is written.
    pub mode: RollBackMode,
    /// The caller's provenance.
    pub provenance: Provenance,
}

/// Whether a rollback writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RollBackMode {
    /// It only reports what it would take back.
    Preview,
    /// It takes it back.
    Write,
}
