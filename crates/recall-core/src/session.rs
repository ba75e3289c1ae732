//! Sessions and their events.
//!
//! A session is what an agent or a person does in a project between a start and an end. Its events, in the order in
//! which they were written, are the source of truth; a [`Session`] is their fold.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::{EventId, MemoryId, Provenance, SessionPart, Timestamp};
use recall_text::DocPath;

/// Something that happened in a session, as its file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionEvent {
    /// Its id: two events with the same id are the same event.
    pub id: EventId,
    /// When it happened.
    pub timestamp: Timestamp,
    /// What happened.
    pub details: EventDetails,
    /// Who caused it, and where.
    pub provenance: Provenance,
}

/// The content of an event.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDetails {
    /// The type, on which the meaning of the other fields depends.
    pub event_type: SessionEventType,
    /// A description: the goal of a session's start, the summary of its end, the query of a search.
    pub content: String,
    /// Why it was done or decided so; for an error, its output.
    pub rationale: Option<String>,
    /// How an error was resolved.
    pub resolution: Option<String>,
    /// The agent before a switch.
    pub from_agent: Option<String>,
    /// The agent after a switch.
    pub to_agent: Option<String>,
    /// The files that it concerns; sorted, without repetition.
    pub related_files: Vec<DocPath>,
    /// Further data, which readers that do not know it ignore.
    pub metadata: Metadata,
}

impl EventDetails {
    /// Builds the details of an event that has only a type and a text.
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

/// Values by name, as in a JSON object.
pub type Metadata = BTreeMap<String, MetadataValue>;

/// A value as in JSON, without a library's type.
#[derive(Clone, Debug, PartialEq)]
pub enum MetadataValue {
    /// Nothing.
    Null,
    /// A boolean.
    Bool(bool),
    /// A finite number.
    Number(f64),
    /// A text.
    Text(String),
    /// An array.
    List(Vec<MetadataValue>),
    /// An object.
    Map(Metadata),
}

/// Returns a number as an integer if it is one that `f64` represents exactly, so that it is written as `3`, not `3.0`.
pub fn exact_integer(number: f64) -> Option<i64> {
    /// Up to 2^53, an `f64` represents every integer exactly.
    const MOST_EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= MOST_EXACT).then_some(number as i64)
}

/// The type of a session's event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionEventType {
    /// A decision, with its reason.
    Decision,
    /// An error or a failed attempt, perhaps with its resolution.
    Error,
    /// A result, such as a commit.
    Milestone,
    /// One agent handed over to another.
    AgentSwitch,
    /// A fact or an action of no other type, such as an edit.
    Observation,
    /// A search, with its hits in the metadata.
    RetrievalQuery,
    /// A judgement of a search's hits.
    RetrievalJudgment,
    /// The session started, or resumed after its end.
    SessionStart,
    /// The session ended, with its summary as the text.
    SessionEnd,
}

impl SessionEventType {
    /// All types, in a fixed order.
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

    /// How many of [`ALL`](Self::ALL), from the first, a client may log. The others are written when a session starts
    /// or ends.
    pub const LOGGED: usize = 7;

    /// Returns the type's name, as interfaces and files write it.
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

    /// Whether it marks the start or end of a session.
    pub fn is_boundary(self) -> bool {
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

/// The text does not name the type of a session's event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown event type `{text}`: the types are decision, error, milestone, agent_switch, observation, \
     retrieval_query, retrieval_judgment, session_start, session_end"
)]
pub struct UnknownSessionEventType {
    /// The name as it was given.
    pub text: String,
}

/// What a hook recorded, more exactly than the type of the event says. The name is in the event's metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookRecord {
    /// An edit of a file.
    Edit,
    /// What the agent said at the end of a turn. [`ITEMS`] has the items of its lists.
    Message,
    /// A commit by git.
    Commit,
    /// The agent's list of tasks, in [`TASKS`].
    Tasks,
}

impl HookRecord {
    /// The key of the name in the metadata.
    pub const KEY: &'static str = "recorded";

    /// All of them, in a fixed order.
    pub const ALL: [Self; 4] = [Self::Edit, Self::Message, Self::Commit, Self::Tasks];

    /// Returns the name, as the metadata have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Edit => "edit",
            Self::Message => "message",
            Self::Commit => "commit",
            Self::Tasks => "tasks",
        }
    }

    /// Returns what has that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|record| record.as_str() == name)
    }
}

/// The metadata key of the items of a message: a list of maps with `text` and `done`.
pub const ITEMS: &str = "items";

/// The metadata key of a list of tasks: a list of maps with `text` and `status`.
pub const TASKS: &str = "tasks";

/// A task in the list of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionTask {
    /// What is to be done, on one line.
    pub text: String,
    /// How far it is.
    pub state: TaskState,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaskState {
    /// Nobody has begun it.
    #[default]
    Pending,
    /// Somebody works on it.
    InProgress,
    /// Nothing is left to do.
    Completed,
}

