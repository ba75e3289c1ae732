//! The service and its calls of the engine.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::Stream;
use tonic::Status;

use crate::blocking;
use crate::daemon::Daemon;
use crate::failure::IntoFailure;

/// The gRPC service `recall.v1` over the shared state of the daemon.
#[derive(Clone)]
pub(crate) struct Service {
    pub(in crate::service) daemon: Arc<Daemon>,
}

pub(super) type Pieces<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

impl Service {
    /// Creates the service over the shared state.
    pub(crate) fn new(daemon: Arc<Daemon>) -> Self {
        Self { daemon }
    }

    /// Calls the engine on a thread for blocking work.
    pub(super) async fn call<T, E>(
        &self,
        call: impl FnOnce(&Daemon) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Status>
    where
        T: Send + 'static,
        E: IntoFailure + Send + 'static,
    {
        let daemon = Arc::clone(&self.daemon);
        let outcome = blocking::run(move || call(&daemon)).await?;
        outcome.map_err(|error| error.into_failure().into())
    }

    /// Like [`call`](Self::call), for a call that is usually short.
    pub(super) async fn call_short<T, E>(
        &self,
        call: impl FnOnce(&Daemon) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Status>
    where
        T: Send + 'static,
        E: IntoFailure + Send + 'static,
    {
        let daemon = Arc::clone(&self.daemon);
        let outcome = blocking::run_short(move || call(&daemon)).await?;
        outcome.map_err(|error| error.into_failure().into())
    }
}
