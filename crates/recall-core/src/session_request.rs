//! Requests about the sessions of a project.

use crate::{AddMemory, EndReason, Metadata, Provenance, SessionEventType, SessionState};

/// The longest rationale or resolution: a page or two. Longer text belongs in the content.
pub const RECORD_TEXT_BYTES: usize = 64 * 1024;

/// The most bytes of text in an event's metadata, names included: enough for a list of a few hundred hits.
pub const METADATA_BYTES: usize = 64 * 1024;

/// The deepest nesting of metadata; deeper nesting is a bug in the client.
pub const METADATA_DEPTH: usize = 16;

/// The most values in an event's metadata.
pub const METADATA_VALUES: usize = 4096;

/// Writes an event into the flight recorder, into the session of the provenance.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEvent {
    /// The type; session start and end are not allowed.
    pub event_type: SessionEventType,
    /// What happened, in words.
    pub content: String,
    /// Why it was done or decided so, at most [`RECORD_TEXT_BYTES`].
    pub rationale: Option<String>,
    /// How an error was resolved.
    pub resolution: Option<String>,
    /// The agent before a switch.
    pub from_agent: Option<String>,
    /// The agent after a switch.
    pub to_agent: Option<String>,
    /// The files that it concerns, as the client names them.
    pub related_files: Vec<String>,
    /// Further data within [`METADATA_BYTES`], [`METADATA_DEPTH`] and [`METADATA_VALUES`].
    pub metadata: Metadata,
    /// An idempotency key chosen by the client: two events with the same key count once.
    pub key: Option<String>,
    /// What an edit of the related file replaced, as far as it is known. It is not stored.
    pub replacements: Vec<Replacement>,
    /// The caller's provenance.
    pub provenance: Provenance,
}

/// A part of a file that an edit replaces, each text at most [`RECORD_TEXT_BYTES`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The text before the edit, with as much around the change as the client knows.
    pub before: String,
    /// The text after the edit.
    pub after: String,
}

/// Starts a session. Its id is that of the provenance; if there is none, one is generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartSession {
    /// The goal; `None` if the client does not know it yet.
    pub goal: Option<String>,
    /// The caller's provenance.
    pub provenance: Provenance,
}

/// Ends the session of the provenance.
#[derive(Clone, Debug, PartialEq)]
pub struct EndSession {
    /// The outcome; if `None`, a summary is generated from the recorded events.
    pub summary: Option<String>,
    /// Lessons to add as memories, before the end is written.
    pub memories: Vec<AddMemory>,
    /// Why it ends, as the event records it.
    pub reason: EndReason,
    /// The caller's provenance.
    pub provenance: Provenance,
}

/// Lists the sessions of a project, the latest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListSessions {
    /// Only the session with this id, or with this beginning of it.
    pub session: Option<String>,
    /// Only those in this state.
    pub state: Option<SessionState>,
    /// Whether to tell what each did.
    pub with_parts: bool,
    /// How many entries are skipped.
    pub offset: u32,
    /// The maximum number of entries returned.
    pub limit: u32,
}

/// Lists the events of a session, in the order in which they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListEvents {
    /// The id of the session, or its beginning.
    pub session: String,
    /// Only those of these types; empty for all.
    pub types: Vec<SessionEventType>,
    /// How many entries are skipped.
    pub offset: u32,
    /// The maximum number of entries returned.
    pub limit: u32,
}

/// What a new session should be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskBriefing {
    /// The most tokens of the text.
    pub budget_tokens: u32,
    /// The goal, which decides what is relevant; `None` if it is not known.
    pub goal: Option<String>,
    /// What it is about.
    pub subject: BriefingSubject,
    /// The caller's provenance.
    pub provenance: Provenance,
}

/// What a briefing is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BriefingSubject {
    /// What earlier sessions did and left open, and what changed since.
    #[default]
    Project,
    /// What the caller's session did so far; the project if it did nothing.
    Session,
}
