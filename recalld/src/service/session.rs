//! The RPCs about sessions, their events, and what was said in them.

use std::sync::Arc;

use recall_api::convert::{limits, session, time};
use recall_api::v1::{
    self, BriefingRequest, BriefingResponse, ChangesRequest, ChangesResponse, EndSessionRequest, EndSessionResponse,
    FindFixRequest, FindFixResponse, HandOffRequest, HandOffResponse, KeepSessionRequest, KeepSessionResponse,
    ListDraftsRequest, ListDraftsResponse, ListEventsRequest, ListEventsResponse, ListSessionsRequest,
    ListSessionsResponse, LogEventRequest, LogEventResponse, SearchTranscriptsRequest, SearchTranscriptsResponse,
    StartSessionRequest, StartSessionResponse,
};
use recall_core::{AskBriefing, BriefingSubject, Provenance};
use recall_engine::{
    Briefing, BriefingSection, ChangedMemory, ChangesSince, CommandOutcome, Draft, EndedSession, ErrorFix, ErrorFixes,
    EventListing, FixStep, HandOff, HandOffRequest as Asked, Keeping, KeptSession, LoggedEvent, SaidTurn, SaidTurns,
    SessionListing, StartedSession, TranscriptCoverage,
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

/// `SearchTranscripts`: searches what was said.
pub(super) async fn search_transcripts(
    service: &Service,
    request: SearchTranscriptsRequest,
) -> Result<SearchTranscriptsResponse, Status> {
    let SearchTranscriptsRequest { context, query, limit } = request;
    let limit = limits::transcript_search(&query, limit, &service.daemon.settings.limits)?;
    let origin = context::origin(context)?;
    let SaidTurns { turns, found, coverage } =
        service.call(move |daemon| daemon.engine.search_transcripts(&origin, &query, limit)).await?;
    Ok(SearchTranscriptsResponse {
        turns: turns.into_iter().map(turn_to_proto).collect(),
        found,
        coverage: Some(coverage_to_proto(coverage)),
    })
}

/// `FindFix`: looks for earlier cases of an error.
pub(super) async fn find_fix(service: &Service, request: FindFixRequest) -> Result<FindFixResponse, Status> {
    let FindFixRequest { context, error, limit } = request;
    let limit = limits::fix(&error, limit, &service.daemon.settings.limits)?;
    let origin = context::origin(context)?;
    let ErrorFixes { fixes, found, sessions, coverage } =
        service.call(move |daemon| daemon.engine.find_fix(&origin, &error, limit)).await?;
    Ok(FindFixResponse {
        fixes: fixes.into_iter().map(fix_to_proto).collect(),
        found,
        sessions,
        coverage: Some(coverage_to_proto(coverage)),
    })
}

/// `HandOff`: packs what another agent needs to go on with a session.
pub(super) async fn hand_off(service: &Service, request: HandOffRequest) -> Result<HandOffResponse, Status> {
    let HandOffRequest { context, session_id, budget_tokens } = request;
    let asked = Asked { session: session_id, budget_tokens: limits::packet_tokens(budget_tokens)? };
    let origin = context::origin(context)?;
    let packet = service.call(move |daemon| daemon.engine.hand_off(&origin, &asked)).await?;
    let HandOff { session, client, resume, text, used_tokens, is_recorded, has_transcript, coverage } = packet;
    Ok(HandOffResponse {
        session_id: session,
        client: client.unwrap_or_default(),
        resume,
        text,
        used_tokens,
        recorded: is_recorded,
        transcript: has_transcript,
        coverage: Some(coverage_to_proto(coverage)),
    })
}

fn turn_to_proto(turn: SaidTurn) -> v1::TranscriptTurn {
    let SaidTurn { citation, client, session, number, time, prompt, excerpt, commands, edited, score } = turn;
    v1::TranscriptTurn {
        citation,
        client: client.as_str().to_owned(),
        session_id: session,
        turn: u32::try_from(number).unwrap_or(u32::MAX),
        time: time.map(time::to_proto),
        prompt,
        excerpt,
        commands: commands.into_iter().map(command_to_proto).collect(),
        edited_files: edited,
        score,
    }
}

fn command_to_proto(run: CommandOutcome) -> v1::TranscriptCommand {
    let CommandOutcome { command, has_failed } = run;
    v1::TranscriptCommand { command, failed: has_failed }
}

fn fix_to_proto(fix: ErrorFix) -> v1::ErrorFix {
    let ErrorFix { citation, client, session, time, command, error, is_resolved, steps, said, share } = fix;
    v1::ErrorFix {
        citation,
        client: client.unwrap_or_default(),
        session_id: session,
        time: time.map(time::to_proto),
        command,
        error,
        resolved: is_resolved,
        steps: steps.into_iter().map(step_to_proto).collect(),
        said,
        share,
    }
}

fn step_to_proto(step: FixStep) -> v1::FixStep {
    match step {
        FixStep::Edited(edited) => v1::FixStep { edited, ..v1::FixStep::default() },
        FixStep::Ran { command, has_failed } => v1::FixStep { command, failed: has_failed, ..v1::FixStep::default() },
    }
}

fn coverage_to_proto(coverage: TranscriptCoverage) -> v1::TranscriptCoverage {
    let TranscriptCoverage { is_on, read, elsewhere, older, too_large, unreadable } = coverage;
    let unreadable = unreadable.into_iter().map(|(path, reason)| v1::UnreadTranscript { path, reason });
    v1::TranscriptCoverage { on: is_on, read, elsewhere, older, too_large, unreadable: unreadable.collect() }
}
