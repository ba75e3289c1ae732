//! Requests about sessions, and sessions with their events and the metadata of these.

use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};
use recall_core::{
    AskBriefing, BriefingSubject, EndReason, EndSession, EventDetails, Limits, ListEvents, ListSessions, LogEvent,
    MEMORY_BYTES, MEMORY_ENTRIES, METADATA_BYTES, METADATA_DEPTH, METADATA_VALUES, Metadata, MetadataValue, Provenance,
    RECORD_TEXT_BYTES, Replacement, SHORT_TEXT_BYTES, Session, SessionEntry, SessionEvent, SessionEventType,
    SessionPart, SessionState, SessionTask, StartSession, WHEN_BYTES,
};

use super::remember::{self, Validated, at_most, entries, non_empty, not_blank};
use super::{limits, time};
use crate::{InvalidRequest, Problem, v1};

/// The types of events that a client may log.
const LOGGED: &str = "decision, error, milestone, agent_switch, observation, retrieval_query, retrieval_judgment";

/// The default and the maximum number of tokens of a briefing; the maximum is a tenth of a usual context window.
const BRIEFING_TOKENS: (u32, u32) = (2_000, 20_000);

/// The default and the maximum number of tokens of the changes since a time.
const CHANGES_TOKENS: (u32, u32) = (600, 5_000);

/// The fewest tokens of the changes: a heading, and that there is more.
const LEAST_CHANGES_TOKENS: u32 = 50;

