//! The RPCs about sessions and their events.

use std::sync::Arc;

use recall_api::convert::{session, time};
use recall_api::v1::{
    self, BriefingRequest, BriefingResponse, ChangesRequest, ChangesResponse, EndSessionRequest, EndSessionResponse,
    KeepSessionRequest, KeepSessionResponse, ListDraftsRequest, ListDraftsResponse, ListEventsRequest,
    ListEventsResponse, ListSessionsRequest, ListSessionsResponse, LogEventRequest, LogEventResponse,
    StartSessionRequest, StartSessionResponse,
};
use recall_core::{AskBriefing, BriefingSubject, Provenance};
use recall_engine::{
    Briefing, BriefingSection, ChangedMemory, ChangesSince, Draft, EndedSession, EventListing, Keeping, KeptSession,
    LoggedEvent, SessionListing, StartedSession,
};
use tonic::Status;

use super::{Service, context, memory, warning};

pub(super) async fn start(service: &Service, request: StartSessionRequest) -> Result<StartSessionResponse, Status> {
    let (from, (asked, wants_briefing)) = session::start(request)?;
    let origin = Arc::new(context::origin(Some(from))?);
    let (here, goal) = (Arc::clone(&origin), asked.goal.clone());
    let provenance = asked.provenance.clone();
    let StartedSession { id, started, recoverable } =
        service.call(move |daemon| daemon.engine.start_session(&here, &asked)).await?;
    let briefing = if wants_briefing {
        let provenance = Provenance { session: Some(id.clone()), ..provenance };
        let asked = AskBriefing {
            budget_tokens: session::default_briefing_tokens(),
            goal,
            subject: BriefingSubject::Project,
            provenance,
        };
        let briefing = service.call(move |daemon| daemon.engine.briefing(&origin, &asked)).await?;
        Some(briefing_to_proto(service, &id, briefing))
    } else {
        None
    };
    Ok(StartSessionResponse {
        session_id: id,
        started_at: Some(time::to_proto(started)),
        recoverable_session_id: recoverable.unwrap_or_default(),
        briefing,
    })
}

/// `EndSession`: ends a session and stores its summary and memories.
pub(super) async fn end(service: &Service, request: EndSessionRequest) -> Result<EndSessionResponse, Status> {
    let (from, asked) = session::end(request)?;
    let origin = context::origin(Some(from))?;
    let EndedSession { id, summary_path, keeping, memories, notes } =
        service.call(move |daemon| daemon.engine.end_session(&origin, &asked)).await?;
    Ok(EndSessionResponse {
        session_id: id,
        summary_shared: summary_path.is_some() && keeping == Keeping::Shared,
        summary_path: summary_path.map(|path| path.to_string()).unwrap_or_default(),
        memories: memories.into_iter().map(memory::add_answer).collect(),
        warnings: memory::warnings(notes),
    })
}

/// `KeepSession`: brings the summary of a session into the project.
pub(super) async fn keep(service: &Service, request: KeepSessionRequest) -> Result<KeepSessionResponse, Status> {
    let (from, id) = session::keep(request)?;
    let origin = context::origin(Some(from))?;
    let KeptSession { id, summary_path, notes } =
        service.call(move |daemon| daemon.engine.keep_session(&origin, &id)).await?;
    let (summary_path, warnings) = (summary_path.to_string(), memory::warnings(notes));
    Ok(KeepSessionResponse { session_id: id, summary_path, warnings })
}

/// `ListSessions`: lists the sessions of a project.
pub(super) async fn list(service: &Service, request: ListSessionsRequest) -> Result<ListSessionsResponse, Status> {
    let (from, asked) = session::list(request, &service.daemon.settings.limits)?;
    let origin = context::origin(Some(from))?;
    let SessionListing { sessions, next_offset } =
        service.call(move |daemon| daemon.engine.list_sessions(&origin, &asked)).await?;
    Ok(ListSessionsResponse {
        sessions: sessions.iter().map(session::to_proto).collect(),
        next_cursor: next_offset.map(|offset| offset.to_string()).unwrap_or_default(),
    })
}

/// `Briefing`: summarizes the project for a new session.
pub(super) async fn briefing(service: &Service, request: BriefingRequest) -> Result<BriefingResponse, Status> {
    let (from, asked) = session::briefing(request)?;
    let origin = service.origin(Some(from)).await?;
    let session = asked.provenance.session.clone().unwrap_or_default();
    let briefing = service.call(move |daemon| daemon.engine.briefing(&origin, &asked)).await?;
    Ok(briefing_to_proto(service, &session, briefing))
}

