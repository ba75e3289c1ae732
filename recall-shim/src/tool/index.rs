//! `recall_index`

use recall_proto::v1::index_event::Event;
use recall_proto::v1::{IndexFinished, IndexPhase, IndexProgress, IndexRequest, IndexStarted, Scope, Warning};
use serde::Deserialize;
use tokio::sync::Mutex;
use tonic::Status;

use super::Call;
use crate::answer::{Answer, Format};
use crate::error::{Doing, ToolError};
use crate::progress::Progress;
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

/// What an indexing run told.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) started: IndexStarted,
    pub(crate) finished: IndexFinished,
    pub(crate) warnings: Vec<Warning>,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let format = arguments.format;
    let path = arguments.path;
    let request = IndexRequest {
        context: Some(call.context),
        paths: vec![path.clone()],
        tags: arguments.tags,
        type_hint: arguments.type_hint.unwrap_or_default(),
        recursive: arguments.recursive,
        scope: Scope::Project.into(),
        ..IndexRequest::default()
    };
    let progress = Mutex::new(call.progress);
    let (request, progress) = (&request, &progress);
    let run = call.daemon.call(Doing::Indexing, |client| async move {
        let mut events = client.index(request.clone()).await?;
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
    let run = run.await?;
    Ok(match format {
        Format::Text => Answer::Text(render::index(&path, &run)),
        Format::Json => Answer::Json(json::index(&run)),
    })
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

/// So that even a run that was over before it told anything ends with all its files done.
async fn tell_end(progress: &Mutex<Option<Progress>>, run: &IndexFinished) {
    let Some(progress) = &mut *progress.lock().await else { return };
    let files = run.added + run.changed + run.unchanged + run.failed;
    progress.tell(files, files, "done").await;
}
