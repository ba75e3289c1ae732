//! The threads on which the asynchronous daemon runs the synchronous calls of the engine; how many long jobs run at once, and
//! their cancellation.
//!
//! A short call blocks the worker thread that read its request, and another one takes over the connections: `spawn_blocking` for
//! every search costs two more wake-ups. One call at a time does so, so that a thread is always left for the connections (ADR 24). A
//! thread for each connection would hold a heap for each client.

use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use recall_engine::Cancel;
use tokio::sync::{Semaphore, SemaphorePermit, mpsc};
use tokio_util::sync::CancellationToken;
use tonic::Status;

use crate::failure;

/// The maximum number of engine calls on blocking threads at once, index jobs included. More would compete for the same
/// cores and disks.
pub(crate) const ELSEWHERE: usize = 16;

/// The maximum number of blocking threads: those for calls, one that takes over from a worker thread that runs a call, and
/// one that closes the engine.
pub(crate) const THREADS: usize = ELSEWHERE + 2;

/// The maximum number of index jobs and exports that clients requested at once: half of the threads. The engine bounds how many of
/// them index more than a few files; the others need not wait for these.
pub(crate) const JOBS_AT_ONCE: NonZero<usize> = NonZero::new(ELSEWHERE / 2).expect("not zero");

static PLACES_ELSEWHERE: Semaphore = Semaphore::const_new(ELSEWHERE);

/// The permit to run a call on a worker thread.
static WORKER: Semaphore = Semaphore::const_new(1);

/// Runs a usually short call of the engine on the worker thread that received its request, while another thread serves the
/// connections. If such a call is running already, the call is run like any other: only one thread is kept free to take over.
///
/// # Errors
/// The call panicked.
pub(crate) async fn run_short<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> Result<T, Status> {
    let Ok(_permit) = WORKER.try_acquire() else { return run(call).await };
    tokio::task::block_in_place(|| catch_unwind(AssertUnwindSafe(call))).map_err(|_| failure::panic_status())
}

/// Runs a call of the engine on a thread for blocking work.
///
/// # Errors
/// The call panicked.
pub(crate) async fn run<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> Result<T, Status> {
    let place = PLACES_ELSEWHERE.acquire().await.expect("the semaphore is never closed");
    let call = move || {
        // The permit moves into the call: the thread is occupied until the call returns, even if its caller is gone.
        let _place = place;
        call()
    };
    // The task is never aborted, so a failed join is a panic.
    tokio::task::spawn_blocking(call).await.map_err(|_| failure::panic_status())
}

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
        let mut running = std::pin::pin!(run(move || job(&flag)));
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
    use std::sync::{Arc, Barrier, Mutex, PoisonError};
    use std::time::Duration;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_panic_is_an_error_and_later_calls_succeed() {
        for _ in 0..2 {
            for refused in
                [run(|| -> () { panic!("provoked") }).await, run_short(|| -> () { panic!("provoked") }).await]
            {
                assert_eq!(refused.expect_err("it panicked").code(), tonic::Code::Internal);
            }
            assert_eq!(run(|| 1 + 1).await.expect("no panic"), 2);
            assert_eq!(run_short(|| 1 + 1).await.expect("no panic"), 2);
        }
    }

    #[test]
    fn connections_are_served_while_short_calls_take_long() {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).max_blocking_threads(THREADS).enable_all().build().expect("threads");
        runtime.block_on(async {
            let (release, released) = std::sync::mpsc::channel::<()>();
            let released = Arc::new(Mutex::new(released));
            let begun = Arc::new(Barrier::new(4));
            let calls = [(); 3].map(|()| {
                let (released, begun) = (Arc::clone(&released), Arc::clone(&begun));
                tokio::spawn(run_short(move || {
                    begun.wait();
                    // Ends when the sender is dropped.
                    let _ = released.lock().unwrap_or_else(PoisonError::into_inner).recv();
                }))
            });
            tokio::task::spawn_blocking(move || begun.wait()).await.expect("all calls run");
            tokio::spawn(tokio::time::sleep(Duration::from_millis(1))).await.expect("a thread is left");
            drop(release);
            for call in calls {
                call.await.expect("it ends").expect("no panic");
            }
        });
    }

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
