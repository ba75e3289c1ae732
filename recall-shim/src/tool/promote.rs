//! `recall_promote`

use recall_proto::v1::{PromoteRequest, Scope};
use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::error::{Doing, ToolError};
use crate::tool::call::Call;
use crate::{json, render};

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    id: String,
    #[serde(default)]
    format: Format,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { id, format } = arguments;
    let request =
        PromoteRequest { context: Some(call.context.clone()), id, to: Scope::Global.into(), domain: String::new() };
    let promote = call.daemon.call(Doing::Remembering, |client| {
        let request = request.clone();
        async move { client.promote(request).await }
    });
    let response = promote.await?;
    Ok(match format {
        Format::Text => Answer::Text(render::promoted(&response)),
        Format::Json => Answer::Json(json::plain(recall_json::promoted(&response))),
    })
}
