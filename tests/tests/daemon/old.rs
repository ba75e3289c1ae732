//! A daemon of another release, which supports only the handshake and the shutdown.

use std::convert::Infallible;
use std::fs::File;
use std::future::Future;
use std::ops::RangeInclusive;
use std::os::unix::fs::DirBuilderExt as _;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use recall_api::v1::{HandshakeRequest, HandshakeResponse, ProtocolRange, ShutdownRequest, ShutdownResponse};
use recall_config::Dirs;
use tokio::net::UnixListener;
use tokio::sync::Notify;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::server::{Grpc, NamedService};
use tonic_prost::ProstCodec;
use tower::{Service, service_fn};

/// A running daemon of another release, inside the test's process.
pub(crate) struct Other {
    shutdowns: Arc<AtomicU32>,
}

impl Other {
    /// Serves instead of the daemon, as if a client had started it.
    pub(crate) fn start(dirs: &Dirs, version: &str, protocols: RangeInclusive<u32>) -> Self {
        let (min, max) = protocols.into_inner();
        let protocols = Some(ProtocolRange { min, max });
        let hello = HandshakeResponse {
            version: version.to_owned(),
            protocol: max,
            protocols,
            auto_started: true,
            ..HandshakeResponse::default()
        };
        Self::start_as(dirs, hello)
    }

    /// Serves instead of the daemon, with an answer to handshakes.
    pub(crate) fn start_as(dirs: &Dirs, hello: HandshakeResponse) -> Self {
        std::fs::DirBuilder::new().mode(0o700).create(&dirs.runtime).expect("the sandbox is new");
        let lock = File::create(dirs.lock()).expect("the sandbox is new");
        lock.try_lock().expect("nobody else is there");
        let listener = UnixListener::bind(dirs.socket()).expect("nobody else is there");
        let shutdowns = Arc::new(AtomicU32::new(0));
        let ending = Arc::new(Notify::new());
        let answers = Answers { hello, shutdowns: Arc::clone(&shutdowns), ending: Arc::clone(&ending) };
        let socket = dirs.socket();
        tokio::spawn(async move {
            tonic::transport::Server::builder()
                .add_service(answers)
                .serve_with_incoming_shutdown(UnixListenerStream::new(listener), ending.notified())
                .await
                .expect("it serves");
            std::fs::remove_file(socket).expect("it is there");
            // An old daemon takes some time to finish its work.
            tokio::time::sleep(Duration::from_millis(200)).await;
            drop(lock);
        });
        Self { shutdowns }
    }

    /// The number of shutdown requests.
    pub(crate) fn shutdowns(&self) -> u32 {
        self.shutdowns.load(Ordering::SeqCst)
    }
}

#[derive(Clone)]
struct Answers {
    hello: HandshakeResponse,
    shutdowns: Arc<AtomicU32>,
    ending: Arc<Notify>,
}

impl NamedService for Answers {
    const NAME: &'static str = "recall.v1.Recall";
}

impl Service<Request<Body>> for Answers {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let Self { hello, shutdowns, ending } = self.clone();
        Box::pin(async move {
            Ok(match request.uri().path() {
                "/recall.v1.Recall/Handshake" => {
                    let answer = service_fn(move |_: tonic::Request<HandshakeRequest>| {
                        std::future::ready(Ok::<_, tonic::Status>(tonic::Response::new(hello.clone())))
                    });
                    Grpc::new(ProstCodec::<HandshakeResponse, HandshakeRequest>::default()).unary(answer, request).await
                }
                "/recall.v1.Recall/Shutdown" => {
                    let answer = service_fn(move |_: tonic::Request<ShutdownRequest>| {
                        shutdowns.fetch_add(1, Ordering::SeqCst);
                        ending.notify_one();
                        std::future::ready(Ok::<_, tonic::Status>(tonic::Response::new(ShutdownResponse { pid: 1 })))
                    });
                    Grpc::new(ProstCodec::<ShutdownResponse, ShutdownRequest>::default()).unary(answer, request).await
                }
                _ => tonic::Status::unimplemented("an old daemon").into_http(),
            })
        })
    }
}
