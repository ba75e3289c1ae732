//! `flight_recorder_log`

use std::fmt::Write as _;

use recall_api::v1::{LogEventRequest, LogEventResponse};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::key::key;
use crate::answer::{Answer, Format};
use crate::error::{Doing, ToolError};
use crate::json;
use crate::render::{inline, notes};
use crate::tool::call::Call;

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
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

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { r#type, content, rationale, resolution, from_agent, to_agent, related_files, metadata, format } =
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
        idempotency_key: key(),
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
