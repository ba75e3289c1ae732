//! The server: the stack of layers between the socket and the service, and its orderly end.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::Stream;
use recall_api::v1::recall_server::RecallServer;
use recall_config::DaemonSettings;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::accept::{self, Acceptor};
use crate::daemon::Daemon;
use crate::middleware::{Around, CatchPanic, Deadline};
use crate::places::Places;
use crate::service::Service;
use crate::socket::Bound;

/// The largest message sent to a client; clients accept the same size.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// The HTTP/2 window of a connection and of each of its requests. A larger request waits at the client until the daemon has
/// memory for it.
const RECEIVED_AHEAD_BYTES: u32 = 256 * 1024;

/// How many requests of one connection run at once; further ones wait at the client.
const STREAMS_PER_CONNECTION: u32 = 64;

/// How many calls that were reset by the client may await cleanup. An interrupted agent resets all of its calls at once; the
/// default of 20 would treat that as an attack and close the connection of the whole session. Only the daemon's own user
/// can connect, so no protection is needed.
const RESET_CALLS_WAITING: usize = 1024;

/// How long an answer may wait for a client that does not read before its connection is closed.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);

/// How many accepted connections may wait for the server to take them.
const ACCEPTED_WAITING: usize = 16;

/// The name of the daemon as a whole in the health service.
const OVERALL: &str = "";

pub(crate) struct Server {
    daemon: Arc<Daemon>,
    health: HealthReporter,
    accepting: JoinHandle<()>,
    serving: JoinHandle<Result<(), tonic::transport::Error>>,
}

/// How long a server may take to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    /// For requests in flight.
    pub(crate) requests: Duration,
    /// For index jobs and the stores.
    pub(crate) jobs: Duration,
}

impl Patience {
    /// Returns the same bound for requests and jobs.
    pub(crate) fn uniform(drain: Duration) -> Self {
        Self { requests: drain, jobs: drain }
    }
}

impl Server {
    /// Starts serving on a socket, and on each socket from `rebound` that replaces it.
    pub(crate) async fn start(
        daemon: Arc<Daemon>,
        bound: Bound,
        rebound: mpsc::Receiver<Bound>,
        settings: &DaemonSettings,
    ) -> Self {
        let (admitted, connections) = mpsc::channel(ACCEPTED_WAITING);
        let places = Places::new(settings.max_connections, settings.handshake_timeout, daemon.stop.clone());
        let acceptor =
            Acceptor::new(bound, accept::own_user(), Arc::clone(&places), WRITE_PATIENCE, daemon.activity.clone());
        let accepting = tokio::spawn(acceptor.run(rebound, admitted, daemon.stop.clone()));

        let health = HealthReporter::new();
        health.set_service_status(OVERALL, ServingStatus::Serving).await;
        health.set_serving::<RecallServer<Service>>().await;
        let connections = ReceiverStream::new(connections);
        let serving = serve(Arc::clone(&daemon), connections, places, health.clone(), settings);
        Self { daemon, health, accepting, serving: tokio::spawn(serving) }
    }

    /// Stops accepting and finishes the work in progress within `patience`; returns whether all of it finished.
    ///
    /// Index jobs are asked to stop and keep what they committed; requests whose stores are open are answered.
    pub(crate) async fn finish(self, patience: Patience) -> bool {
        self.daemon.stop.cancel();
        // The accept loop drops the socket: from here on, clients cannot connect to the ending daemon.
        if self.accepting.await.is_err() {
            tracing::error!("the accept loop panicked");
        }
        self.health.set_service_status(OVERALL, ServingStatus::NotServing).await;
        self.health.set_not_serving::<RecallServer<Service>>().await;

        let engine = Arc::clone(&self.daemon.engine);
        let (answered, closed) = tokio::join!(
            tokio::time::timeout(patience.requests, self.serving),
            tokio::time::timeout(patience.jobs, tokio::task::spawn_blocking(move || engine.close())),
        );
        if answered.is_err() {
            tracing::warn!(clients = self.daemon.activity.clients(), "gave up on requests that did not finish");
        }
        if closed.is_err() {
            tracing::warn!("gave up on index jobs that did not stop");
        }
        answered.is_ok() && closed.is_ok()
    }
}

/// Runs the stack of services over the connections.
fn serve(
    daemon: Arc<Daemon>,
    connections: impl Stream<Item = std::io::Result<crate::connection::Connection>> + Send + 'static,
    places: Arc<Places>,
    health: HealthReporter,
    settings: &DaemonSettings,
) -> impl Future<Output = Result<(), tonic::transport::Error>> + Send + 'static {
    let stopped = daemon.stop.clone().cancelled_owned();
    let meter = Arc::clone(&daemon.meter);
    let admission = daemon.admission.clone();
    let service = RecallServer::new(Service::new(daemon))
        .max_decoding_message_size(settings.max_message_bytes as usize)
        .max_encoding_message_size(MAX_ANSWER_BYTES);
    tonic::transport::Server::builder()
        .max_concurrent_streams(STREAMS_PER_CONNECTION)
        .initial_connection_window_size(RECEIVED_AHEAD_BYTES)
        .initial_stream_window_size(RECEIVED_AHEAD_BYTES)
        .http2_max_pending_accept_reset_streams(Some(RESET_CALLS_WAITING))
        .layer(Around(places))
        .layer(Around(meter))
        .layer(Around(Deadline(settings.request_timeout)))
        .layer(Around(admission))
        .layer(Around(CatchPanic))
        .add_service(service)
        .add_service(tonic_health::pb::health_server::HealthServer::new(
            tonic_health::server::HealthService::from_health_reporter(health),
        ))
        .serve_with_incoming_shutdown(connections, stopped)
}
