//! `init`: creates `.recall/` in the project, with the permissions of the shim's process, and indexes the project.

use std::path::Path;

use recall_api::v1::{IndexRequest, Scope};
use recall_config::{BroadRoot, check_project_root, initialise, project_root};
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
    let root = project_root(Path::new(&call.context.working_directory), call.home);
    check_project_root(&root, call.home, BroadRoot::Refuse).map_err(|error| ToolError::from(&error))?;
    let written = initialise(&root).map_err(|error| ToolError::from(&error))?;
    let request =
        IndexRequest { context: Some(call.context.clone()), scope: Scope::Project.into(), ..IndexRequest::default() };
    let run = index::run(call, Job::Index(request)).await?;
    Ok(match arguments.format {
        Format::Text => Answer::Text(render::render_init(&root, &written, &run)),
        Format::Json => Answer::Json(json::init_answer(&root, &written, &run)),
    })
}
