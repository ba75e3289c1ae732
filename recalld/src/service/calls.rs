//! The service and its calls of the engine.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::Stream;
use recall_api::Reason;
use recall_api::v1::RequestContext;
use recall_core::Scope;
use recall_engine::{FirstIndex, Origin, Warning};
use tonic::Status;

use super::{context, warning};
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

/// How long a call of the engine usually takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallLength {
    /// It runs on the thread that read the request if that is free.
    Short,
    /// It runs on a thread for blocking work.
    Long,
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

    /// Calls the engine for an answer from the index. If a project of the answer is not indexed yet, waits for that index as long as the
    /// first search of a project does, and calls again.
    ///
    /// The wait holds no thread: many projects may be queued, and others are searched meanwhile.
    pub(super) async fn call_indexed<T, E>(
        &self,
        length: CallLength,
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
            let answer = match length {
                CallLength::Short => self.call_short(move |daemon| again(daemon)).await?,
                CallLength::Long => self.call(move |daemon| again(daemon)).await?,
            };
            let awaited: Vec<FirstIndex> =
                warnings(&answer).iter().filter_map(Warning::awaited_index).cloned().collect();
            if awaited.is_empty() || !self.have_more_by(deadline, &awaited).await {
                return Ok(answer);
            }
        }
    }

    /// Calls the engine about one thing that the index knows. Before that, waits for the first index of the projects of the scope, as
    /// [`call_indexed`](Self::call_indexed) does. What is not found without that index may be there, and the failure says so.
    pub(super) async fn call_after_index<T, E>(
        &self,
        origin: &Origin,
        scope: Scope,
        call: impl FnOnce(&Daemon) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Status>
    where
        T: Send + 'static,
        E: IntoFailure + Send + 'static,
    {
        let awaited = self.wait_for_index(origin, scope).await?;
        let daemon = Arc::clone(&self.daemon);
        let outcome = blocking::run(move || call(&daemon)).await?;
        outcome.map_err(|error| {
            let failure = error.into_failure();
            match awaited.first() {
                Some(first) if failure.reason == Reason::NotFound => warning::not_known_yet(failure, first).into(),
                _ => failure.into(),
            }
        })
    }

    /// Returns the first indexes that are not complete in time.
    async fn wait_for_index(&self, origin: &Origin, scope: Scope) -> Result<Vec<FirstIndex>, Status> {
        let deadline = Instant::now() + self.daemon.engine.first_index_wait();
        loop {
            let (daemon, origin) = (Arc::clone(&self.daemon), origin.clone());
            let looked = blocking::run_short(move || daemon.engine.awaited_indexes(&origin, scope)).await?;
            // An error is that of the call itself, which follows.
            let awaited = looked.unwrap_or_default();
            if awaited.is_empty() || !self.have_more_by(deadline, &awaited).await {
                return Ok(awaited);
            }
        }
    }

    /// Waits until there is more of each index to answer from; returns `false` if the deadline passes first, or the daemon ends.
    async fn have_more_by(&self, deadline: Instant, awaited: &[FirstIndex]) -> bool {
        loop {
            if Instant::now() >= deadline || self.daemon.stop.is_cancelled() {
                return false;
            }
            if awaited.iter().all(|first| self.daemon.engine.has_more_for(first)) {
                return true;
            }
            tokio::time::sleep(FIRST_INDEX_INTERVAL).await;
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