impl TaskState {
    /// All states, in a fixed order.
    pub const ALL: [Self; 3] = [Self::Pending, Self::InProgress, Self::Completed];

    /// Returns the state's name, as agents and interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
        }
    }

    /// Returns the state with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }

    /// Whether nothing is left to do.
    pub fn is_done(self) -> bool {
        self == Self::Completed
    }
}

/// The reason why a session ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EndReason {
    /// The work is done.
    #[default]
    End,
    /// The client exited, whether the work is done or not.
    Exit,
    /// The client compacts its context, which loses what only the context holds.
    Compact,
    /// The session had no end event and was closed by recovery.
    Recovered,
}

impl EndReason {
    /// All reasons, in a fixed order.
    pub const ALL: [Self; 4] = [Self::End, Self::Exit, Self::Compact, Self::Recovered];

    /// Returns the reason's name, as interfaces and files write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Exit => "exit",
            Self::Compact => "compact",
            Self::Recovered => "recovered",
        }
    }

    /// Returns the reason with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }
}

/// Which sessions' summaries become files of the project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionShare {
    /// None: they stay in the data home.
    #[default]
    Never,
    /// Those of sessions that decided something or added a memory.
    Decisions,
    /// All but those of trivial sessions.
    All,
}

impl SessionShare {
    /// All choices, in a fixed order.
    pub const ALL: [Self; 3] = [Self::Never, Self::Decisions, Self::All];

    /// Returns the name in the configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Decisions => "decisions",
            Self::All => "all",
        }
    }

    /// Returns the choice with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.as_str() == name)
    }
}

/// A session: the fold of its events.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Its id, chosen by the client.
    pub id: String,
    /// Whether it is open, ended or abandoned.
    pub state: SessionState,
    /// The time of its start.
    pub started: Timestamp,
    /// The time of its end; `None` if it has no end event.
    pub ended: Option<Timestamp>,
    /// The time of its last event.
    pub last: Timestamp,
    /// Who ran it, and where.
    pub provenance: Provenance,
    /// The goal that the client stated, or the first prompt.
    pub goal: Option<String>,
    /// Its name: the goal, else the first of what it did; `None` if it did nothing.
    pub title: Option<String>,
    /// The agent's list of tasks.
    pub tasks: Vec<SessionTask>,
    /// The summary of its last end; `None` if it has none.
    pub summary: Option<String>,
    /// The path of the written summary.
    pub summary_path: Option<DocPath>,
    /// The number of events, without the start and the end.
    pub events: u64,
    /// The memories that were added in it, in order.
    pub memories: Vec<MemoryId>,
    /// What it did, by subject; empty unless requested.
    pub parts: Vec<SessionPart>,
}

impl Session {
    /// A session that has started, and of which nothing else is known.
    pub fn new(id: &str, started: Timestamp, provenance: &Provenance) -> Self {
        Self {
            id: id.to_owned(),
            state: SessionState::Open,
            started,
            ended: None,
            last: started,
            provenance: provenance.clone(),
            goal: None,
            title: None,
            tasks: Vec::new(),
            summary: None,
            summary_path: None,
            events: 0,
            memories: Vec::new(),
            parts: Vec::new(),
        }
    }
}

/// The state of a session, derived from its events and the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionState {
    /// It has not ended.
    Open,
    /// Its last event is its end.
    Ended,
    /// It has not ended, and has had no event for a long time.
    Abandoned,
}

impl SessionState {
    /// All states, in a fixed order.
    pub const ALL: [Self; 3] = [Self::Open, Self::Ended, Self::Abandoned];

    /// Returns the state's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Ended => "ended",
            Self::Abandoned => "abandoned",
        }
    }

    /// Returns the state with that name.
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
        for record in HookRecord::ALL {
            assert_eq!(HookRecord::from_name(record.as_str()), Some(record));
        }
        for state in TaskState::ALL {
            assert_eq!(TaskState::from_name(state.as_str()), Some(state));
        }
        for choice in SessionShare::ALL {
            assert_eq!(SessionShare::from_name(choice.as_str()), Some(choice));
        }
    }

    #[test]
    fn only_exact_integers_are_integers() {
        for (number, expected) in [
            (3.0, Some(3)),
            (-0.0, Some(0)),
            (0.25, None),
            (9_007_199_254_740_992.0, Some(1 << 53)),
            (-9_007_199_254_740_992.0, Some(-(1 << 53))),
            (1e300, None),
            (f64::NAN, None),
            (f64::INFINITY, None),
        ] {
            assert_eq!(exact_integer(number), expected, "{number}");
        }
    }

    #[test]
    fn clients_may_log_all_types_but_start_and_end() {
        let (logged, marks) = SessionEventType::ALL.split_at(SessionEventType::LOGGED);
        assert!(logged.iter().all(|event_type| !event_type.is_boundary()));
        assert!(marks.iter().all(|event_type| event_type.is_boundary()));
    }
}
