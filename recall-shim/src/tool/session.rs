//! `recall_session`, and `flight_recorder_log`.

use std::fmt::Write as _;

use recall_api::v1::{
    BriefingRequest, EndSessionRequest, ListEventsRequest, ListSessionsRequest, LogEventRequest, LogEventResponse,
    RequestContext, StartSessionRequest,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::answer::{Answer, Format};
use crate::error::{Doing, ToolError};
use crate::render::{inline, notes};
use crate::tool::call::Call;
use crate::{json, render};

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    action: Action,
    session: Option<String>,
    goal: Option<String>,
    summary: Option<String>,
    reason: Option<String>,
    budget_tokens: Option<u32>,
    limit: Option<u32>,
    cursor: Option<String>,
    #[serde(default)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Action {
    Start,
    End,
    List,
    Show,
    Briefing,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let action = arguments.action;
    match action {
        Action::Start => start(arguments, &call).await,
        Action::End => end(arguments, &call).await,
        Action::List => list(arguments, &call).await,
        Action::Show => show(arguments, &call).await,
        Action::Briefing => briefing(arguments, &call).await,
    }
}

async fn start(arguments: Arguments, call: &Call<'_>) -> Result<Answer, ToolError> {
    let context = Some(call.context.clone());
    let request = StartSessionRequest { context, goal: arguments.goal.unwrap_or_default(), briefing: true };
    let start = call.daemon.call(Doing::Remembering, |client| {
        let request = request.clone();
        async move { client.start_session(request).await }
    });
    let response = start.await?;
    Ok(match arguments.format {
        Format::Text => Answer::Text(render::render_start(&response)),
        Format::Json => Answer::Json(json::plain(&response)),
    })
}

async fn end(arguments: Arguments, call: &Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { session, summary, reason, format, .. } = arguments;
    let request = EndSessionRequest {
        context: Some(session_context(session, call)),
        summary: summary.unwrap_or_default(),
        memories: Vec::new(),
        reason: reason.unwrap_or_default(),
    };
    let end = call.daemon.call(Doing::Remembering, |client| {
        let request = request.clone();
        async move { client.end_session(request).await }
    });
    let response = end.await?;
    Ok(match format {
        Format::Text => Answer::Text(render::render_end(&response)),
        Format::Json => Answer::Json(json::plain(&response)),
    })
}

async fn list(arguments: Arguments, call: &Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { limit, cursor, format, .. } = arguments;
    let request = ListSessionsRequest {
        context: Some(call.context.clone()),
        limit,
        cursor: cursor.unwrap_or_default(),
        ..ListSessionsRequest::default()
    };
    let list = call.daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.list_sessions(request).await }
    });
    let response = list.await?;
    Ok(match format {
        Format::Text => Answer::Text(render::sessions(&response)),
        Format::Json => Answer::Json(json::plain(&response)),
    })
}

async fn show(arguments: Arguments, call: &Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { session, limit, cursor, format, .. } = arguments;
    let context = session_context(session, call);
    let request = ListEventsRequest {
        session_id: context.session_id.clone(),
        context: Some(context),
        types: Vec::new(),
        limit,
        cursor: cursor.unwrap_or_default(),
    };
    let show = call.daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.list_events(request).await }
    });
    let response = show.await?;
    Ok(match format {
        Format::Text => Answer::Text(render::events(&request.session_id, &response)),
        Format::Json => Answer::Json(json::plain(&response)),
    })
}

async fn briefing(arguments: Arguments, call: &Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { goal, budget_tokens, format, .. } = arguments;
    let context = Some(call.context.clone());
    let goal = goal.unwrap_or_default();
    let request = BriefingRequest { context, budget_tokens, goal, ..BriefingRequest::default() };
    let briefing = call.daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.briefing(request).await }
    });
    let response = briefing.await?;
    Ok(match format {
        Format::Text => Answer::Text(render::briefing(&response)),
        Format::Json => Answer::Json(json::plain(&response)),
    })
}

/// Returns the context of a call, with the session that it names.
fn session_context(session: Option<String>, call: &Call<'_>) -> RequestContext {
    let context = call.context.clone();
    match session {
        Some(session_id) => RequestContext { session_id, ..context },
        None => context,
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct LogArguments {
    r#type: String,
    content: String,
    rationale: Option<String>,
    resolution: Option<String>,
    from_agent: Option<String>,
    to_agent: Option<String>,
    #[serde(default)]
    related_files: Vec<String>,
    metadata: Option<Map<String, Value>>,
    #[serde(default)]
    format: Format,
}

pub(super) async fn log(arguments: LogArguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let LogArguments { r#type, content, rationale, resolution, from_agent, to_agent, related_files, metadata, format } =
        arguments;
    let request = LogEventRequest {
        context: Some(call.context.clone()),
        r#type,
        content,
        rationale: rationale.unwrap_or_default(),
        resolution: resolution.unwrap_or_default(),
        from_agent: from_agent.unwrap_or_default(),
        to_agent: to_agent.unwrap_or_default(),
        related_files,
        metadata: metadata.map(recall_api::json::to_struct),
        // The key makes the call safe to repeat, as with a memory that is added.
        idempotency_key: recall_client::unique_key(),
        replacements: Vec::new(),
    };
    let log = call.daemon.call(Doing::Remembering, |client| {
        let request = request.clone();
        async move { client.log_event(request).await }
    });
    let response = log.await?;
    Ok(match format {
        Format::Text => Answer::Text(text(&response)),
        Format::Json => Answer::Json(json::plain(&response)),
    })
}

/// Formats the record of an event.
fn text(response: &LogEventResponse) -> String {
    let LogEventResponse { logged: _, event_id, timestamp, warnings } = response;
    let mut text = notes(warnings, None);
    let _ = write!(text, "Logged as {}", inline(event_id, 40));
    if let Some(at) = timestamp.as_ref().and_then(recall_api::json::rfc3339) {
        let _ = write!(text, " at {at}");
    }
    text.push('.');
    text
}
