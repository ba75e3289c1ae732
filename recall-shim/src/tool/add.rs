//! `recall_add`; `store`, which adds a memory in the plain form `{type, source, content}`; and `recall_promote`.

use crate::answer::{Answer, Format};
use crate::daemon::Daemon;
use crate::error::{Code, Doing, ToolError};
use crate::render::{TITLE_CHARS, inline, notes};
use crate::tool::call::Call;
use crate::{json, render};
use prost_types::Timestamp;
use recall_api::v1::{AddRequest, AddResponse, PromoteRequest, PromoteResponse, Scope};
use recall_core::{MemoryType, title_of};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    r#type: String,
    title: String,
    content: String,
    #[serde(default)]
    scope: StoreArgument,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    related_files: Vec<String>,
    #[serde(default)]
    cues: Vec<String>,
    supersedes: Option<String>,
    #[serde(default)]
    force: bool,
    #[serde(default)]
    format: Format,
}

/// The one store that a call writes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StoreArgument {
    #[default]
    Project,
    Global,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { r#type, title, content, scope, tags, related_files, cues, supersedes, force, format } = arguments;
    let scope = match scope {
        StoreArgument::Project => Scope::Project,
        StoreArgument::Global => Scope::Global,
    };
    let request = AddRequest {
        context: Some(call.context.clone()),
        r#type,
        title,
        content,
        scope: scope.into(),
        tags,
        related_files,
        cues,
        supersedes: supersedes.unwrap_or_default(),
        force,
        ..AddRequest::default()
    };
    let response = add(call.daemon, request).await?;
    Ok(match format {
        Format::Text => Answer::Text(render::render_add(&response)),
        Format::Json => Answer::Json(json::plain(&response)),
    })
}

/// Stores a memory.
///
/// The key makes the call safe to repeat: if the daemon is replaced during the call, the next one finds what was written.
pub(super) async fn add(daemon: &Daemon, request: AddRequest) -> Result<AddResponse, ToolError> {
    let request = AddRequest { idempotency_key: recall_client::unique_key(), ..request };
    let add = daemon.call(Doing::Remembering, |client| {
        let request = request.clone();
        async move { client.add(request).await }
    });
    add.await
}

#[derive(Debug, Deserialize)]
pub(super) struct PromoteArguments {
    id: String,
    #[serde(default)]
    format: Format,
}

pub(super) async fn promote(arguments: PromoteArguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let PromoteArguments { id, format } = arguments;
    let request =
        PromoteRequest { context: Some(call.context.clone()), id, to: Scope::Global.into(), domain: String::new() };
    let promote = call.daemon.call(Doing::Remembering, |client| {
        let request = request.clone();
        async move { client.promote(request).await }
    });
    let response = promote.await?;
    Ok(match format {
        Format::Text => Answer::Text(promoted_text(&response)),
        Format::Json => Answer::Json(json::plain(&response)),
    })
}

/// Formats the new store of a promoted memory.
fn promoted_text(response: &PromoteResponse) -> String {
    format!("Promoted: {} is in the global store now, for every project.", inline(&response.id, 20))
}

#[derive(Debug, Deserialize)]
pub(super) struct PlainArguments {
    content: Option<String>,
    timestamp: Option<String>,
    /// The other arguments, as clients send them that wrap a call into `{command, payload}`.
    payload: Option<Box<PlainArguments>>,
    r#type: Option<String>,
    title: Option<String>,
    source: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    format: Format,
}

pub(super) async fn store(arguments: PlainArguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let format = arguments.format;
    let request = AddRequest { context: Some(call.context.clone()), ..request(arguments)? };
    let response = add(call.daemon, request).await?;
    Ok(match format {
        Format::Text => Answer::Text(stored_text(&response)),
        Format::Json => Answer::Json(json::plain(&response)),
    })
}

