//! The engine is synchronous and the daemon is not: where do its calls run?

use tokio::sync::Semaphore;
use tonic::Status;

use crate::failure;

/// The most calls of the engine at once on threads of their own, index jobs included. More would wait for the same cores
/// and disks.
pub(crate) const ELSEWHERE: usize = 16;

/// The most threads for blocking work: beside the calls, one that takes over from a thread whose own request is answered in
/// place, and one that closes the engine.
pub(crate) const THREADS: usize = ELSEWHERE + 2;

static PLACES_ELSEWHERE: Semaphore = Semaphore::const_new(ELSEWHERE);

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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_panic_is_an_error_and_nothing_more() {
        for _ in 0..2 {
            let refused = run(|| -> () { panic!("provoked") }).await.expect_err("it panicked");
            assert_eq!(refused.code(), tonic::Code::Internal);
            assert_eq!(run(|| 1 + 1).await.expect("no panic"), 2);
        }
    }
}
