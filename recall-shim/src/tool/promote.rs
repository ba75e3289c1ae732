//! `recall_promote`

use recall_api::v1::{PromoteRequest, PromoteResponse, Scope};
use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::error::{Doing, ToolError};
use crate::json;
use crate::render::inline;
use crate::tool::call::Call;

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
        Format::Text => Answer::Text(text(&response)),
        Format::Json => Answer::Json(json::plain(&response)),
    })
}

/// Formats the new store of a promoted memory.
fn text(response: &PromoteResponse) -> String {
    format!("Promoted: {} is in the global store now, for every project.", inline(&response.id, 20))
}
