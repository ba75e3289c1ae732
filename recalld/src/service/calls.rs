//! The service and its calls of the engine.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::Stream;
use recall_api::v1::RequestContext;
use recall_engine::{FirstIndex, FirstIndexStage, Origin, Warning};
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

/// How often a search that waits for the first index of a project looks whether it is there.
const FIRST_INDEX_INTERVAL: Duration = Duration::from_millis(25);

/// Returns the first index that an answer should wait for.
fn first_index(warning: &Warning) -> Option<&FirstIndex> {
    match warning {
        Warning::NotIndexedYet(first) if !matches!(first.stage, FirstIndexStage::LikelyIndexed(_)) => Some(first),
        _ => None,
    }
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

    /// Like [`call_short`](Self::call_short), for an answer from the index. If a project of the answer is not indexed yet, waits for that
    /// index as long as the first search of a project does, and calls again.
    ///
    /// The wait holds no thread: many projects may be queued, and others are searched meanwhile.
    pub(super) async fn call_indexed<T, E>(
        &self,
        warnings: impl Fn(&T) -> &[Warning],
        call: impl Fn(&Daemon) -> Result<T, E> + Send + Sync + 'static,
    ) -> Result<T, Status>
    where
        T: Send + 'static,
        E: IntoFailure + Send + 'static,
    {
        let deadline = Instant::now() + self.daemon.engine.first_index_wait();
        let call = Arc::new(call);
        loop {
            let again = Arc::clone(&call);
            let answer = self.call_short(move |daemon| again(daemon)).await?;
            let awaited: Vec<FirstIndex> = warnings(&answer).iter().filter_map(first_index).cloned().collect();
            if awaited.is_empty() {
                return Ok(answer);
            }
            while !awaited.iter().all(|first| self.daemon.engine.has_more_for(first)) {
                if Instant::now() >= deadline || self.daemon.stop.is_cancelled() {
                    return Ok(answer);
                }
                tokio::time::sleep(FIRST_INDEX_INTERVAL).await;
            }
            if Instant::now() >= deadline {
                return Ok(answer);
            }
        }
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
