//! The engine is synchronous and the daemon is not: where do its calls run?

use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::Semaphore;
use tonic::Status;

use crate::failure;

/// The most calls of the engine at once on threads of their own, index jobs included. More would wait for the same cores
/// and disks.
const ELSEWHERE: usize = 16;

/// The most threads for blocking work: beside the calls, one that takes over from a thread whose own request is answered in
/// place, and one that closes the engine.
pub(crate) const THREADS: usize = ELSEWHERE + 2;

static PLACES_ELSEWHERE: Semaphore = Semaphore::const_new(ELSEWHERE);

/// One at a time: the thread that takes over is always there, so that connections are served meanwhile.
static PLACE_HERE: Semaphore = Semaphore::const_new(1);

/// Runs a call of the engine on a thread for blocking work.
///
/// # Errors
/// The call panicked.
pub(crate) async fn run<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> Result<T, Status> {
    let place = PLACES_ELSEWHERE.acquire().await.expect("the semaphore is never closed");
    let call = move || {
        // Also when nobody waits for the outcome any more, the thread is taken until the call returns.
        let _place = place;
        call()
    };
    // The task is never aborted, so that a failed join is a panic.
    tokio::task::spawn_blocking(call).await.map_err(|_| failure::panicked())
}

/// Runs a call that is short as a rule on the thread that asks for it, unless another one is being run so: to wake a thread
/// and to be woken by it takes a tenth of the time of a search. Whatever else the task does waits for it.
///
/// # Errors
/// The call panicked.
pub(crate) async fn run_short<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> Result<T, Status> {
    let Ok(_place) = PLACE_HERE.try_acquire() else { return run(call).await };
    tokio::task::block_in_place(|| catch_unwind(AssertUnwindSafe(call))).map_err(|_| failure::panicked())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_panic_is_an_error_and_nothing_more() {
        for _ in 0..2 {
            let refused = run(|| -> () { panic!("provoked") }).await.expect_err("it panicked");
            assert_eq!(refused.code(), tonic::Code::Internal);
            assert_eq!(run(|| 1 + 1).await.expect("no panic"), 2);
            let refused = run_short(|| -> () { panic!("provoked") }).await.expect_err("it panicked");
            assert_eq!(refused.code(), tonic::Code::Internal);
            assert_eq!(run_short(|| 1 + 1).await.expect("no panic"), 2);
        }
    }

    #[test]
    fn whatever_is_being_run_connections_are_served() {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).max_blocking_threads(THREADS).enable_all().build().expect("threads");
        runtime.block_on(async {
            let (release, released) = std::sync::mpsc::channel::<()>();
            let released = Arc::new(Mutex::new(released));
            let begun = Arc::new(AtomicUsize::new(0));
            let wait = || {
                let (released, begun) = (Arc::clone(&released), Arc::clone(&begun));
                move || {
                    begun.fetch_add(1, Ordering::SeqCst);
                    // Ends when the sender is gone.
                    drop(released.lock().map(|released| released.recv()));
                }
            };
            let soon = || tokio::time::sleep(Duration::from_millis(1));
            let mut calls: Vec<_> = (0..ELSEWHERE).map(|_| tokio::spawn(run(wait()))).collect();
            while begun.load(Ordering::SeqCst) < ELSEWHERE {
                soon().await;
            }
            calls.extend((0..2).map(|_| tokio::spawn(run_short(wait()))));
            while begun.load(Ordering::SeqCst) < ELSEWHERE + 1 {
                soon().await;
            }
            tokio::spawn(soon()).await.expect("a thread is left");
            drop(release);
            for call in calls {
                call.await.expect("it ends").expect("no panic");
            }
        });
    }
}