/// Converts the plain form to an addition, as a journal does: an unknown type becomes a note with that tag. The memory is
/// stored even if it repeats another, because clients that use this form do not handle a refusal.
fn request(arguments: PlainArguments) -> Result<AddRequest, ToolError> {
    let PlainArguments { content, timestamp, payload, r#type, title, source, mut tags, format: _ } = arguments;
    if let Some(payload) = payload {
        return request(*payload);
    }
    let content = content.ok_or_else(|| ToolError::new(Code::InvalidArgument, "`content` is missing"))?;
    let created_at = timestamp.as_deref().map(moment).transpose()?;
    let named = r#type.unwrap_or_default().trim().to_lowercase();
    let known = named.parse::<MemoryType>();
    if known.is_err() && !named.is_empty() {
        tags.push(named);
    }
    let title = title.filter(|title| !title.trim().is_empty()).unwrap_or_else(|| title_of(&content));
    if title.is_empty() {
        return Err(ToolError::new(Code::InvalidArgument, "`content` is empty"));
    }
    Ok(AddRequest {
        r#type: known.unwrap_or(MemoryType::Note).as_str().to_owned(),
        title,
        content,
        scope: Scope::Project.into(),
        tags,
        force: true,
        source: source.unwrap_or_default(),
        created_at,
        ..AddRequest::default()
    })
}

/// Reads a time.
fn moment(text: &str) -> Result<Timestamp, ToolError> {
    text.trim().parse().map_err(|_| {
        let message = format!("`timestamp` is not a time such as 2025-11-08T10:30:00Z: `{}`", inline(text, 60));
        ToolError::new(Code::InvalidArgument, message)
    })
}

/// Formats the acceptance of a text, with the word `Accepted` that plain clients look for.
fn stored_text(response: &AddResponse) -> String {
    let AddResponse { id, title, status: _, cues: _, similar: _, warnings } = response;
    format!(
        "{}Accepted: {} · {}.",
        notes(warnings, None),
        inline(id, 20),
        inline(title, TITLE_CHARS).trim_end_matches('.')
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(arguments: Value, expected: (&str, &str, &[&str])) {
        let request = request(serde_json::from_value(arguments).expect("well-formed")).expect("it says something");
        let tags: Vec<&str> = request.tags.iter().map(String::as_str).collect();
        assert_eq!((request.r#type.as_str(), request.title.as_str(), tags.as_slice()), expected);
        assert!(request.force);
    }

    #[test]
    fn a_plain_line_is_a_memory_of_the_type_that_it_names() {
        check(json!({"content": "# Jitter\n\nRetries need it.", "type": "Lesson"}), ("lesson", "Jitter", &[]));
        check(json!({"content": "x"}), ("note", "x", &[]));
        check(json!({"content": "x", "type": "todo", "tags": ["a"], "title": "T"}), ("note", "T", &["a", "todo"]));
    }

    #[test]
    fn a_wrapped_call_is_the_call_that_it_wraps() {
        let payload = json!({"type": "chat_message", "source": "user_a", "content": "The API is slow.", "timestamp": "2025-11-08T10:30:00Z"});
        let arguments = json!({"command": "store", "payload": payload});
        let request = request(serde_json::from_value(arguments).expect("well-formed")).expect("it says something");
        assert_eq!((request.content.as_str(), request.source.as_str()), ("The API is slow.", "user_a"));
        assert_eq!(request.created_at, Some(Timestamp { seconds: 1_762_597_800, nanos: 0 }));
    }

    #[test]
    fn a_time_that_is_none_is_refused() {
        let arguments = serde_json::from_value(json!({"content": "x", "timestamp": "yesterday"})).expect("well-formed");
        assert_eq!(request(arguments).map_err(|error| error.code), Err(Code::InvalidArgument));
    }

    #[test]
    fn a_text_without_content_is_not_stored() {
        let arguments = serde_json::from_value(json!({"content": "##\n#"})).expect("well-formed");
        assert_eq!(request(arguments).map_err(|error| error.code), Err(Code::InvalidArgument));
    }
}
