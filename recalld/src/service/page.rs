//! `OpenPage`: opens the page in a browser. The page is a client of the daemon's own service, called without a socket.
//!
//! Its calls pass the layers that the calls of other clients pass, so that limits, deadlines, memory and counts are the same.

use std::net::SocketAddr;
use std::sync::Arc;

use recall_api::v1::recall_client::RecallClient;
use recall_api::v1::recall_server::RecallServer;
use recall_api::v1::{OpenPageRequest, OpenPageResponse};
use recall_api::{Failure, InvalidRequest, Problem, Reason};
use recall_core::Scope;
use recall_page::{ApiKey, KeyError, OpenError, Opened, Rpc, Subject, Wanted};
use recall_text::error_chain;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tower::Layer as _;
use tower::util::BoxCloneSyncService;

use crate::activity::Presence;
use crate::daemon::Daemon;
use crate::middleware::{Around, CatchPanic, Deadline, Middleware, Next};

use super::{Service, context};

/// The ports that a request may name.
const PORTS: &str = "1 to 65535";

/// The further addresses that a request may name.
const ADDRESSES: &str = "an address and a port beyond loopback, such as `192.0.2.7:7777` or `[2001:db8::7]:7777`";

pub(super) async fn handle(service: &Service, request: OpenPageRequest) -> Result<OpenPageResponse, Status> {
    let OpenPageRequest { context, port, api_key, listen } = request;
    let port = port.map(read_port).transpose()?;
    let listen = (!listen.is_empty()).then(|| read_listen(&listen)).transpose()?;
    let api_key =
        if api_key.is_empty() { None } else { Some(ApiKey::new(&api_key).map_err(|error| key_failure(&error))?) };
    let origin = context::origin(context.clone())?;
    // The status of the project's store names its root, and fails for a root that must not be read.
    let status = service.call(move |daemon| daemon.engine.status(&origin, Scope::Project, 0)).await?;
    let root = status.stores.first().map(|store| store.root.to_string_lossy().into_owned()).unwrap_or_default();
    let subject = Subject { root, context: context.unwrap_or_default() };
    let daemon = &service.daemon;
    let wanted = Wanted { port, listen, api_key };
    let opened = daemon.page.open(subject, wanted, || connect(daemon)).map_err(|error| failure(&error))?;
    let Opened { url, port, listen, idle, token_valid } = opened;
    tracing::info!(port, "the page is open");
    Ok(OpenPageResponse {
        url,
        port: port.into(),
        idle_ms: idle.as_millis() as u64,
        token_ms: token_valid.as_millis() as u64,
        listen: listen.map(|address| address.to_string()).unwrap_or_default(),
    })
}

fn read_port(port: u32) -> Result<u16, InvalidRequest> {
    let read = u16::try_from(port).ok().filter(|port| *port > 0);
    read.ok_or_else(|| InvalidRequest::new("port", Problem::Unknown { value: port.to_string(), known: PORTS }))
}

/// Reads an address beyond loopback. On loopback the API is served on the page's port.
fn read_listen(text: &str) -> Result<SocketAddr, InvalidRequest> {
    let read = text.parse::<SocketAddr>().ok().filter(|address| !address.ip().is_loopback());
    read.ok_or_else(|| {
        InvalidRequest::new("listen", Problem::Malformed { value: text.to_owned(), expected: ADDRESSES })
    })
}

fn key_failure(error: &KeyError) -> Failure {
    Failure::new(Reason::InvalidArgument, error.to_string()).with_detail("field", "api_key").with_hint(NEW_KEY)
}

/// How to get a key.
const NEW_KEY: &str = "set one: `export RECALL_API_KEY=$(openssl rand -hex 32)`";

fn failure(error: &OpenError) -> Failure {
    let message = error_chain(error);
    match error {
        OpenError::OpenElsewhere { port } => Failure::new(Reason::Conflict, message)
            .with_detail("port", port.to_string())
            .with_hint("leave the port out to use it; `recall daemon restart` closes it"),
        OpenError::ListensElsewhere { address } => Failure::new(Reason::Conflict, message)
            .with_detail("address", address.to_string())
            .with_hint("name that address, or run `recall daemon restart` first"),
        OpenError::NoKey { address } => Failure::new(Reason::PermissionDenied, message)
            .with_detail("address", address.to_string())
            .with_hint(NEW_KEY),
        OpenError::Bind { address, .. } => Failure::new(Reason::Unavailable, message)
            .with_detail("address", address.to_string())
            .with_hint("leave the port out, or use port 0 in `--listen`, for one that is free"),
        OpenError::Random { .. } => Failure::new(Reason::Unavailable, message),
    }
}

/// Connects the page. It counts as a client of the daemon until it is closed, so an open page keeps the daemon running.
pub(crate) fn connect(daemon: &Arc<Daemon>) -> Rpc {
    let server = Around(CatchPanic).layer(RecallServer::new(Service::new(Arc::clone(daemon))));
    let server = Around(daemon.admission.clone()).layer(server);
    let server = Around(Deadline(daemon.settings.daemon.request_timeout)).layer(server);
    let server = Around(Arc::clone(&daemon.meter)).layer(server);
    let server = Around(Arc::new(daemon.activity.enter())).layer(server);
    RecallClient::new(BoxCloneSyncService::new(server))
}

/// Marks each request as a call of one client.
impl Middleware for Arc<Presence> {
    fn answer<S: Next>(
        self,
        mut request: Request<Body>,
        mut next: S,
    ) -> impl Future<Output = Result<Response<Body>, S::Error>> + Send + 'static {
        request.extensions_mut().insert(self.caller().clone());
        next.call(request)
    }
}
