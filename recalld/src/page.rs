//! The client of the page: the daemon's own service, called without a socket.
//!
//! The calls pass the layers that the calls of other clients pass, so that limits, deadlines, memory and counts are the same.

use std::sync::Arc;

use recall_api::v1::recall_client::RecallClient;
use recall_api::v1::recall_server::RecallServer;
use recall_page::Rpc;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tower::Layer as _;
use tower::util::BoxCloneSyncService;

use crate::activity::Presence;
use crate::daemon::Daemon;
use crate::deadline::Deadline;
use crate::middleware::{Around, Middleware, Next};
use crate::panic::CatchPanic;
use crate::service::Service;

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
