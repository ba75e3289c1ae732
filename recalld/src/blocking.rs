//! The engine is synchronous and the daemon is not: where do its calls run?

use tonic::Status;

use crate::failure;

/// Runs a call of the engine on a thread for blocking work.
///
/// # Errors
/// The call panicked.
pub(crate) async fn run<T: Send + 'static>(call: impl FnOnce() -> T + Send + 'static) -> Result<T, Status> {
    // The task is never aborted, so that a failed join is a panic.
    tokio::task::spawn_blocking(call).await.map_err(|_| failure::panicked())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_error_and_nothing_more() {
        let refused = run(|| -> () { panic!("provoked") }).await.expect_err("it panicked");
        assert_eq!(refused.code(), tonic::Code::Internal);
        assert_eq!(run(|| 1 + 1).await.expect("no panic"), 2);
    }
}
