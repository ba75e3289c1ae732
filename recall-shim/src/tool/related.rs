//! `recall_related`

use recall_proto::v1::{RelatedRequest, Scope};
use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::error::{Doing, ToolError};
use crate::tool::call::{Call, ScopeArgument};
use crate::{json, render};

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    id: String,
    limit: Option<u32>,
    #[serde(default)]
    types: Vec<String>,
    #[serde(default)]
    scope: ScopeArgument,
    #[serde(default)]
    format: Format,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { id, limit, types, scope, format } = arguments;
    let scope = Scope::from(scope).into();
    let request = RelatedRequest { context: Some(call.context.clone()), id: id.clone(), scope, limit, types };
    let related = call.daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.related(request).await }
    });
    let response = related.await?;
    Ok(match format {
        Format::Text => Answer::Text(render::related(&response, &id)),
        Format::Json => Answer::Json(json::related(&response)),
    })
}
