//! What may be asked of a project's sessions?

use crate::{AddMemory, EndReason, Metadata, Provenance, SessionEventType, SessionState};

/// The longest rationale or resolution: a page or two. What is longer is the content.
pub const RECORD_TEXT_BYTES: usize = 64 * 1024;

/// The most bytes of texts in an event's metadata, names counted: as a list of a few hundred hits has them.
pub const METADATA_BYTES: usize = 64 * 1024;

/// The deepest that metadata nest; what is deeper is a program's mistake.
pub const METADATA_DEPTH: usize = 16;

/// The most values in an event's metadata.
pub const METADATA_VALUES: usize = 4096;

/// Writes an event into the flight recorder. The session is that of the provenance.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEvent {
    /// The type; none of those that mark a session's beginning and end.
    pub event_type: SessionEventType,
    /// What happened.
    pub content: String,
    /// Why.
    pub rationale: Option<String>,
    /// How an error was resolved.
    pub resolution: Option<String>,
    /// The agent before a switch.
    pub from_agent: Option<String>,
    /// The agent after a switch.
    pub to_agent: Option<String>,
    /// The files that it is about, as the client names them.
    pub related_files: Vec<String>,
    /// Whatever else is worth keeping.
    pub metadata: Metadata,
    /// A key that the client chose: what it sends twice counts once.
    pub key: Option<String>,
    /// Who asks, and where.
    pub provenance: Provenance,
}

/// Begins a session. Its id is that of the provenance; where there is none, one is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartSession {
    /// What it is for.
    pub goal: Option<String>,
    /// Who asks, and where.
    pub provenance: Provenance,
}

/// Ends a session. Its id is that of the provenance.
#[derive(Clone, Debug, PartialEq)]
pub struct EndSession {
    /// What came of it; `None` makes one from what is known.
    pub summary: Option<String>,
    /// What was learned.
    pub memories: Vec<AddMemory>,
    /// Why it ends.
    pub reason: EndReason,
    /// Who asks, and where.
    pub provenance: Provenance,
}

/// Asks for the sessions of a project, the latest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListSessions {
    /// Only those in this state.
    pub state: Option<SessionState>,
    /// How many are passed over.
    pub offset: u32,
    /// How many are told at most.
    pub limit: u32,
}

/// Asks for the events of a session, in the order in which they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListEvents {
    /// The session.
    pub session: String,
    /// Only those of these types; empty for all.
    pub types: Vec<SessionEventType>,
    /// How many are passed over.
    pub offset: u32,
    /// How many are told at most.
    pub limit: u32,
}

/// Asks what a new session should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskBriefing {
    /// The most tokens.
    pub budget_tokens: u32,
    /// What the session is for.
    pub goal: Option<String>,
    /// Who asks, and where.
    pub provenance: Provenance,
}
