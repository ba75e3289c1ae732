//! The RPCs about models, and the stream of a transfer's events: progress and the end.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_api::v1::transfer_event::Event;
use recall_api::v1::{
    self, AddModelRequest, AddModelResponse, InstallRuntimeRequest, ListModelsRequest, ListModelsResponse,
    PullModelRequest, RemoveModelRequest, RemoveModelResponse, TransferEvent, UseModelRequest, UseModelResponse,
};
use recall_api::{Failure, InvalidRequest, Problem, Reason};
use recall_core::Scope;
use recall_models::{Progress, Role, Watch};
use recall_text::error_chain;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::{Pieces, Service, context};
use crate::blocking::{EVENTS_WAITING, LAST_EVENT_PATIENCE};
use crate::daemon::Daemon;
use crate::failure::IntoFailure;
use crate::models::{Models, ModelsError, Transfer};

/// `ListModels`: lists the installed models and those that can be pulled.
pub(super) async fn list(service: &Service, request: ListModelsRequest) -> Result<ListModelsResponse, Status> {
    let ListModelsRequest { context: _, role } = request;
    let role = parse_role("role", &role)?;
    let models = service.call(move |daemon| daemon.models.list(role)).await?;
    Ok(ListModelsResponse { models })
}

/// `AddModel`: installs the model in a folder.
pub(super) async fn add(service: &Service, request: AddModelRequest) -> Result<AddModelResponse, Status> {
    let AddModelRequest { context: _, path, name } = request;
    let from = PathBuf::from(&path);
    if from.is_relative() {
        let problem = Problem::Malformed { value: path, expected: "an absolute path" };
        return Err(InvalidRequest::new("path", problem).into());
    }
    let model = service.call(move |daemon| daemon.models.add(&from, &name)).await?;
    Ok(AddModelResponse { model: Some(model) })
}

/// `PullModel`: downloads and installs a model from a hub.
pub(super) fn pull(service: &Service, request: PullModelRequest) -> Result<Pieces<TransferEvent>, Status> {
    let PullModelRequest { context: _, name, mirror } = request;
    if name.is_empty() {
        return Err(InvalidRequest::new("name", Problem::Empty).into());
    }
    Ok(stream(service, move |models, watch| models.pull(&name, &mirror, watch)))
}

/// `UseModel`: selects the model for a role.
pub(super) async fn use_model(service: &Service, request: UseModelRequest) -> Result<UseModelResponse, Status> {
    let UseModelRequest { context, role, name } = request;
    if name.is_empty() {
        return Err(InvalidRequest::new("name", Problem::Empty).into());
    }
    let role = parse_role("role", &role)?.ok_or(InvalidRequest::new("role", Problem::Empty))?;
    // Without a project there is nothing to embed.
    let origin = context::origin(context).ok();
    let use_it = move |daemon: &Daemon| -> Result<UseModelResponse, ModelsError> {
        let model = daemon.models.use_as(role, Some(&name))?;
        daemon.models.hand_to(&daemon.engine);
        // Opens the client's stores, so that they start embedding. An error of a store does not concern the model.
        if let Some(Err(error)) = origin.map(|origin| daemon.engine.status(&origin, Scope::All, 0)) {
            tracing::debug!(error = error_chain(&error), "nothing is embedded yet");
        }
        Ok(UseModelResponse { model, chunks_to_embed: daemon.engine.chunks_to_embed() })
    };
    service.call(use_it).await
}

/// `RemoveModel`: deletes an installed model.
pub(super) async fn remove(service: &Service, request: RemoveModelRequest) -> Result<RemoveModelResponse, Status> {
    let RemoveModelRequest { context: _, name } = request;
    if name.is_empty() {
        return Err(InvalidRequest::new("name", Problem::Empty).into());
    }
    let remove = move |daemon: &Daemon| -> Result<u64, ModelsError> {
        let bytes_freed = daemon.models.remove(&name)?;
        // Some store may have used it until another model covers the store.
        daemon.models.hand_to(&daemon.engine);
        Ok(bytes_freed)
    };
    let bytes_freed = service.call(remove).await?;
    Ok(RemoveModelResponse { bytes_freed })
}

