//! The threads on which the asynchronous daemon runs the synchronous calls of the engine.

use tokio::sync::Semaphore;
use tonic::Status;

use crate::failure;

/// The maximum number of engine calls on blocking threads at once, index jobs included. More would compete for the same
/// cores and disks.
pub(crate) const ELSEWHERE: usize = 16;

/// The maximum number of blocking threads: those for calls, one that takes over from a thread that runs a call in place, and
/// one that closes the engine.
pub(crate) const THREADS: usize = ELSEWHERE + 2;

static PLACES_ELSEWHERE: Semaphore = Semaphore::const_new(ELSEWHERE);

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
    tokio::task::spawn_blocking(call).await.map_err(|_| failure::panicked())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_panic_is_an_error_and_later_calls_succeed() {
        for _ in 0..2 {
            let refused = run(|| -> () { panic!("provoked") }).await.expect_err("it panicked");
            assert_eq!(refused.code(), tonic::Code::Internal);
            assert_eq!(run(|| 1 + 1).await.expect("no panic"), 2);
        }
    }
}
