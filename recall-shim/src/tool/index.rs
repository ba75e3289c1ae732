//! `recall_index`; `init`, which creates `.recall/` in the project with the permissions of the shim's process and indexes the
//! project; and `rebuild`.

use std::path::Path;

use recall_api::v1::index_event::Event;
use recall_api::v1::{IndexFinished, IndexPhase, IndexProgress, IndexRequest, RebuildRequest, RebuildTarget, Scope};
use recall_config::{BroadRoot, check_project_root, initialise, project_root};
use serde::Deserialize;
use tokio::sync::Mutex;
use tonic::Status;

use crate::answer::{Answer, Format};
use crate::error::{Doing, ToolError};
use crate::render::index::Run;
use crate::tool::call::{Call, Progress};
use crate::{json, render};

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    path: String,
    recursive: Option<bool>,
    type_hint: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    format: Format,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let format = arguments.format;
    let path = arguments.path;
    let request = IndexRequest {
        context: Some(call.context.clone()),
        paths: vec![path.clone()],
        tags: arguments.tags,
        type_hint: arguments.type_hint.unwrap_or_default(),
        recursive: arguments.recursive,
        scope: Scope::Project.into(),
        ..IndexRequest::default()
    };
    let run = run(call, Job::Index(request)).await?;
    Ok(match format {
        Format::Text => Answer::Text(render::index(&path, &run)),
        Format::Json => Answer::Json(json::index(&run)),
    })
}

/// A job of the daemon.
#[derive(Clone, Debug)]
pub(super) enum Job {
    Index(IndexRequest),
    Rebuild(RebuildRequest),
}

/// Runs a job of the daemon to its end and reports its progress to the client.
///
/// # Errors
/// The daemon cannot be reached, or the run failed.
async fn run(call: Call<'_>, job: Job) -> Result<Run, ToolError> {
    let progress = Mutex::new(call.progress);
    let (job, progress) = (&job, &progress);
    let run = call.daemon.call(Doing::Indexing, |client| async move {
        let mut events = match job.clone() {
            Job::Index(request) => client.index(request).await?,
            Job::Rebuild(request) => client.rebuild(request).await?,
        };
        let mut run = Run::default();
        while let Some(event) = events.message().await? {
            match event.event {
                Some(Event::Started(started)) => run.started = started,
                Some(Event::Progress(state)) => tell(progress, &state).await,
                Some(Event::Warning(warning)) => run.warnings.push(warning),
                Some(Event::Finished(finished)) => {
                    tell_end(progress, &finished).await;
                    return Ok(Run { finished, ..run });
                }
                None => {}
            }
        }
        Err(Status::unavailable("the daemon ended before the indexing did"))
    });
    run.await
}

async fn tell(progress: &Mutex<Option<Progress>>, state: &IndexProgress) {
    let Some(progress) = &mut *progress.lock().await else { return };
    let &IndexProgress { files_done: done, files_total: total, .. } = state;
    let message = match state.phase() {
        IndexPhase::Discovering => format!("looking for files: {total} found"),
        IndexPhase::Publishing => "publishing".to_owned(),
        IndexPhase::Embedding => format!("embedding: {done} of {total} files"),
        IndexPhase::Indexing | IndexPhase::Unspecified => format!("indexing: {done} of {total} files"),
    };
    progress.tell(done, total, &message).await;
}

/// Reports all files as done, because a short run may end without any progress event.
async fn tell_end(progress: &Mutex<Option<Progress>>, run: &IndexFinished) {
    let Some(progress) = &mut *progress.lock().await else { return };
    let files = run.added + run.changed + run.unchanged + run.failed;
    progress.tell(files, files, "done").await;
}

#[derive(Debug, Deserialize)]
pub(super) struct InitArguments {
    #[serde(default)]
    format: Format,
}

pub(super) async fn init(arguments: InitArguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let root = project_root(Path::new(&call.context.working_directory), call.home);
    check_project_root(&root, call.home, BroadRoot::Refuse).map_err(|error| ToolError::from(&error))?;
    let written = initialise(&root).map_err(|error| ToolError::from(&error))?;
    let request =
        IndexRequest { context: Some(call.context.clone()), scope: Scope::Project.into(), ..IndexRequest::default() };
    let run = run(call, Job::Index(request)).await?;
    Ok(match arguments.format {
        Format::Text => Answer::Text(render::render_init(&root, &written, &run)),
        Format::Json => Answer::Json(json::init_answer(&root, &written, &run)),
    })
}

#[derive(Debug, Deserialize)]
pub(super) struct RebuildArguments {
    #[serde(default)]
    format: Format,
}

pub(super) async fn rebuild(arguments: RebuildArguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let request = RebuildRequest {
        context: Some(call.context.clone()),
        scope: Scope::Project.into(),
        target: RebuildTarget::All.into(),
    };
    let run = run(call, Job::Rebuild(request)).await?;
    Ok(match arguments.format {
        Format::Text => Answer::Text(render::rebuilt(&run)),
        Format::Json => Answer::Json(json::index(&run)),
    })
}
