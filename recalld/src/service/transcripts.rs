//! The RPCs about what was said in sessions.

use recall_api::convert::{time, transcripts};
use recall_api::v1::{
    self, FindFixRequest, FindFixResponse, HandOffRequest, HandOffResponse, SearchTranscriptsRequest,
    SearchTranscriptsResponse,
};
use recall_engine::{
    CommandOutcome, ErrorFix, ErrorFixes, FixStep, HandOff, HandOffRequest as Asked, SaidTurn, SaidTurns,
    TranscriptCoverage,
};
use tonic::Status;

use super::{Service, context};

/// `SearchTranscripts`: searches what was said.
pub(super) async fn search(
    service: &Service,
    request: SearchTranscriptsRequest,
) -> Result<SearchTranscriptsResponse, Status> {
    let SearchTranscriptsRequest { context, query, limit } = request;
    let limit = transcripts::search(&query, limit, &service.daemon.settings.limits)?;
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
    let limit = transcripts::fix(&error, limit, &service.daemon.settings.limits)?;
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
    let asked = Asked { session: session_id, budget_tokens: transcripts::packet_tokens(budget_tokens)? };
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
