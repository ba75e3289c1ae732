//! Asynchronous work of a client library for callers that wait on a thread.

use std::io;
use std::time::Duration;

use crate::StoreError;

/// A thread that drives the connections of a store.
#[derive(Debug)]
pub(crate) struct Worker {
    /// `None` only while it is dropped.
    runtime: Option<tokio::runtime::Runtime>,
}

impl Worker {
    /// Starts the thread.
    pub(crate) fn start(name: &str) -> io::Result<Self> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).thread_name(name).enable_all().build()?;
        Ok(Self { runtime: Some(runtime) })
    }

    /// Runs a task and waits for it. A task that is late is dropped.
    ///
    /// The caller may be a thread of another runtime that is allowed to block.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        deadline: Duration,
        task: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let runtime = self.runtime.as_ref().expect("it runs until it is dropped");
        let (done, result) = std::sync::mpsc::sync_channel(1);
        runtime.spawn(async move {
            let late = || StoreError::Late { waited: deadline };
            let outcome = tokio::time::timeout(deadline, task).await.unwrap_or_else(|_| Err(late()));
            // The caller has waited for longer and is gone.
            let _ = done.send(outcome);
        });
        match result.recv_timeout(deadline.saturating_add(GRACE)) {
            Ok(outcome) => outcome,
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => Err(StoreError::Late { waited: deadline }),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => {
                Err(StoreError::Invalid { what: "it made the client fail".to_owned() })
            }
        }
    }
}

/// How long a caller waits for the task to notice its deadline.
const GRACE: Duration = Duration::from_millis(50);

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // The last owner may be a task of another runtime, which must not block.
            runtime.shutdown_background();
        }
    }
}
