//! Sessions, their events, and briefings.

use crate::v1;
use prost_types::value::Kind;
use prost_types::{ListValue, Struct};
use recall_core::exact_integer;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::json::memory::Provenance;
use crate::json::remember::Added as AddedFields;
use crate::json::{Warning, answer, non_empty, timestamp_text, warnings};

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names of the schema are those of the protocol")]
pub(crate) struct Logged<'a> {
    logged: bool,
    event_id: &'a str,
    timestamp: Option<String>,
    warnings: Vec<Warning<'a>>,
}

/// The result of logging an event.
pub fn log_event_answer(message: &v1::LogEventResponse) -> impl Serialize {
    let v1::LogEventResponse { logged, event_id, timestamp, warnings: messages } = message;
    answer(Logged {
        logged: *logged,
        event_id,
        timestamp: timestamp_text(timestamp.as_ref()),
        warnings: warnings(messages),
    })
}

#[derive(Debug, Serialize)]
pub(crate) struct Events<'a> {
    results: Vec<Event<'a>>,
    next_cursor: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct Event<'a> {
    id: &'a str,
    r#type: &'a str,
    timestamp: Option<String>,
    content: &'a str,
    rationale: Option<&'a str>,
    resolution: Option<&'a str>,
    from_agent: Option<&'a str>,
    to_agent: Option<&'a str>,
    related_files: &'a [String],
    metadata: Option<Value>,
}

/// A page of a session's events.
pub fn events(message: &v1::ListEventsResponse) -> impl Serialize {
    let v1::ListEventsResponse { events, next_cursor } = message;
    answer(Events { results: events.iter().map(Event::from).collect(), next_cursor: non_empty(next_cursor) })
}

impl<'a> From<&'a v1::SessionEvent> for Event<'a> {
    fn from(message: &'a v1::SessionEvent) -> Self {
        let v1::SessionEvent {
            id,
            r#type,
            timestamp,
            content,
            rationale,
            resolution,
            from_agent,
            to_agent,
            related_files,
            metadata,
        } = message;
        Self {
            id,
            r#type,
            timestamp: timestamp_text(timestamp.as_ref()),
            content,
            rationale: non_empty(rationale),
            resolution: non_empty(resolution),
            from_agent: non_empty(from_agent),
            to_agent: non_empty(to_agent),
            related_files,
            metadata: metadata.as_ref().map(object),
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Sessions<'a> {
    results: Vec<Session<'a>>,
    next_cursor: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Session<'a> {
    id: &'a str,
    state: &'static str,
    started_at: Option<String>,
    ended_at: Option<String>,
    agent: Option<&'a str>,
    provenance: Option<Provenance<'a>>,
    goal: Option<&'a str>,
    title: Option<&'a str>,
    tasks: Vec<Task<'a>>,
    summary: Option<&'a str>,
    events: u64,
    memories: &'a [String],
}

#[derive(Debug, Serialize)]
struct Task<'a> {
    text: &'a str,
    status: &'a str,
}

/// A page of a project's sessions.
pub fn sessions(message: &v1::ListSessionsResponse) -> impl Serialize {
    let v1::ListSessionsResponse { sessions, next_cursor } = message;
    answer(Sessions { results: sessions.iter().map(Session::from).collect(), next_cursor: non_empty(next_cursor) })
}

impl<'a> From<&'a v1::Session> for Session<'a> {
    fn from(message: &'a v1::Session) -> Self {
        let v1::Session {
            id,
            state,
            started_at,
            ended_at,
            agent,
            provenance,
            goal,
            summary,
            events,
            memories,
            title,
            tasks,
        } = message;
        Self {
            id,
            state: state_name(*state),
            started_at: timestamp_text(started_at.as_ref()),
            ended_at: timestamp_text(ended_at.as_ref()),
            agent: non_empty(agent),
            provenance: provenance.as_ref().map(Provenance::from),
            goal: non_empty(goal),
            title: non_empty(title),
            tasks: tasks.iter().map(|v1::SessionTask { text, status }| Task { text, status }).collect(),
            summary: non_empty(summary),
            events: *events,
            memories,
        }
    }
}

/// Returns the name of a session's state.
fn state_name(state: i32) -> &'static str {
    match v1::SessionState::try_from(state) {
        Ok(v1::SessionState::Ended) => "ended",
        Ok(v1::SessionState::Abandoned) => "abandoned",
        Ok(v1::SessionState::Open | v1::SessionState::Unspecified) | Err(_) => "open",
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Shown<'a> {
    session: Session<'a>,
    events: Vec<Event<'a>>,
}

/// A session with its events, in the order in which they are given.
pub fn session<'a>(session: &'a v1::Session, events: &'a [v1::SessionEvent]) -> impl Serialize + use<'a> {
    answer(Shown { session: Session::from(session), events: events.iter().map(Event::from).collect() })
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "the names of the schema are those of the protocol")]
pub(crate) struct Started<'a> {
    session_id: &'a str,
    started_at: Option<String>,
    recoverable_session_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    briefing: Option<Briefing<'a>>,
}

/// The answer to the start of a session, with the briefing if one was asked for.
pub fn start_session_answer(message: &v1::StartSessionResponse) -> impl Serialize {
    let v1::StartSessionResponse { session_id, started_at, recoverable_session_id, briefing } = message;
    answer(Started {
        session_id,
        started_at: timestamp_text(started_at.as_ref()),
        recoverable_session_id: non_empty(recoverable_session_id),
        briefing: briefing.as_ref().map(Briefing::from),
    })
}

