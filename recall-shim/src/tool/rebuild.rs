//! `rebuild`

use recall_api::v1::{RebuildRequest, RebuildTarget, Scope};
use serde::Deserialize;

use super::index::{self, Job};
use crate::answer::{Answer, Format};
use crate::error::ToolError;
use crate::tool::call::Call;
use crate::{json, render};

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    #[serde(default)]
    format: Format,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let request = RebuildRequest {
        context: Some(call.context.clone()),
        scope: Scope::Project.into(),
        target: RebuildTarget::All.into(),
    };
    let run = index::run(call, Job::Rebuild(request)).await?;
    Ok(match arguments.format {
        Format::Text => Answer::Text(render::rebuilt(&run)),
        Format::Json => Answer::Json(json::index(&run)),
    })
}
