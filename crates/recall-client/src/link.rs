//! The connection of a client, renewed when the daemon goes away.
//!
//! A daemon that is restarted or replaced breaks its connections. A call is repeated on a new one only if that is safe: it reads, it
//! has the same effect twice, or it has an idempotency key, under which the daemon does it once.

use std::sync::Arc;

use recall_api::v1::recall_client::RecallClient;
use tokio::sync::Mutex;
use tonic::transport::Channel;
use tonic::{Request, Status};

use crate::attempts::Attempts;
use crate::connect::{self, Reached};
use crate::error::ConnectError;
use crate::handshake::DaemonIdentity;
use crate::options::{ConnectOptions, Launch};
use crate::private::{self, PrivateDaemon};
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
