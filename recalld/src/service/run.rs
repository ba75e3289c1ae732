//! The stream of an indexing run's events: the start, progress and the end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_api::convert::scope;
use recall_api::v1;
use recall_api::v1::index_event::Event;
use recall_api::{Failure, Reason};
use recall_core::Scope;
use recall_engine::{
    Cancel, Engine, FailureEntryKind, Fault, IndexError, IndexReport, LeftOutFile, Origin, Progress, StatusError,
    StoreStatus,
};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::{Pieces, Service, ids, status};
use crate::blocking::{EVENTS_WAITING, LAST_EVENT_PATIENCE};
use crate::failure::IntoFailure;

/// The minimum time between two progress events: a person does not perceive more than twenty per second.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// The maximum number of failures in the last event.
const FAILURES_NAMED: usize = 100;

type Events = mpsc::Sender<Result<v1::IndexEvent, Status>>;

/// Starts a run of the engine and streams its events.
pub(super) fn stream(
    service: &Service,
    origin: Origin,
    scope: Scope,
    run: impl FnOnce(&Engine, &Origin, &mut dyn FnMut(Progress), &Cancel) -> Result<IndexReport, IndexError>
    + Send
    + 'static,
) -> Pieces<v1::IndexEvent> {
    let (events, received) = mpsc::channel(EVENTS_WAITING);
    let daemon = Arc::clone(&service.daemon);
    tokio::spawn(async move {
        let inside = events.clone();
        let working = Arc::clone(&daemon);
        let job = move |cancel: &Cancel| {
            let engine = &working.engine;
            let before = match state(engine, &origin, scope, 0) {
                // A rebuild repairs a damaged store; any other run fails with the error itself.
                Err(StatusError::Store(error)) if error.fault() == Fault::Damaged => None,
                state => state?,
            };
            send(&inside, Event::Started(start_event(before.as_ref())));
            let report = run(engine, &origin, &mut progress(inside), cancel)?;
            Ok(finish_event(&report, state(engine, &origin, scope, FAILURES_NAMED)?))
        };
        let last = match daemon.jobs.run(&events, job).await {
            Some(Ok(Ok(finished))) => Ok(event(Event::Finished(finished))),
            Some(Ok(Err(error))) => Err(run_error(error)),
            Some(Err(panicked)) => Err(panicked),
            None => Err(end_error()),
        };
        // Bounds the wait for a client that does not read.
        let _ = tokio::time::timeout(LAST_EVENT_PATIENCE, events.send(last)).await;
    });
    Box::pin(ReceiverStream::new(received))
}

enum RunError {
    Index(IndexError),
    Status(StatusError),
}

impl From<IndexError> for RunError {
    fn from(error: IndexError) -> Self {
        Self::Index(error)
    }
}

impl From<StatusError> for RunError {
    fn from(error: StatusError) -> Self {
        Self::Status(error)
    }
}

fn run_error(error: RunError) -> Status {
    match error {
        // Either the client is gone or the daemon is ending; a client that still reads can only get the latter.
        RunError::Index(IndexError::Store(error)) if error.fault() == Fault::Cancelled => end_error(),
        RunError::Index(error) => error.into_failure().into(),
        RunError::Status(error) => error.into_failure().into(),
    }
}

fn end_error() -> Status {
    Failure::new(Reason::Unavailable, "the daemon is shutting down; what is indexed so far is kept").into()
}

/// Returns the status of the one store that the run is about.
fn state(engine: &Engine, origin: &Origin, scope: Scope, failures: usize) -> Result<Option<StoreStatus>, StatusError> {
    let single = if scope == Scope::All { Scope::Project } else { scope };
    Ok(engine.status(origin, single, failures)?.stores.into_iter().next())
}

/// Returns a callback that sends progress events, at most one per [`PROGRESS_INTERVAL`].
fn progress(events: Events) -> impl FnMut(Progress) {
    let mut last: Option<Instant> = None;
    move |progress| {
        let now = Instant::now();
        if last.is_some_and(|last| now - last < PROGRESS_INTERVAL) {
            return;
        }
        last = Some(now);
        send(&events, Event::Progress(how_far(progress)));
    }
}

/// Sends an event, or drops it if the client does not keep up: a later one replaces it.
fn send(events: &Events, happened: Event) {
    let _ = events.try_send(Ok(event(happened)));
}

fn event(event: Event) -> v1::IndexEvent {
    v1::IndexEvent { event: Some(event) }
}

fn start_event(state: Option<&StoreStatus>) -> v1::IndexStarted {
    let Some(state) = state else { return v1::IndexStarted::default() };
    v1::IndexStarted {
        root: state.root.to_string_lossy().into_owned(),
        scope: scope::store_to_proto(state.scope).into(),
        store_id: ids::store_id(&state.root),
        generation: state.generation.0,
    }
}

fn how_far(progress: Progress) -> v1::IndexProgress {
    let phase = v1::IndexPhase::Indexing.into();
    match progress {
        Progress::Started { files } => {
            v1::IndexProgress { files_done: 0, files_total: files, bytes: 0, current: String::new(), phase }
        }
        Progress::Advanced { files_done, files, bytes, current } => {
            v1::IndexProgress { files_done, files_total: files, bytes, current, phase }
        }
    }
}

fn finish_event(report: &IndexReport, state: Option<StoreStatus>) -> v1::IndexFinished {
    let &IndexReport {
        added,
        changed,
        unchanged,
        removed,
        failed,
        skipped,
        in_parts,
        ref left_out,
        chunks: _,
        bytes,
        took,
    } = report;
    let left_out_file = |LeftOutFile { path, reason }: &LeftOutFile| v1::ItemFailure {
        item: path.clone(),
        code: "LEFT_OUT".to_owned(),
        reason: reason.clone(),
    };
    let finished = v1::IndexFinished {
        added,
        changed,
        unchanged,
        removed,
        failed,
        skipped,
        took_ms: took.as_secs_f64() * 1000.0,
        bytes,
        in_parts,
        left_out: left_out.iter().map(left_out_file).collect(),
        ..v1::IndexFinished::default()
    };
    let Some(mut state) = state else { return finished };
    state.failures.retain(|failure| failure.kind != FailureEntryKind::RuledOut);
    v1::IndexFinished {
        generation: state.generation.0,
        documents: state.documents,
        chunks: state.chunks,
        symbols: state.symbols,
        failures: status::failures(state.failures),
        ..finished
    }
}