#[derive(Debug, Serialize)]
pub(crate) struct Ended<'a> {
    session_id: &'a str,
    summary_path: Option<&'a str>,
    summary_shared: bool,
    memories: Vec<AddedFields<'a>>,
    warnings: Vec<Warning<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Kept<'a> {
    session_id: &'a str,
    summary_path: &'a str,
    warnings: Vec<Warning<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Drafts<'a> {
    results: Vec<DraftEntry<'a>>,
}

#[derive(Debug, Serialize)]
struct DraftEntry<'a> {
    number: usize,
    r#type: &'a str,
    title: &'a str,
    content: &'a str,
    related_files: &'a [String],
    event_ids: &'a [String],
}

/// Drafts of memories, numbered from 1.
pub fn drafts(message: &v1::ListDraftsResponse) -> impl Serialize {
    let v1::ListDraftsResponse { drafts } = message;
    let results = drafts.iter().enumerate().map(|(at, draft)| DraftEntry {
        number: at + 1,
        r#type: &draft.r#type,
        title: &draft.title,
        content: &draft.content,
        related_files: &draft.related_files,
        event_ids: &draft.event_ids,
    });
    answer(Drafts { results: results.collect() })
}

/// The answer to the end of a session, with the memories that were added then.
pub fn end_session_answer(message: &v1::EndSessionResponse) -> impl Serialize {
    let v1::EndSessionResponse { session_id, summary_path, memories, warnings: messages, summary_shared } = message;
    let memories = memories.iter().map(AddedFields::from).collect();
    let (summary_path, summary_shared) = (non_empty(summary_path), *summary_shared);
    answer(Ended { session_id, summary_path, summary_shared, memories, warnings: warnings(messages) })
}

/// A session whose summary is in the project.
pub fn keep_session_answer(message: &v1::KeepSessionResponse) -> impl Serialize {
    let v1::KeepSessionResponse { session_id, summary_path, warnings: messages } = message;
    answer(Kept { session_id, summary_path, warnings: warnings(messages) })
}

#[derive(Debug, Serialize)]
pub(crate) struct Briefing<'a> {
    text: &'a str,
    used_tokens: u32,
    sections: Vec<Section<'a>>,
    warnings: Vec<Warning<'a>>,
}

#[derive(Debug, Serialize)]
struct Section<'a> {
    kind: &'a str,
    title: &'a str,
    text: &'a str,
    citations: &'a [String],
}

/// A briefing as one text, and the same by section.
pub fn briefing(message: &v1::BriefingResponse) -> impl Serialize {
    answer(Briefing::from(message))
}

impl<'a> From<&'a v1::BriefingResponse> for Briefing<'a> {
    fn from(message: &'a v1::BriefingResponse) -> Self {
        let v1::BriefingResponse { text, used_tokens, sections, warnings: messages } = message;
        let section = |section: &'a v1::BriefingSection| {
            let v1::BriefingSection { kind, title, text, citations } = section;
            Section { kind, title, text, citations }
        };
        let sections = sections.iter().map(section).collect();
        Self { text, used_tokens: *used_tokens, sections, warnings: warnings(messages) }
    }
}

/// Converts a JSON object to the protocol's type. Numbers become floating-point.
pub fn to_struct(object: Map<String, Value>) -> Struct {
    Struct { fields: object.into_iter().map(|(name, value)| (name, to_value(value))).collect() }
}

fn to_value(value: Value) -> prost_types::Value {
    let kind = match value {
        Value::Null => Kind::NullValue(0),
        Value::Bool(is) => Kind::BoolValue(is),
        Value::Number(number) => Kind::NumberValue(number.as_f64().unwrap_or_default()),
        Value::String(text) => Kind::StringValue(text),
        Value::Array(values) => Kind::ListValue(ListValue { values: values.into_iter().map(to_value).collect() }),
        Value::Object(values) => Kind::StructValue(to_struct(values)),
    };
    prost_types::Value { kind: Some(kind) }
}

fn object(values: &Struct) -> Value {
    Value::Object(values.fields.iter().map(|(name, value)| (name.clone(), json_value(value))).collect())
}

fn json_value(value: &prost_types::Value) -> Value {
    match &value.kind {
        None | Some(Kind::NullValue(_)) => Value::Null,
        Some(Kind::BoolValue(is)) => Value::Bool(*is),
        Some(Kind::NumberValue(number)) => json_number(*number),
        Some(Kind::StringValue(text)) => Value::String(text.clone()),
        Some(Kind::ListValue(ListValue { values })) => Value::Array(values.iter().map(json_value).collect()),
        Some(Kind::StructValue(values)) => object(values),
    }
}

/// Converts whole numbers back to integers: the protocol has only floating-point numbers.
fn json_number(number: f64) -> Value {
    exact_integer(number).map_or_else(|| Value::from(number), Value::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_survives_the_protocol() {
        let value = json!({"a": [null, true, 3, -0.25, "x"], "b": {"c": {}}});
        let Value::Object(map) = value.clone() else { unreachable!("it is an object") };
        assert_eq!(object(&to_struct(map)), value);
    }
}
