//! The schema of sessions and briefings as seen by a client: no unknown fields, no wrong types.

use recall_api::v1;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

macro_rules! mirror {
    ($($Name:ident { $($field:ident: $Type:ty),* $(,)? })*) => {
        $(
            #[derive(Debug, Deserialize)]
            #[serde(deny_unknown_fields)]
            #[expect(dead_code, reason = "reading them is the test")]
            struct $Name { $($field: $Type,)* }
        )*
    };
}

mirror! {
    Written { ok: bool, schema_version: String, logged: bool, event_id: String, timestamp: Option<String>, warnings: Vec<Value> }
    Events { ok: bool, schema_version: String, results: Vec<Event>, next_cursor: Option<String> }
    Event {
        id: String, r#type: String, timestamp: Option<String>, content: String, rationale: Option<String>,
        resolution: Option<String>, from_agent: Option<String>, to_agent: Option<String>, related_files: Vec<String>,
        metadata: Option<Map<String, Value>>,
    }
    Sessions { ok: bool, schema_version: String, results: Vec<Session>, next_cursor: Option<String> }
    Session {
        id: String, state: String, started_at: Option<String>, ended_at: Option<String>, agent: Option<String>,
        provenance: Option<Map<String, Value>>, goal: Option<String>, title: Option<String>, tasks: Vec<Task>,
        summary: Option<String>, events: u64, memories: Vec<String>,
    }
    Task { text: String, status: String }
    Overview { ok: bool, schema_version: String, stores: Vec<Value>, sessions: Vec<Session>, next: Vec<Next>, warnings: Vec<Value> }
    Next { command: String, reason: String }
    Shown { ok: bool, schema_version: String, session: Session, events: Vec<Event> }
    Begun {
        ok: bool, schema_version: String, session_id: String, started_at: Option<String>,
        recoverable_session_id: Option<String>, briefing: Option<InStart>,
    }
    InStart { text: String, used_tokens: u32, sections: Vec<Section>, warnings: Vec<Value> }
    Ended {
        ok: bool, schema_version: String, session_id: String, summary_path: Option<String>, summary_shared: bool,
        memories: Vec<Added>, warnings: Vec<Value>,
    }
    Kept { ok: bool, schema_version: String, session_id: String, summary_path: String, warnings: Vec<Value> }
    Added { id: String, title: String, status: String, similar: Vec<Value>, warnings: Vec<Value> }
    Drafts { ok: bool, schema_version: String, results: Vec<Draft> }
    Draft {
        number: usize, r#type: String, title: String, content: String, related_files: Vec<String>,
        event_ids: Vec<String>,
    }
    Briefing {
        ok: bool, schema_version: String, text: String, used_tokens: u32, sections: Vec<Section>, warnings: Vec<Value>,
    }
    Section { kind: String, title: String, text: String, citations: Vec<String> }
}

#[track_caller]
fn read<T: DeserializeOwned>(written: &impl serde::Serialize) -> T {
    let text = serde_json::to_string(written).expect("serialisable");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn event() -> v1::SessionEvent {
    let metadata = Map::from_iter([("n".to_owned(), Value::from(3))]);
    v1::SessionEvent {
        r#type: "decision".to_owned(),
        metadata: Some(recall_api::json::to_struct(metadata)),
        ..v1::SessionEvent::default()
    }
}

fn session() -> v1::Session {
    v1::Session {
        id: "s1".to_owned(),
        state: v1::SessionState::Abandoned.into(),
        started_at: Some(prost_types::Timestamp { seconds: 1_700_000_000, nanos: 0 }),
        provenance: Some(v1::Provenance::default()),
        tasks: vec![v1::SessionTask::default()],
        ..v1::Session::default()
    }
}

fn briefing() -> v1::BriefingResponse {
    let section = v1::BriefingSection { kind: "history".to_owned(), ..v1::BriefingSection::default() };
    v1::BriefingResponse { used_tokens: 7, sections: vec![section], ..v1::BriefingResponse::default() }
}

#[test]
fn events_are_read_with_their_schema() {
    let logged: Written = read(&recall_api::json::log_event_answer(&v1::LogEventResponse {
        logged: true,
        ..v1::LogEventResponse::default()
    }));
    assert!(logged.logged && logged.timestamp.is_none());
    let page = v1::ListEventsResponse { events: vec![event()], next_cursor: "20".to_owned() };
    let events: Events = read(&recall_api::json::events(&page));
    assert_eq!(events.results[0].metadata.as_ref().and_then(|metadata| metadata.get("n")), Some(&Value::from(3)));
    assert_eq!((events.results[0].rationale.as_deref(), events.next_cursor.as_deref()), (None, Some("20")));
}

#[test]
fn sessions_are_read_with_their_schema() {
    let page = v1::ListSessionsResponse { sessions: vec![session()], ..v1::ListSessionsResponse::default() };
    let sessions: Sessions = read(&recall_api::json::sessions(&page));
    assert_eq!((sessions.results[0].state.as_str(), sessions.results[0].ended_at.as_deref()), ("abandoned", None));
    let shown: Shown = read(&recall_api::json::session(&session(), &[event()]));
    assert_eq!((shown.session.started_at.as_deref(), shown.events.len()), (Some("2023-11-14T22:13:20Z"), 1));
    let started = v1::StartSessionResponse { briefing: Some(briefing()), ..v1::StartSessionResponse::default() };
    let started: Begun = read(&recall_api::json::start_session_answer(&started));
    assert_eq!((started.recoverable_session_id, started.briefing.map(|told| told.used_tokens)), (None, Some(7)));
    let ended =
        v1::EndSessionResponse { memories: vec![v1::AddResponse::default()], ..v1::EndSessionResponse::default() };
    let ended: Ended = read(&recall_api::json::end_session_answer(&ended));
    assert_eq!((ended.summary_path, ended.memories[0].status.as_str()), (None, "added"));
    let kept = v1::KeepSessionResponse { session_id: "s1".to_owned(), ..v1::KeepSessionResponse::default() };
    assert_eq!(read::<Kept>(&recall_api::json::keep_session_answer(&kept)).session_id, "s1");
}

#[test]
fn a_briefing_is_read_with_its_schema() {
    let told: Briefing = read(&recall_api::json::briefing(&briefing()));
    assert_eq!((told.used_tokens, told.sections[0].kind.as_str()), (7, "history"));
}

#[test]
fn an_overview_is_read_with_its_schema() {
    let status = v1::StatusResponse { stores: vec![v1::StoreStatus::default()], ..v1::StatusResponse::default() };
    let told: Overview = read(&recall_api::json::overview(&status, &[session()], &[("recall search", "find code")]));
    assert_eq!((told.stores.len(), told.sessions[0].id.as_str()), (1, "s1"));
    assert_eq!(told.next[0].command, "recall search");
}

#[test]
fn drafts_are_numbered_and_read_with_their_schema() {
    let draft = |title: &str| v1::Draft { title: title.to_owned(), ..v1::Draft::default() };
    let page = v1::ListDraftsResponse { drafts: vec![draft("a"), draft("b")] };
    let drafts: Drafts = read(&recall_api::json::drafts(&page));
    assert_eq!((drafts.results[1].number, drafts.results[1].title.as_str()), (2, "b"));
}
