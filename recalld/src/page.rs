//! The client of the page: the daemon's own service, called without a socket.
//!
//! The calls pass the layers that the calls of other clients pass, so that limits, deadlines, memory and counts are the same.

use std::sync::Arc;
use std::task::{Context, Poll};

use recall_api::v1::recall_client::RecallClient;
use recall_api::v1::recall_server::RecallServer;
use recall_page::Rpc;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tower::Layer as _;
use tower::util::BoxCloneSyncService;

use crate::activity::Presence;
use crate::admission::AdmissionLayer;
use crate::daemon::Daemon;
use crate::deadline::DeadlineLayer;
use crate::meter::MeterLayer;
use crate::panic::CatchPanic;
use crate::service::Service;

/// Connects the page. It counts as a client of the daemon until it is closed, so an open page keeps the daemon running.
pub(crate) fn connect(daemon: &Arc<Daemon>) -> Rpc {
    let server = CatchPanic.layer(RecallServer::new(Service::new(Arc::clone(daemon))));
    let server = AdmissionLayer::new(daemon.admission.clone()).layer(server);
    let server = DeadlineLayer::new(daemon.settings.daemon.request_timeout).layer(server);
    let server = MeterLayer::new(Arc::clone(&daemon.meter)).layer(server);
    let presence = Arc::new(daemon.activity.enter());
    RecallClient::new(BoxCloneSyncService::new(Connected { inner: server, presence }))
}

/// A service whose calls come from one client.
#[derive(Clone, Debug)]
struct Connected<S> {
    inner: S,
    presence: Arc<Presence>,
}

impl<S: tower::Service<Request<Body>, Response = Response<Body>>> tower::Service<Request<Body>> for Connected<S> {
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        request.extensions_mut().insert(self.presence.caller().clone());
        self.inner.call(request)
    }
}
