//! The stream of a transfer's events: progress and the end.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_api::v1;
use recall_api::v1::transfer_event::Event;
use recall_api::{Failure, Reason};
use recall_models::{Progress, Watch};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

use crate::failure::IntoFailure;
use crate::jobs::{EVENTS_WAITING, LAST_EVENT_PATIENCE};
use crate::models::{Models, ModelsError, Transfer};
use crate::service::{Pieces, Service};

/// The minimum time between two progress events of a file: a person does not perceive more than twenty per second.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// Starts a transfer and streams its events. The transfer is cancelled if its client disconnects.
pub(super) fn stream(
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
