//! `recall_verify`

use recall_proto::v1::{Scope, VerifyMode, VerifyRequest};
use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::error::{Doing, ToolError};
use crate::tool::call::Call;
use crate::{json, render};

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    #[serde(default)]
    ids: Vec<String>,
    #[serde(default)]
    confirm: bool,
    #[serde(default)]
    format: Format,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { ids, confirm, format } = arguments;
    let mode = if confirm { VerifyMode::Confirm } else { VerifyMode::Check };
    // Named memories may be in either store; without names, the project's memories are checked.
    let scope = if ids.is_empty() { Scope::Project } else { Scope::All };
    let request = VerifyRequest { context: Some(call.context.clone()), ids, scope: scope.into(), mode: mode.into() };
    let verify = call.daemon.call(Doing::Remembering, |client| {
        let request = request.clone();
        async move { client.verify(request).await }
    });
    let response = verify.await?;
    Ok(match format {
        Format::Text => Answer::Text(render::verified(&response)),
        Format::Json => Answer::Json(json::plain(recall_json::verified(&response))),
    })
}
