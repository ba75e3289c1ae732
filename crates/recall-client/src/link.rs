//! The connection of a client, renewed when the daemon goes away, and how often a call that is safe to repeat is made.
//!
//! A daemon that is restarted or replaced breaks its connections. A call is repeated on a new one only if that is safe: it reads, it
//! has the same effect twice, or it has an idempotency key, under which the daemon does it once.

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_api::v1::recall_client::RecallClient;
use tokio::sync::Mutex;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::connect::{self, Reached};
use crate::error::ConnectError;
use crate::handshake::DaemonIdentity;
use crate::options::{ConnectOptions, Launch};
use crate::private::{self, PrivateDaemon};
use crate::socket::OpenError;
use crate::upgrade::KeptBecause;

/// A connection, with the options for renewing it.
#[derive(Debug)]
pub(crate) struct Link {
    options: ConnectOptions,
    current: Mutex<Current>,
}

/// The current connection.
#[derive(Debug)]
struct Current {
    rpc: RecallClient<Channel>,
    /// The number of the connection. If several calls fail on one connection, only one of them renews it.
    number: u64,
    /// Ends with the connection.
    _private: Option<PrivateDaemon>,
}

impl Link {
    /// Makes the first connection.
    pub(crate) async fn make(
        options: &ConnectOptions,
    ) -> Result<(Self, DaemonIdentity, Option<KeptBecause>), ConnectError> {
        let (Reached { rpc, daemon, kept }, private) = reach(options).await?;
        let current = Mutex::new(Current { rpc, number: 0, _private: private });
        Ok((Self { options: options.clone(), current }, daemon, kept))
    }

    /// Returns the current connection.
    pub(crate) async fn rpc(&self) -> RecallClient<Channel> {
        self.current.lock().await.rpc.clone()
    }

    /// Makes a call that is safe to repeat, and retries it on a new connection if the daemon goes away.
    pub(crate) async fn repeat<Q: Clone, A, F>(
        &self,
        request: Request<Q>,
        call: impl Fn(RecallClient<Channel>, Request<Q>) -> F,
    ) -> Result<A, Status>
    where
        F: Future<Output = Result<A, Status>>,
    {
        let (metadata, extensions, message) = request.into_parts();
        let mut attempts = Attempts::new(self.options.attempts, self.options.deadline);
        loop {
            let (number, rpc) = {
                let current = self.current.lock().await;
                (current.number, current.rpc.clone())
            };
            let request = Request::from_parts(metadata.clone(), extensions.clone(), message.clone());
            match Box::pin(call(rpc, request)).await {
                Err(status) if attempts.again_after(&status) => Box::pin(self.renew(number)).await?,
                answered => return answered,
            }
        }
    }

    /// Renews the connection, unless another call has done so.
    async fn renew(&self, failed: u64) -> Result<(), Status> {
        // Held while connecting: of several calls that failed on one connection, one renews it and the others use it.
        let mut current = self.current.lock().await;
        if current.number != failed {
            return Ok(());
        }
        match Box::pin(reach(&self.options)).await {
            Ok((Reached { rpc, daemon: _, kept: _ }, private)) => {
                *current = Current { rpc, number: failed + 1, _private: private };
                Ok(())
            }
            Err(error) => {
                let mut status = Status::unavailable("the daemon went away and could not be reached again");
                status.set_source(Arc::new(error));
                Err(status)
            }
        }
    }
}

async fn reach(options: &ConnectOptions) -> Result<(Reached, Option<PrivateDaemon>), ConnectError> {
    match options.launch {
        Launch::IfNeeded | Launch::Never => Ok((connect::connect_shared(options).await?, None)),
        Launch::Private => {
            let (reached, private) = private::start(options).await?;
            Ok((reached, Some(private)))
        }
    }
}

/// The attempts of one call.
///
/// A call that broke the connection counts: it may break every daemon, and must not be repeated forever. A call that reached no
/// process does not count as long as there is time, because it did nothing: while daemons are replaced, it can meet one after the other
/// that has just ended.
#[derive(Debug)]
pub struct Attempts {
    left: u32,
    deadline: Instant,
}

impl Attempts {
    /// Allows that many attempts, at least one. Those that reach no process do not count for that long.
    pub fn new(most: u32, patience: Duration) -> Self {
        Self { left: most, deadline: Instant::now() + if most > 1 { patience } else { Duration::ZERO } }
    }

    /// Records how the call failed. Returns whether to make it again, on a new connection.
    pub fn again_after(&mut self, status: &Status) -> bool {
        if !is_gone(status) {
            return false;
        }
        if !(reached_nobody(status) && Instant::now() < self.deadline) {
            self.left = self.left.saturating_sub(1);
        }
        self.left > 0
    }
}

/// Returns whether a call failed because the daemon has gone away or is shutting down.
fn is_gone(status: &Status) -> bool {
    status.source().is_some() || status.code() == Code::Unavailable
}

/// Returns whether no process listened.
fn reached_nobody(status: &Status) -> bool {
    let mut causes = std::iter::successors(status.source(), |cause| (*cause).source());
    causes.any(|cause| {
        let inner = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        inner.is_some_and(|inner| matches!(inner.downcast_ref(), Some(OpenError::NoListener)))
    })
}

#[cfg(all(test, unix))]
mod tests {
    use recall_api::v1::StatusRequest;

    use super::*;
    use crate::connect::open;

    const PATIENCE: Duration = Duration::from_mins(1);

    /// The status of a call whose daemon has ended: of the first call, and of the next one, which opens the socket again.
    async fn statuses() -> [Status; 2] {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = folder.path().join("recalld.sock");
        let listener = tokio::net::UnixListener::bind(&path).expect("free");
        let mut rpc = open(&path).await.expect("opened").expect("a listener");
        drop(listener.accept().await.expect("connected"));
        drop(listener);
        let broken = rpc.status(StatusRequest::default()).await.expect_err("it has ended");
        [broken, rpc.status(StatusRequest::default()).await.expect_err("nobody listens")]
    }

    #[tokio::test]
    async fn a_call_that_reaches_nobody_does_not_count() {
        let [broken, unreached] = statuses().await;
        let mut attempts = Attempts::new(3, PATIENCE);
        assert!((0..20).all(|_| attempts.again_after(&unreached)), "{unreached:?}");
        assert!(attempts.again_after(&broken), "{broken:?}");
        assert!(attempts.again_after(&unreached));
        assert!(attempts.again_after(&broken));
        assert!(!attempts.again_after(&broken));
    }

    #[tokio::test]
    async fn without_time_or_retries_every_attempt_counts() {
        let [_, unreached] = statuses().await;
        let mut late = Attempts::new(3, Duration::ZERO);
        assert!([true, true, false].into_iter().all(|again| late.again_after(&unreached) == again));
        assert!(!Attempts::new(1, PATIENCE).again_after(&unreached));
    }

    #[test]
    fn an_error_of_the_daemon_is_final() {
        assert!(!Attempts::new(3, PATIENCE).again_after(&Status::invalid_argument("no words")));
        assert!(Attempts::new(3, PATIENCE).again_after(&Status::unavailable("shutting down")));
    }
}