/// Reads an event for the flight recorder.
///
/// # Errors
/// The type is unknown or reserved, a text is blank or too long, there are too many files, the metadata exceed a limit,
/// or there is no session.
pub fn log(message: v1::LogEventRequest) -> Validated<LogEvent> {
    let v1::LogEventRequest {
        context,
        r#type,
        content,
        rationale,
        resolution,
        from_agent,
        to_agent,
        related_files,
        metadata,
        idempotency_key,
        replacements,
    } = message;
    let context = context.unwrap_or_default();
    let event_type = event_type("type", &r#type)?;
    if event_type.is_boundary() {
        return Err(InvalidRequest::new("type", Problem::Unknown { value: r#type, known: LOGGED }));
    }
    not_blank("content", &content)?;
    at_most("content", &content, MEMORY_BYTES)?;
    at_most("rationale", &rationale, RECORD_TEXT_BYTES)?;
    at_most("resolution", &resolution, RECORD_TEXT_BYTES)?;
    at_most("from_agent", &from_agent, SHORT_TEXT_BYTES)?;
    at_most("to_agent", &to_agent, SHORT_TEXT_BYTES)?;
    at_most("idempotency_key", &idempotency_key, SHORT_TEXT_BYTES)?;
    entries("related_files", &related_files)?;
    let asked = LogEvent {
        event_type,
        content,
        rationale: non_empty(rationale),
        resolution: non_empty(resolution),
        from_agent: non_empty(from_agent),
        to_agent: non_empty(to_agent),
        related_files,
        metadata: metadata_from_proto(metadata)?,
        key: non_empty(idempotency_key),
        replacements: self::replacements(replacements)?,
        provenance: in_session(&context)?,
    };
    Ok((context, asked))
}

/// Reads what an edit replaces.
///
/// # Errors
/// There are too many replacements, or a text is too long.
pub fn replacements(messages: Vec<v1::Replacement>) -> Result<Vec<Replacement>, InvalidRequest> {
    const FIELD: &str = "replacements";
    if messages.len() > MEMORY_ENTRIES {
        let (value, limit) = (messages.len() as u64, MEMORY_ENTRIES as u64);
        return Err(InvalidRequest::new(FIELD, Problem::TooLarge { value, limit, setting: None }));
    }
    for v1::Replacement { before, after } in &messages {
        at_most(FIELD, before, RECORD_TEXT_BYTES)?;
        at_most(FIELD, after, RECORD_TEXT_BYTES)?;
    }
    Ok(messages.into_iter().map(|v1::Replacement { before, after }| Replacement { before, after }).collect())
}

/// Reads a request to start a session.
///
/// # Errors
/// The goal is too long.
pub fn start(message: v1::StartSessionRequest) -> Validated<(StartSession, bool)> {
    let v1::StartSessionRequest { context, goal, briefing } = message;
    let context = context.unwrap_or_default();
    at_most("goal", &goal, RECORD_TEXT_BYTES)?;
    let asked = StartSession { goal: non_empty(goal), provenance: remember::provenance(&context) };
    Ok((context, (asked, briefing)))
}

/// Reads a request to end a session.
///
/// # Errors
/// There is no session, the reason is unknown, the summary is too long, there are too many memories, or one of them is
/// invalid.
pub fn end(message: v1::EndSessionRequest) -> Validated<EndSession> {
    let v1::EndSessionRequest { context, summary, memories, reason } = message;
    let context = context.unwrap_or_default();
    at_most("summary", &summary, MEMORY_BYTES)?;
    if memories.len() > MEMORY_ENTRIES {
        let (value, limit) = (memories.len() as u64, MEMORY_ENTRIES as u64);
        return Err(InvalidRequest::new("memories", Problem::TooLarge { value, limit, setting: None }));
    }
    // The memories have the context of the session.
    let memory = |memory| remember::add(v1::AddRequest { context: Some(context.clone()), ..memory });
    let memories = memories.into_iter().map(|added| memory(added).map(|(_, asked)| asked)).collect::<Result<_, _>>()?;
    let asked = EndSession {
        summary: non_empty(summary),
        memories,
        reason: end_reason(&reason)?,
        provenance: in_session(&context)?,
    };
    Ok((context, asked))
}

/// Reads a request to list sessions.
///
/// # Errors
/// The limit is out of bounds, the cursor is invalid, or the state is unknown.
pub fn list(message: v1::ListSessionsRequest, limits: &Limits) -> Validated<ListSessions> {
    let v1::ListSessionsRequest { context, limit, cursor, state, session_id, with_parts } = message;
    let state = match v1::SessionState::try_from(state) {
        Ok(v1::SessionState::Unspecified) => None,
        Ok(v1::SessionState::Open) => Some(SessionState::Open),
        Ok(v1::SessionState::Ended) => Some(SessionState::Ended),
        Ok(v1::SessionState::Abandoned) => Some(SessionState::Abandoned),
        Err(_) => {
            let problem = Problem::Unknown { value: state.to_string(), known: "open, ended, abandoned" };
            return Err(InvalidRequest::new("state", problem));
        }
    };
    let (offset, limit) = (limits::offset(&cursor)?, limits::list_entries(limit, limits)?);
    let asked = ListSessions { session: non_empty(session_id), state, with_parts, offset, limit };
    Ok((context.unwrap_or_default(), asked))
}

/// Reads a request to list events.
///
/// # Errors
/// There is no session, a type is unknown, the limit is out of bounds, or the cursor is invalid.
pub fn events(message: v1::ListEventsRequest, limits: &Limits) -> Validated<ListEvents> {
    let v1::ListEventsRequest { context, session_id, types, limit, cursor } = message;
    let (context, session) = with_session(context, &session_id)?;
    let types = types.iter().map(|name| event_type("types", name)).collect::<Result<_, _>>()?;
    let asked =
        ListEvents { session, types, offset: limits::offset(&cursor)?, limit: limits::list_entries(limit, limits)? };
    Ok((context, asked))
}

/// Reads a request for drafts of memories: the session's id.
///
/// # Errors
/// There is no session.
pub fn drafts(message: v1::ListDraftsRequest) -> Validated<String> {
    let v1::ListDraftsRequest { context, session_id } = message;
    with_session(context, &session_id)
}

/// Reads a request to bring a summary into the project: the session's id.
///
/// # Errors
/// There is no session.
pub fn keep(message: v1::KeepSessionRequest) -> Validated<String> {
    let v1::KeepSessionRequest { context, session_id } = message;
    with_session(context, &session_id)
}

/// Returns the session that a request names, or that of its context.
fn with_session(context: Option<v1::RequestContext>, session_id: &str) -> Validated<String> {
    let context = context.unwrap_or_default();
    let session = [session_id, &context.session_id].into_iter().find(|id| !id.trim().is_empty());
    let session = session.ok_or_else(|| InvalidRequest::new("session_id", Problem::Empty))?.to_owned();
    Ok((context, session))
}

/// Reads a request for the changes since a time, and the tokens of their text.
///
/// # Errors
/// The time is too long, or the budget is out of bounds.
pub fn changes(message: v1::ChangesRequest) -> Validated<(String, u32)> {
    let v1::ChangesRequest { context, since, budget_tokens } = message;
    at_most("since", &since, WHEN_BYTES)?;
    let budget = limits::shorten("budget_tokens", budget_tokens, CHANGES_TOKENS)?;
    Ok((context.unwrap_or_default(), (since, budget.max(LEAST_CHANGES_TOKENS))))
}

/// Reads a request for a briefing.
///
/// # Errors
/// The budget is out of bounds, or the goal is too long.
pub fn briefing(message: v1::BriefingRequest) -> Validated<AskBriefing> {
    let v1::BriefingRequest { context, budget_tokens, goal, subject } = message;
    let context = context.unwrap_or_default();
    at_most("goal", &goal, RECORD_TEXT_BYTES)?;
    let budget_tokens = limits::shorten("budget_tokens", budget_tokens, BRIEFING_TOKENS)?;
    let subject = match v1::BriefingSubject::try_from(subject) {
        Ok(v1::BriefingSubject::Unspecified) => BriefingSubject::Project,
        Ok(v1::BriefingSubject::Session) => BriefingSubject::Session,
        Err(_) => {
            let problem = Problem::Unknown { value: subject.to_string(), known: "session" };
            return Err(InvalidRequest::new("subject", problem));
        }
    };
    let asked =
        AskBriefing { budget_tokens, goal: non_empty(goal), subject, provenance: remember::provenance(&context) };
    Ok((context, asked))
}

/// The default token budget of a briefing.
pub fn default_briefing_tokens() -> u32 {
    BRIEFING_TOKENS.0
}

/// Writes a session. What is not known is empty in the message.
pub fn to_proto(session: &Session) -> v1::Session {
    let Session {
        id,
        state,
        started,
        ended,
        // Only used to derive the state.
        last: _,
        provenance,
        goal,
        title,
        tasks,
        summary,
        // Part of the answer to the session's end.
        summary_path: _,
        events,
        memories,
        parts,
    } = session;
    let Provenance { session: _, agent, mode, branch, commit, project, project_path } = provenance.clone();
    v1::Session {
        id: id.clone(),
        state: match state {
            SessionState::Open => v1::SessionState::Open,
            SessionState::Ended => v1::SessionState::Ended,
            SessionState::Abandoned => v1::SessionState::Abandoned,
        }
        .into(),
        started_at: Some(time::to_proto(*started)),
        ended_at: ended.map(time::to_proto),
        agent: agent.unwrap_or_default(),
        provenance: Some(v1::Provenance {
            agent_mode: mode.unwrap_or_default(),
            git_branch: branch.unwrap_or_default(),
            git_commit: commit.unwrap_or_default(),
            project_path: project_path.unwrap_or_default(),
            project_name: project.unwrap_or_default(),
        }),
        goal: goal.clone().unwrap_or_default(),
        summary: summary.clone().unwrap_or_default(),
        events: *events,
        memories: memories.iter().map(ToString::to_string).collect(),
        title: title.clone().unwrap_or_default(),
        tasks: tasks.iter().map(task_to_proto).collect(),
        parts: parts.iter().map(part_to_proto).collect(),
    }
}

fn task_to_proto(task: &SessionTask) -> v1::SessionTask {
    let SessionTask { text, state } = task;
    v1::SessionTask { text: text.clone(), status: state.as_str().to_owned() }
}

fn part_to_proto(part: &SessionPart) -> v1::SessionPart {
    let SessionPart { kind, entries } = part;
    v1::SessionPart { kind: kind.as_str().to_owned(), entries: entries.iter().map(entry_to_proto).collect() }
}

fn entry_to_proto(entry: &SessionEntry) -> v1::SessionEntry {
    let SessionEntry { text, item } = entry;
    v1::SessionEntry { text: text.clone(), item: item.clone().unwrap_or_default() }
}

/// Writes an event. Its provenance is left out, because the session has it.
pub fn event_to_proto(event: SessionEvent) -> v1::SessionEvent {
    let SessionEvent {
        id,
        timestamp,
        details,
        // The session has the provenance.
        provenance: _,
    } = event;
    let EventDetails { event_type, content, rationale, resolution, from_agent, to_agent, related_files, metadata } =
        details;
    v1::SessionEvent {
        id: id.to_string(),
        r#type: event_type.as_str().to_owned(),
        timestamp: Some(time::to_proto(timestamp)),
        content,
        rationale: rationale.unwrap_or_default(),
        resolution: resolution.unwrap_or_default(),
        from_agent: from_agent.unwrap_or_default(),
        to_agent: to_agent.unwrap_or_default(),
        related_files: related_files.iter().map(|path| path.as_str().to_owned()).collect(),
        metadata: Some(metadata).filter(|metadata| !metadata.is_empty()).map(metadata_to_proto),
    }
}

/// The provenance of a request that needs a session.
fn in_session(context: &v1::RequestContext) -> Result<Provenance, InvalidRequest> {
    let provenance = remember::provenance(context);
    if provenance.session.is_none() {
        return Err(InvalidRequest::new("context.session_id", Problem::Empty));
    }
    Ok(provenance)
}

fn event_type(field: &'static str, name: &str) -> Result<SessionEventType, InvalidRequest> {
    let unknown = |_| InvalidRequest::new(field, Problem::Unknown { value: name.to_owned(), known: LOGGED });
    name.parse().map_err(unknown)
}

fn end_reason(name: &str) -> Result<EndReason, InvalidRequest> {
    if name.is_empty() {
        return Ok(EndReason::End);
    }
    let unknown = || Problem::Unknown { value: name.to_owned(), known: "end, exit, compact, recovered" };
    EndReason::from_name(name).ok_or_else(|| InvalidRequest::new("reason", unknown()))
}

const FIELD: &str = "metadata";

/// The remaining budget while metadata are read.
struct Remaining {
    bytes: usize,
    values: usize,
}

/// Reads metadata.
///
/// # Errors
/// They are too long, too many or nested too deeply, or a number is not finite.
fn metadata_from_proto(metadata: Option<Struct>) -> Result<Metadata, InvalidRequest> {
    let Some(metadata) = metadata else { return Ok(Metadata::new()) };
    map(metadata, METADATA_DEPTH, &mut Remaining { bytes: METADATA_BYTES, values: METADATA_VALUES })
}

fn metadata_to_proto(metadata: Metadata) -> Struct {
    Struct { fields: metadata.into_iter().map(|(name, value)| (name, value_to_proto(value))).collect() }
}

fn map(Struct { fields }: Struct, depth: usize, remaining: &mut Remaining) -> Result<Metadata, InvalidRequest> {
    let deeper = depth.checked_sub(1).ok_or_else(|| too_large(METADATA_DEPTH + 1, METADATA_DEPTH))?;
    let entry = |(name, value): (String, Value)| {
        remaining.take(name.len())?;
        Ok((name, value_from_proto(value, deeper, remaining)?))
    };
    fields.into_iter().map(entry).collect()
}

fn value_from_proto(
    Value { kind }: Value,
    depth: usize,
    remaining: &mut Remaining,
) -> Result<MetadataValue, InvalidRequest> {
    Ok(match kind {
        None | Some(Kind::NullValue(_)) => MetadataValue::Null,
        Some(Kind::BoolValue(is)) => MetadataValue::Bool(is),
        Some(Kind::NumberValue(number)) if number.is_finite() => MetadataValue::Number(number),
        Some(Kind::NumberValue(number)) => {
            let problem = Problem::Malformed { value: number.to_string(), expected: "a finite JSON number" };
            return Err(InvalidRequest::new(FIELD, problem));
        }
        Some(Kind::StringValue(text)) => {
            remaining.take(text.len())?;
            MetadataValue::Text(text)
        }
        Some(Kind::ListValue(ListValue { values })) => {
            let deeper = depth.checked_sub(1).ok_or_else(|| too_large(METADATA_DEPTH + 1, METADATA_DEPTH))?;
            let value = |value| {
                remaining.take(0)?;
                value_from_proto(value, deeper, remaining)
            };
            MetadataValue::List(values.into_iter().map(value).collect::<Result<_, _>>()?)
        }
        Some(Kind::StructValue(values)) => MetadataValue::Map(map(values, depth, remaining)?),
    })
}

impl Remaining {
    /// Counts one value of `bytes` bytes.
    fn take(&mut self, bytes: usize) -> Result<(), InvalidRequest> {
        let left = self.bytes.checked_sub(bytes);
        self.bytes = left.ok_or_else(|| too_large(METADATA_BYTES + bytes - self.bytes, METADATA_BYTES))?;
        self.values = self.values.checked_sub(1).ok_or_else(|| too_large(METADATA_VALUES + 1, METADATA_VALUES))?;
        Ok(())
    }
}

fn too_large(value: usize, limit: usize) -> InvalidRequest {
    let (value, limit) = (value as u64, limit as u64);
    InvalidRequest::new(FIELD, Problem::TooLarge { value, limit, setting: None })
}

fn value_to_proto(value: MetadataValue) -> Value {
    let kind = match value {
        MetadataValue::Null => Kind::NullValue(0),
        MetadataValue::Bool(is) => Kind::BoolValue(is),
        MetadataValue::Number(number) => Kind::NumberValue(number),
        MetadataValue::Text(text) => Kind::StringValue(text),
        MetadataValue::List(values) => {
            Kind::ListValue(ListValue { values: values.into_iter().map(value_to_proto).collect() })
        }
        MetadataValue::Map(values) => Kind::StructValue(metadata_to_proto(values)),
    };
    Value { kind: Some(kind) }
}

#[cfg(test)]
mod tests;
