//! `recall_add`

use recall_api::v1::{AddRequest, AddResponse, Scope};
use serde::Deserialize;

use super::key::key;
use crate::answer::{Answer, Format};
use crate::daemon::Daemon;
use crate::error::{Doing, ToolError};
use crate::tool::call::Call;
use crate::{json, render};

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
    let request = AddRequest { idempotency_key: key(), ..request };
    let add = daemon.call(Doing::Remembering, |client| {
        let request = request.clone();
        async move { client.add(request).await }
    });
    add.await
}