/// `Changes`: returns what changed in the memories of a project since a time.
pub(super) async fn changes(service: &Service, request: ChangesRequest) -> Result<ChangesResponse, Status> {
    let (from, (since, budget)) = session::changes(request)?;
    let session = from.session_id.clone();
    let origin = service.origin(Some(from)).await?;
    let own = Some(session.clone()).filter(|id| !id.is_empty());
    let changes = service.call(move |daemon| daemon.engine.changes(&origin, &since, budget, own.as_deref())).await?;
    let ChangesSince { since, text, used_tokens, decided, ended, contradicting, left_out, warnings } = changes;
    let pair = |(newer, older)| v1::ContradictingPair {
        newer: Some(changed_memory(newer)),
        older: Some(changed_memory(older)),
    };
    let mut response = ChangesResponse {
        text,
        used_tokens,
        since: Some(time::point_to_proto(&since)),
        decided: decided.into_iter().map(changed_memory).collect(),
        ended: ended.into_iter().map(changed_memory).collect(),
        contradicting: contradicting.into_iter().map(pair).collect(),
        left_out,
        warnings: warning::to_proto(warnings),
    };
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

fn changed_memory(memory: ChangedMemory) -> v1::ChangedMemory {
    let ChangedMemory { id, title, how, at } = memory;
    v1::ChangedMemory { id: id.to_string(), title, how, at: Some(time::to_proto(at)) }
}

/// Converts a briefing for a session.
fn briefing_to_proto(service: &Service, session: &str, briefing: Briefing) -> BriefingResponse {
    let Briefing { text, used_tokens, sections, warnings } = briefing;
    let mut warnings = warning::to_proto(warnings);
    service.daemon.complete(session, &mut warnings);
    BriefingResponse { text, used_tokens, sections: sections.into_iter().map(section_to_proto).collect(), warnings }
}

fn section_to_proto(section: BriefingSection) -> v1::BriefingSection {
    let BriefingSection { kind, title, text, citations } = section;
    v1::BriefingSection { kind: kind.as_str().to_owned(), title: title.to_owned(), text, citations }
}

/// `LogEvent`: records an event of a session.
pub(super) async fn log_event(service: &Service, request: LogEventRequest) -> Result<LogEventResponse, Status> {
    let (from, asked) = session::log(request)?;
    let origin = context::origin(Some(from))?;
    let LoggedEvent { id, timestamp, notes } =
        service.call(move |daemon| daemon.engine.log_event(&origin, &asked)).await?;
    Ok(LogEventResponse {
        logged: true,
        event_id: id.to_string(),
        timestamp: Some(time::to_proto(timestamp)),
        warnings: memory::warnings(notes),
    })
}

pub(super) async fn list_events(service: &Service, request: ListEventsRequest) -> Result<ListEventsResponse, Status> {
    let (from, asked) = session::events(request, &service.daemon.settings.limits)?;
    let origin = context::origin(Some(from))?;
    let EventListing { events, next_offset } =
        service.call(move |daemon| daemon.engine.list_events(&origin, &asked)).await?;
    Ok(ListEventsResponse {
        events: events.into_iter().map(session::event_to_proto).collect(),
        next_cursor: next_offset.map(|offset| offset.to_string()).unwrap_or_default(),
    })
}

/// `ListDrafts`: returns drafts of memories from what a session recorded.
pub(super) async fn list_drafts(service: &Service, request: ListDraftsRequest) -> Result<ListDraftsResponse, Status> {
    let (from, id) = session::drafts(request)?;
    let origin = context::origin(Some(from))?;
    let drafts = service.call(move |daemon| daemon.engine.draft_memories(&origin, &id)).await?;
    Ok(ListDraftsResponse { drafts: drafts.into_iter().map(draft_to_proto).collect() })
}

fn draft_to_proto(draft: Draft) -> v1::Draft {
    let Draft { memory_type, title, content, related_files, events } = draft;
    v1::Draft {
        r#type: memory_type.as_str().to_owned(),
        title,
        content,
        related_files: related_files.iter().map(ToString::to_string).collect(),
        event_ids: events.iter().map(ToString::to_string).collect(),
    }
}
