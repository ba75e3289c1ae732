//! Long jobs: how many run at once, and their cancellation.

use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;

use recall_engine::Cancel;
use tokio::sync::{Semaphore, SemaphorePermit, mpsc};
use tokio_util::sync::CancellationToken;
use tonic::Status;

/// How many events may wait for a client that reads slowly; further progress is dropped.
pub(crate) const EVENTS_WAITING: usize = 32;

/// How long the last event waits for a client that does not read.
pub(crate) const LAST_EVENT_PATIENCE: Duration = Duration::from_secs(30);

/// The long jobs of one kind that clients requested.
#[derive(Clone, Debug)]
pub(crate) struct Jobs {
    places: Arc<Semaphore>,
    stop: CancellationToken,
}

impl Jobs {
    /// Creates a pool that runs at most `at_once` jobs; they end when `stop` is cancelled.
    pub(crate) fn new(at_once: NonZero<usize>, stop: CancellationToken) -> Self {
        Self { places: Arc::new(Semaphore::new(at_once.get())), stop }
    }

    /// Runs a job on a thread of its own once there is a place for it.
    ///
    /// Cancels it when its client closes `events`, and when the daemon ends. Returns `None` if that happened before the
    /// job began.
    pub(crate) async fn run<E, T: Send + 'static>(
        &self,
        events: &mpsc::Sender<E>,
        job: impl FnOnce(&Cancel) -> T + Send + 'static,
    ) -> Option<Result<T, Status>> {
        let _place = self.place(events).await?;
        let cancel = Cancel::default();
        let flag = cancel.clone();
        let mut running = std::pin::pin!(crate::blocking::run(move || job(&flag)));
        tokio::select! {
            done = &mut running => return Some(done),
            () = events.closed() => {}
            () = self.stop.cancelled() => {}
        }
        cancel.cancel();
        Some(running.await)
    }

    async fn place<E>(&self, events: &mpsc::Sender<E>) -> Option<SemaphorePermit<'_>> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => None,
            () = events.closed() => None,
            place = self.places.acquire() => Some(place.expect("the semaphore is never closed")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: NonZero<usize> = NonZero::new(2).expect("2 is not zero");

    /// A job that runs until it is cancelled.
    fn endless(cancel: &Cancel) -> &'static str {
        while !cancel.is_cancelled() {
            std::thread::yield_now();
        }
        "stopped"
    }

    #[tokio::test]
    async fn a_job_stops_when_its_client_is_gone() {
        let jobs = Jobs::new(AT_ONCE, CancellationToken::new());
        let (events, listener) = mpsc::channel::<()>(1);
        let (outcome, ()) = tokio::join!(jobs.run(&events, endless), async { drop(listener) });
        assert_eq!(outcome.expect("it began").expect("no panic"), "stopped");
    }

    #[tokio::test]
    async fn a_job_stops_when_the_daemon_ends() {
        let stop = CancellationToken::new();
        let jobs = Jobs::new(AT_ONCE, stop.clone());
        let (events, _listener) = mpsc::channel::<()>(1);
        let (outcome, ()) = tokio::join!(jobs.run(&events, endless), async { stop.cancel() });
        assert_eq!(outcome.expect("it began").expect("no panic"), "stopped");
        assert!(jobs.run(&events, endless).await.is_none(), "no job begins any more");
    }

    #[tokio::test]
    async fn a_waiting_job_is_dropped_when_its_client_is_gone() {
        let jobs = Jobs::new(AT_ONCE, CancellationToken::new());
        let _taken = jobs.places.acquire_many(AT_ONCE.get() as u32).await.expect("open");
        let (events, listener) = mpsc::channel::<()>(1);
        drop(listener);
        assert!(jobs.run(&events, |_| ()).await.is_none());
    }

    #[tokio::test]
    async fn a_job_that_panics_is_an_error() {
        let jobs = Jobs::new(AT_ONCE, CancellationToken::new());
        let (events, _listener) = mpsc::channel::<()>(1);
        let outcome = jobs.run(&events, |_| -> () { panic!("provoked") }).await;
        assert_eq!(outcome.expect("it began").expect_err("it panicked").code(), tonic::Code::Internal);
    }
}