/// `InstallRuntime`: installs the library that runs networks.
pub(super) fn install_runtime(
    service: &Service,
    request: InstallRuntimeRequest,
) -> Result<Pieces<TransferEvent>, Status> {
    let InstallRuntimeRequest { context: _, path, provider, retry } = request;
    let package_path = Some(path).filter(|path| !path.is_empty()).map(PathBuf::from);
    if let Some(path) = package_path.as_ref().filter(|path| path.is_relative()) {
        let problem = Problem::Malformed { value: path.display().to_string(), expected: "an absolute path" };
        return Err(InvalidRequest::new("path", problem).into());
    }
    let install = move |models: &Models, watch: &mut Watch<'_>| {
        if retry { models.retry_runtime() } else { models.install_runtime(package_path.as_deref(), &provider, watch) }
    };
    Ok(stream(service, install))
}

/// Reads a role; `None` if it is empty.
fn parse_role(field: &'static str, name: &str) -> Result<Option<Role>, InvalidRequest> {
    if name.is_empty() {
        return Ok(None);
    }
    let found = Role::ALL.into_iter().find(|role| role.as_str() == name);
    let unknown = || {
        InvalidRequest::new(
            field,
            Problem::Unknown { value: name.to_owned(), known: "embed, rerank, prerank, judge, describe, compare" },
        )
    };
    found.map(Some).ok_or_else(unknown)
}

/// The minimum time between two progress events of a file: a person does not perceive more than twenty per second.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// Starts a transfer and streams its events. The transfer is cancelled if its client disconnects.
fn stream(
    service: &Service,
    transfer: impl FnOnce(&Models, &mut Watch<'_>) -> Result<Transfer, ModelsError> + Send + 'static,
) -> Pieces<v1::TransferEvent> {
    let (events, received) = mpsc::channel(EVENTS_WAITING);
    let daemon = Arc::clone(&service.daemon);
    tokio::spawn(async move {
        let (inside, working) = (events.clone(), Arc::clone(&daemon));
        let began = Instant::now();
        let run = daemon.transfers.run(&events, move |cancel| {
            let mut sent = SentProgress::default();
            transfer(&working.models, &mut |progress| {
                if sent.is_due(progress) {
                    // A client that does not keep up misses this event; a later one replaces it.
                    let _ = inside.try_send(Ok(event(Event::Progress(how_far(progress)))));
                }
                if cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        });
        let last = match run.await {
            Some(Ok(Ok(transfer))) => Ok(event(Event::Finished(transfer_answer(transfer, began.elapsed())))),
            Some(Ok(Err(error))) => Err(error.into_failure().into()),
            Some(Err(panicked)) => Err(panicked),
            None => Err(Failure::new(Reason::Unavailable, "the daemon is shutting down; nothing was fetched").into()),
        };
        // Bounds the wait for a client that does not read.
        let _ = tokio::time::timeout(LAST_EVENT_PATIENCE, events.send(last)).await;
    });
    Box::pin(ReceiverStream::new(received))
}

/// The latest progress event that was sent.
#[derive(Default)]
struct SentProgress {
    file: String,
    at: Option<Instant>,
}

impl SentProgress {
    /// Returns whether an event is due: at the begin and the end of each file, and once per [`PROGRESS_INTERVAL`].
    fn is_due(&mut self, progress: Progress<'_>) -> bool {
        let is_new = self.file != progress.file;
        let is_whole = progress.total_bytes == Some(progress.done_bytes);
        let due = is_new || is_whole || self.at.is_none_or(|at| at.elapsed() >= PROGRESS_INTERVAL);
        if due {
            progress.file.clone_into(&mut self.file);
            self.at = Some(Instant::now());
        }
        due
    }
}

fn event(event: Event) -> v1::TransferEvent {
    v1::TransferEvent { event: Some(event) }
}

fn how_far(Progress { file, done_bytes, total_bytes }: Progress<'_>) -> v1::TransferProgress {
    v1::TransferProgress { file: file.to_owned(), bytes_done: done_bytes, bytes_total: total_bytes.unwrap_or(0) }
}

fn transfer_answer(Transfer { model, path }: Transfer, took: Duration) -> v1::TransferFinished {
    v1::TransferFinished { model, path: path.to_string_lossy().into_owned(), took_ms: took.as_secs_f64() * 1000.0 }
}
