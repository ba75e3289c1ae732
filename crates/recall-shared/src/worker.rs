//! Asynchronous work of a client library for callers that wait on a thread.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::StoreError;

/// A thread that drives the connections of a store.
#[derive(Debug)]
struct Worker {
    /// `None` only while it is dropped.
    runtime: Option<tokio::runtime::Runtime>,
}

impl Worker {
    fn start(name: &str) -> io::Result<Self> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).thread_name(name).enable_all().build()?;
        Ok(Self { runtime: Some(runtime) })
    }

    /// Runs a task and waits for it. A task that is late is dropped.
    ///
    /// The caller may be a thread of another runtime that is allowed to block.
    fn run<T: Send + 'static>(
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

/// The connections of a store: those of searches and those of publications, with their deadlines.
pub(crate) struct Connections<C> {
    readers: Arc<C>,
    deadline: Duration,
    writers: Arc<C>,
    publish_deadline: Duration,
    /// Dropped last, since the connections run on it.
    worker: Worker,
}

impl<C> Connections<C> {
    /// Starts the thread that drives the connections. `name` is that of the thread.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub(crate) fn start(
        name: &str,
        (readers, deadline): (C, Duration),
        (writers, publish_deadline): (C, Duration),
    ) -> Result<Self, StoreError> {
        let worker = Worker::start(name).map_err(StoreError::unreachable)?;
        Ok(Self { readers: Arc::new(readers), deadline, writers: Arc::new(writers), publish_deadline, worker })
    }

    /// Runs a task of a search, within the deadline of searches.
    pub(crate) fn read<T: Send + 'static, F>(&self, task: impl FnOnce(Arc<C>) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        self.worker.run(self.deadline, task(Arc::clone(&self.readers)))
    }

    /// Runs a task of a publication, within the deadline of publications.
    pub(crate) fn write<T: Send + 'static, F>(&self, task: impl FnOnce(Arc<C>) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        self.worker.run(self.publish_deadline, task(Arc::clone(&self.writers)))
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
