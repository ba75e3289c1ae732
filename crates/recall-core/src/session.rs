//! What happened in a session?
//!
//! A session is what an agent or a person does in a project between a beginning and an end. Its events, in the order in which
//! they were written, are the truth; a [`Session`] is what they give together.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::{DocPath, EventId, MemoryId, Provenance, Timestamp};

/// Something that happened in a session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionEvent {
    /// Which: two events with one id are one event.
    pub id: EventId,
    /// When.
    pub timestamp: Timestamp,
    /// What.
    pub account: Account,
    /// Who did it, and where.
    pub provenance: Provenance,
}

/// What is told of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// The type.
    pub event_type: SessionEventType,
    /// What happened, in words; of a session's beginning its goal, of its end its summary, of a search its query.
    pub content: String,
    /// Why.
    pub rationale: Option<String>,
    /// How an error was resolved.
    pub resolution: Option<String>,
    /// The agent before a switch.
    pub from_agent: Option<String>,
    /// The agent after a switch.
    pub to_agent: Option<String>,
    /// The files that it is about; sorted, without repetition.
    pub related_files: Vec<DocPath>,
    /// Whatever else is worth keeping.
    pub metadata: Metadata,
}

impl Account {
    /// An account of nothing but a type and a text.
    pub fn new(event_type: SessionEventType, content: impl Into<String>) -> Self {
        Self {
            event_type,
            content: content.into(),
            rationale: None,
            resolution: None,
            from_agent: None,
            to_agent: None,
            related_files: Vec::new(),
            metadata: Metadata::new(),
        }
    }
}

/// Values by name, as JSON has them.
pub type Metadata = BTreeMap<String, MetadataValue>;

/// A value as JSON has it.
#[derive(Clone, Debug, PartialEq)]
pub enum MetadataValue {
    /// Nothing.
    Null,
    /// Yes or no.
    Bool(bool),
    /// A number; finite.
    Number(f64),
    /// A text.
    Text(String),
    /// Several values.
    List(Vec<MetadataValue>),
    /// Several values by name.
    Map(Metadata),
}

/// The type of a session's event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionEventType {
    /// Something was decided.
    Decision,
    /// Something went wrong.
    Error,
    /// Something was reached.
    Milestone,
    /// One agent handed over to another.
    AgentSwitch,
    /// Something was seen.
    Observation,
    /// Something was searched for.
    RetrievalQuery,
    /// Somebody judged what a search found.
    RetrievalJudgment,
    /// The session began, or went on after its end.
    SessionStart,
    /// The session ended.
    SessionEnd,
}

impl SessionEventType {
    /// Every type, in a fixed order.
    pub const ALL: [Self; 9] = [
        Self::Decision,
        Self::Error,
        Self::Milestone,
        Self::AgentSwitch,
        Self::Observation,
        Self::RetrievalQuery,
        Self::RetrievalJudgment,
        Self::SessionStart,
        Self::SessionEnd,
    ];

    /// How many of [`ALL`](Self::ALL) a client may log: the first. The others are written by beginning and ending a session.
    pub const LOGGED: usize = 7;

    /// The type's name, as interfaces and files write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Error => "error",
            Self::Milestone => "milestone",
            Self::AgentSwitch => "agent_switch",
            Self::Observation => "observation",
            Self::RetrievalQuery => "retrieval_query",
            Self::RetrievalJudgment => "retrieval_judgment",
            Self::SessionStart => "session_start",
            Self::SessionEnd => "session_end",
        }
    }

    /// Whether it marks where a session begins or ends, and tells nothing that happened in it.
    pub fn is_mark(self) -> bool {
        matches!(self, Self::SessionStart | Self::SessionEnd)
    }
}

impl fmt::Display for SessionEventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for SessionEventType {
    type Err = UnknownSessionEventType;

    fn from_str(text: &str) -> Result<Self, UnknownSessionEventType> {
        let known = Self::ALL.into_iter().find(|known| known.as_str() == text);
        known.ok_or_else(|| UnknownSessionEventType { text: text.to_owned() })
    }
}

/// There is no type of a session's events of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown type of events `{text}`: the types are decision, error, milestone, agent_switch, observation, \
     retrieval_query, retrieval_judgment, session_start, session_end"
)]
pub struct UnknownSessionEventType {
    /// What was given.
    pub text: String,
}

/// Why a session ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EndReason {
    /// Its work is done.
    #[default]
    End,
    /// Its program ended.
    Exit,
    /// Its context is made smaller, which loses what only the context knows.
    Compact,
    /// It had ended without a word, and somebody made up for that.
    Recovered,
}

impl EndReason {
    /// Every reason, in a fixed order.
    pub const ALL: [Self; 4] = [Self::End, Self::Exit, Self::Compact, Self::Recovered];

    /// The reason's name, as interfaces and files write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Exit => "exit",
            Self::Compact => "compact",
            Self::Recovered => "recovered",
        }
    }

    /// The reason of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }
}

/// A session, as its events tell it.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Its id, as its client chose it.
    pub id: String,
    /// Whether it goes on.
    pub state: SessionState,
    /// When it began.
    pub started: Timestamp,
    /// When it ended; `None` while it goes on or where nobody ended it.
    pub ended: Option<Timestamp>,
    /// When anything of it was last written.
    pub last: Timestamp,
    /// Who ran it, and where.
    pub provenance: Provenance,
    /// What it is for.
    pub goal: Option<String>,
    /// What came of it.
    pub summary: Option<String>,
    /// Where its summary is kept.
    pub summary_path: Option<DocPath>,
    /// How many events it wrote, its beginning and its end not counted.
    pub events: u64,
    /// The memories that were added in it, in order.
    pub memories: Vec<MemoryId>,
}

impl Session {
    /// A session that began at a moment, and of which nothing else is known.
    pub fn begun(id: &str, started: Timestamp, provenance: &Provenance) -> Self {
        Self {
            id: id.to_owned(),
            state: SessionState::Open,
            started,
            ended: None,
            last: started,
            provenance: provenance.clone(),
            goal: None,
            summary: None,
            summary_path: None,
            events: 0,
            memories: Vec::new(),
        }
    }
}

/// The state of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionState {
    /// It goes on.
    Open,
    /// It was ended.
    Ended,
    /// It was not ended, and nothing was heard of it for long.
    Abandoned,
}

impl SessionState {
    /// Every state, in a fixed order.
    pub const ALL: [Self; 3] = [Self::Open, Self::Ended, Self::Abandoned];

    /// The state's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Ended => "ended",
            Self::Abandoned => "abandoned",
        }
    }

    /// The state of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_as_they_are_written() {
        for event_type in SessionEventType::ALL {
            assert_eq!(event_type.as_str().parse(), Ok(event_type));
        }
        assert!("novel".parse::<SessionEventType>().is_err());
        for reason in EndReason::ALL {
            assert_eq!(EndReason::from_name(reason.as_str()), Some(reason));
        }
        for state in SessionState::ALL {
            assert_eq!(SessionState::from_name(state.as_str()), Some(state));
        }
    }

    #[test]
    fn what_a_client_may_log_is_all_but_the_marks() {
        let (logged, marks) = SessionEventType::ALL.split_at(SessionEventType::LOGGED);
        assert!(logged.iter().all(|event_type| !event_type.is_mark()));
        assert!(marks.iter().all(|event_type| event_type.is_mark()));
    }
}
