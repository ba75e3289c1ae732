//! The service and its calls of the engine.

use std::pin::Pin;
use std::sync::Arc;

use futures_util::Stream;
use recall_api::v1::RequestContext;
use recall_engine::Origin;
use tonic::Status;

use super::context;
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

    /// Reads the origin of a request that may be about the past. Then it is that of the project as it was.
    pub(super) async fn origin(&self, context: Option<RequestContext>) -> Result<Origin, Status> {
        let mut context = context.unwrap_or_default();
        let as_of = std::mem::take(&mut context.as_of);
        let origin = context::origin(Some(context))?;
        if as_of.trim().is_empty() {
            return Ok(origin);
        }
        self.call(move |daemon| daemon.engine.as_of(&origin, &as_of)).await
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
