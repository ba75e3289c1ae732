//! `recall_graph`

use recall_proto::v1::{GraphRequest, Scope};
use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::error::{Doing, ToolError};
use crate::tool::call::{Call, ScopeArgument};
use crate::{json, render};

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    node: String,
    #[serde(default)]
    relations: Vec<String>,
    depth: Option<u32>,
    limit: Option<u32>,
    #[serde(default)]
    scope: ScopeArgument,
    #[serde(default)]
    format: Format,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { node, relations, depth, limit, scope, format } = arguments;
    let scope = Scope::from(scope).into();
    let request = GraphRequest { context: Some(call.context.clone()), node, relations, depth, limit, scope };
    let graph = call.daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.graph(request).await }
    });
    let response = graph.await?;
    Ok(match format {
        Format::Text => Answer::Text(render::graph(&response)),
        Format::Json => Answer::Json(json::graph(&response)),
    })
}
