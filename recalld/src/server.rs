//! What stands between the socket and the service?

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::Stream;
use recall_config::DaemonSettings;
use recall_proto::v1::recall_server::RecallServer;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::accept::Acceptor;
use crate::admission::AdmissionLayer;
use crate::daemon::Daemon;
use crate::deadline::DeadlineLayer;
use crate::meter::MeterLayer;
use crate::panic::CatchPanic;
use crate::places::{Places, PlacesLayer};
use crate::reflection;
use crate::service::Service;
use crate::socket::Bound;

/// The largest message that is given to a client, as large as clients take it.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// How much of the requests of one connection, and of each of them, is received before it is read. What is larger waits at the
/// client until there is memory for it.
const RECEIVED_AHEAD_BYTES: u32 = 256 * 1024;

/// How many requests of one connection are answered at once; what is above waits at the client.
const STREAMS_PER_CONNECTION: u32 = 64;

/// How many calls that a client gave up may wait to be cleared away. An agent that is interrupted gives up all of its calls
/// at once; the default of 20 would take that for an attack and end the connection of its whole session. Somebody who
/// can connect is the user, and has no need of an attack.
const GIVEN_UP_CALLS_WAITING: usize = 1024;

/// How long an answer may wait for a client that does not read before its connection is given up.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);

/// How many accepted connections may wait for the server to take them.
const ACCEPTED_WAITING: usize = 16;

/// The name under which the whole of the daemon stands in the health service.
const OVERALL: &str = "";

/// A server that answers.
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
    /// The same for everything.
    pub(crate) fn of(drain: Duration) -> Self {
        Self { requests: drain, jobs: drain }
    }
}

impl Server {
    /// Begins to answer on a socket, and on each one that comes from `rebound` in its place.
    pub(crate) async fn start(
        daemon: Arc<Daemon>,
        bound: Bound,
        rebound: mpsc::Receiver<Bound>,
        settings: &DaemonSettings,
    ) -> Self {
        let (admitted, connections) = mpsc::channel(ACCEPTED_WAITING);
        let own_uid = rustix::process::geteuid().as_raw();
        let places = Places::new(settings.max_connections, settings.handshake_timeout, daemon.stop.clone());
        let acceptor = Acceptor::new(bound, own_uid, Arc::clone(&places), WRITE_PATIENCE, daemon.activity.clone());
        let accepting = tokio::spawn(acceptor.run(rebound, admitted, daemon.stop.clone()));

        let health = HealthReporter::new();
        health.set_service_status(OVERALL, ServingStatus::Serving).await;
        health.set_serving::<RecallServer<Service>>().await;
        let connections = ReceiverStream::new(connections);
        let serving = serve(Arc::clone(&daemon), connections, places, health.clone(), settings);
        Self { daemon, health, accepting, serving: tokio::spawn(serving) }
    }

    /// Stops to accept, and finishes what is being done within `patience`; says whether all was finished.
    ///
    /// Index jobs are asked to stop, and what they committed stands; requests that have their stores are answered.
    pub(crate) async fn finish(self, patience: Patience) -> bool {
        self.daemon.stop.cancel();
        // The socket goes with the loop: from here on whoever comes finds nobody, rather than somebody who ends.
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

/// The whole stack of services over the connections.
fn serve(
    daemon: Arc<Daemon>,
    connections: impl Stream<Item = std::io::Result<crate::connection::Connection>> + Send + 'static,
    places: Arc<Places>,
    health: HealthReporter,
    settings: &DaemonSettings,
) -> impl Future<Output = Result<(), tonic::transport::Error>> + Send + 'static {
    let stopped = daemon.stop.clone().cancelled_owned();
    let meter = MeterLayer::new(Arc::clone(&daemon.meter));
    let admission = AdmissionLayer::new(daemon.admission.clone());
    let service = RecallServer::new(Service::new(daemon))
        .max_decoding_message_size(settings.max_message_bytes as usize)
        .max_encoding_message_size(MAX_ANSWER_BYTES);
    tonic::transport::Server::builder()
        .max_concurrent_streams(STREAMS_PER_CONNECTION)
        .initial_connection_window_size(RECEIVED_AHEAD_BYTES)
        .initial_stream_window_size(RECEIVED_AHEAD_BYTES)
        .http2_max_pending_accept_reset_streams(Some(GIVEN_UP_CALLS_WAITING))
        .layer(PlacesLayer::new(places))
        .layer(meter)
        .layer(DeadlineLayer::new(settings.request_timeout))
        .layer(admission)
        .layer(CatchPanic)
        .add_service(service)
        .add_service(tonic_health::pb::health_server::HealthServer::new(
            tonic_health::server::HealthService::from_health_reporter(health),
        ))
        .add_service(reflection::current())
        .add_service(reflection::older())
        .serve_with_incoming_shutdown(connections, stopped)
}
