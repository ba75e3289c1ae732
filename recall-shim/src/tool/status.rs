//! `recall_status`

use recall_proto::v1::{Scope, StatusRequest};
use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::error::{Doing, ToolError};
use crate::json;
use crate::render::{self, Detail};
use crate::tool::call::Call;

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    #[serde(default)]
    verbose: bool,
    #[serde(default)]
    format: Format,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { verbose, format } = arguments;
    let request = StatusRequest {
        context: Some(call.context),
        scope: Scope::All.into(),
        every_store: false,
        failures: verbose,
        metrics: verbose,
    };
    let status = call.daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.status(request).await }
    });
    let response = status.await?;
    let detail = if verbose { Detail::Everything } else { Detail::Overview };
    Ok(match format {
        Format::Text => Answer::Text(render::status(&response, detail)),
        Format::Json => Answer::Json(json::status(&response)),
    })
}
