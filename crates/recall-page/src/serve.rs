//! The port of the page, its connections, and its end.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener as StdListener};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::access::Access;
use crate::pages::{self, Site};
use crate::saved::SavedSearches;
use crate::{Page, Rpc, api, peer};

/// How many connections are served at once; others wait. A browser opens six.
const CONNECTIONS: usize = 64;

/// How long a client may take for the head of a request, the pause before it included. A browser sends one at once, and connects again
/// after a pause.
const HEAD_PATIENCE: Duration = Duration::from_secs(5);

/// How long a client may read nothing of an answer, and send nothing of a body.
const PROGRESS_PATIENCE: Duration = Duration::from_secs(5);

/// The same, and for the pause before a request, while no place is free. Six connections of a browser that were open meanwhile are opened
/// again.
const PRESSING_PATIENCE: Duration = Duration::from_secs(1);

/// How often the progress of a connection is checked.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// How long a connection lives. A browser opens a new one when it needs it, and a client that reads or writes slowly does not keep
/// its place.
const CONNECTION_LIFE: Duration = Duration::from_mins(1);

/// How long the answer in progress may take after that.
const LAST_ANSWER: Duration = Duration::from_secs(35);

/// The largest head of a request. A query has at most 10 KiB, three times as much when it is encoded.
const HEAD_BYTES: usize = 64 * 1024;

/// How often a free port is looked for that is free on both loopback addresses.
const ATTEMPTS: usize = 8;

/// The page cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It is open on another port.
    #[error("the page is open on port {port}")]
    OpenElsewhere {
        /// The port.
        port: u16,
    },
    /// The API is served on another further address.
    #[error("the API is served on {address}")]
    ListensElsewhere {
        /// The address.
        address: SocketAddr,
    },
    /// A further address is wanted without a key.
    #[error("the API is served on {address} only with a key")]
    NoKey {
        /// The address.
        address: SocketAddr,
    },
    /// The port cannot be bound.
    #[error("cannot listen on {address}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The system has no random bytes.
    #[error("the system returned no random bytes: {reason}")]
    Random {
        /// What the system said.
        reason: String,
    },
}

#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) port: u16,
    /// The further address on which the API is served.
    pub(crate) listen: Option<SocketAddr>,
    site: Site,
    closed: CancellationToken,
}

impl Running {
    pub(crate) fn access(&self) -> &Access {
        &self.site.access
    }

    /// Serves the API on a further address. Its connections have places of their own.
    pub(crate) fn listen_beyond(&mut self, listener: StdListener) -> Result<(), OpenError> {
        let address =
            listener.local_addr().map_err(|source| listen_error((Ipv4Addr::UNSPECIFIED, 0).into(), source))?;
        let listener = TcpListener::from_std(listener).map_err(|source| listen_error(address, source))?;
        let router = api::router_beyond(self.site.clone(), address);
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        tokio::spawn(accept(listener, Peers::Any, router, places, self.closed.clone()));
        self.listen = Some(address);
        tracing::info!(%address, "the API is served on a further address");
        Ok(())
    }
}

/// Whose connections are served.
#[derive(Clone, Copy, Debug)]
enum Peers {
    /// Those of the own user.
    Own,
    /// All. Every request needs a key.
    Any,
}

impl Peers {
    fn accept(self, peer: SocketAddr, stream: &TcpStream) -> bool {
        match self {
            Self::Own => stream.local_addr().is_ok_and(|local| peer::is_own(peer, local)),
            Self::Any => true,
        }
    }
}

/// Binds the port, or a free one, on both loopback addresses. A system without IPv6 has only the first.
pub(crate) fn bind(port: Option<u16>) -> Result<(Vec<StdListener>, u16), OpenError> {
    let mut attempt = 0;
    loop {
        attempt += 1;
        let first = listen((Ipv4Addr::LOCALHOST, port.unwrap_or(0)).into())?;
        let bound = first.local_addr().map_err(|source| listen_error((Ipv4Addr::LOCALHOST, 0).into(), source))?.port();
        let address = (Ipv6Addr::LOCALHOST, bound).into();
        match listen(address) {
            Ok(second) => return Ok((vec![first, second], bound)),
            Err(OpenError::Bind { source, .. }) if source.kind() != io::ErrorKind::AddrInUse => {
                return Ok((vec![first], bound));
            }
            Err(_) if port.is_none() && attempt < ATTEMPTS => {}
            Err(error) => return Err(error),
        }
    }
}

pub(crate) fn listen(address: SocketAddr) -> Result<StdListener, OpenError> {
    let listener = StdListener::bind(address).map_err(|source| listen_error(address, source))?;
    listener.set_nonblocking(true).map_err(|source| listen_error(address, source))?;
    Ok(listener)
}

fn listen_error(address: SocketAddr, source: io::Error) -> OpenError {
    OpenError::Bind { address, source }
}

/// Serves the listeners until the page is idle or the daemon ends.
pub(crate) fn start(page: &Page, listeners: Vec<StdListener>, port: u16, rpc: Rpc) -> Result<Running, OpenError> {
    let closed = page.stop.child_token();
    let access = Arc::new(Access::new(port));
    let saved = Arc::new(SavedSearches::new(page.settings.saved.clone()));
    let site = Site { access: Arc::clone(&access), rpc, settings: Arc::clone(&page.settings), saved };
    let router = pages::router(site.clone());
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    for listener in listeners {
        let address = listener.local_addr().unwrap_or((Ipv4Addr::LOCALHOST, 0).into());
        let listener = TcpListener::from_std(listener).map_err(|source| listen_error(address, source))?;
        tokio::spawn(accept(listener, Peers::Own, router.clone(), Arc::clone(&places), closed.clone()));
    }
    let (running, idle, stopped) = (Arc::clone(&page.running), page.settings.idle, closed.clone());
    tokio::spawn(async move {
        loop {
            let ends = access.last_use() + idle;
            tokio::select! {
                () = stopped.cancelled() => {
                    *running.lock() = None;
                    break;
                }
                () = tokio::time::sleep_until(ends) => {}
            }
            // The lock is held, so that nobody gets a link to a page that is about to close.
            let mut running = running.lock();
            if access.last_use() + idle <= tokio::time::Instant::now() {
                *running = None;
                break;
            }
        }
        stopped.cancel();
        tracing::info!("the page is closed");
    });
    Ok(Running { port, listen: None, site, closed })
}

async fn accept(
    listener: TcpListener,
    peers: Peers,
    router: axum::Router,
    places: Arc<Semaphore>,
    closed: CancellationToken,
) {
    loop {
        let place = Arc::clone(&places).acquire_owned().await.expect("the semaphore is never closed");
        let accepted = tokio::select! {
            () = closed.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, peer)) if peers.accept(peer, &stream) => stream,
            Ok(_) => {
                tracing::debug!("the page refused a connection of another user");
                continue;
            }
            Err(error) => {
                tracing::warn!(%error, "the page cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        // Answers are small; the default would delay them.
        let _ = stream.set_nodelay(true);
        tokio::spawn(serve(stream, router.clone(), Arc::clone(&places), closed.clone(), place));
    }
}

/// Serves a connection until it is closed, its life is over, or its client makes no progress. `place` is given back then.
async fn serve<S>(
    stream: S,
    router: axum::Router,
    places: Arc<Semaphore>,
    closed: CancellationToken,
    place: OwnedSemaphorePermit,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let progress = Arc::new(Progress::default());
    let service = Answering { inner: TowerToHyperService::new(router), progress: Arc::clone(&progress) };
    let stalled = stall(Arc::clone(&progress), places);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_PATIENCE)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(Watched { stream, progress }), service);
    let served = async move {
        let mut connection = std::pin::pin!(connection);
        tokio::select! {
            // A broken connection is the client's affair.
            _ = &mut connection => return,
            () = tokio::time::sleep(CONNECTION_LIFE) => {}
            () = closed.cancelled() => {}
        }
        connection.as_mut().graceful_shutdown();
        let _ = tokio::time::timeout(LAST_ANSWER, connection).await;
    };
    tokio::select! {
        () = served => {}
        () = stalled => tracing::debug!("a client of the page made no progress"),
    }
    drop(place);
}

/// The progress of a client: when bytes last went either way, and how many of its requests are being answered.
#[derive(Debug)]
struct Progress {
    last: Mutex<Instant>,
    answering: AtomicUsize,
}

impl Default for Progress {
    fn default() -> Self {
        Self { last: Mutex::new(Instant::now()), answering: AtomicUsize::new(0) }
    }
}

impl Progress {
    fn note(&self) {
        *self.last.lock() = Instant::now();
    }

    /// Returns whether the client had its turn for that long, and did nothing.
    fn stands_still(&self, patience: Duration) -> bool {
        self.answering.load(Ordering::Relaxed) == 0 && self.last.lock().elapsed() >= patience
    }
}

/// Returns once a client made no progress for too long.
async fn stall(progress: Arc<Progress>, places: Arc<Semaphore>) {
    loop {
        tokio::time::sleep(PROGRESS_INTERVAL).await;
        let patience = if places.available_permits() == 0 { PRESSING_PATIENCE } else { PROGRESS_PATIENCE };
        if progress.stands_still(patience) {
            return;
        }
    }
}

/// The service of a connection, which counts the requests that are being answered.
#[derive(Clone)]
struct Answering<S> {
    inner: S,
    progress: Arc<Progress>,
}

impl<S, Q> hyper::service::Service<Q> for Answering<S>
where
    S: hyper::service::Service<Q>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn call(&self, request: Q) -> Self::Future {
        let answer = self.inner.call(request);
        let progress = Arc::clone(&self.progress);
        progress.answering.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            let _answered = Answered(progress);
            answer.await
        })
    }
}

/// Ends the count of a request, also of one that is dropped.
struct Answered(Arc<Progress>);

impl Drop for Answered {
    fn drop(&mut self) {
        self.0.note();
        self.0.answering.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A stream that notes when bytes go either way.
struct Watched<S> {
    stream: S,
    progress: Arc<Progress>,
}

impl<S> Watched<S> {
    fn note<T>(&self, done: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if done.is_ready() {
            self.progress.note();
        }
        done
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        self.note(read)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.note(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.note(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    /// More than the pipe of a client holds.
    const LONG: usize = 100_000;

    /// How long an answer takes that another request waits for.
    const SLOW: Duration = Duration::from_secs(20);

    fn router() -> axum::Router {
        let slow = || async {
            tokio::time::sleep(SLOW).await;
            "done"
        };
        axum::Router::new().route("/long", get(|| async { "x".repeat(LONG) })).route("/slow", get(slow))
    }

    /// Sends a request and reads nothing until the server is done with the connection; returns how long that took, and what was
    /// written until then.
    async fn serve_unread(request: &str, free_places: usize) -> (Duration, String) {
        let (mut client, server) = duplex(1024);
        let places = Arc::new(Semaphore::new(free_places + 1));
        let place = Arc::clone(&places).acquire_owned().await.expect("it is open");
        client.write_all(request.as_bytes()).await.expect("room");
        let began = Instant::now();
        serve(server, router(), places, CancellationToken::new(), place).await;
        let took = began.elapsed();
        let mut answer = String::new();
        let _ = client.read_to_string(&mut answer).await;
        (took, answer)
    }

    const GET_LONG: &str = "GET /long HTTP/1.1\r\nhost: a\r\n\r\n";
    const GET_SLOW: &str = "GET /slow HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_loses_its_place() {
        let (took, _) = serve_unread(GET_LONG, 1).await;
        assert!(PROGRESS_PATIENCE <= took && took <= PROGRESS_PATIENCE + 2 * PROGRESS_INTERVAL, "{took:?}");
        let (pressed, _) = serve_unread(GET_LONG, 0).await;
        assert!(PRESSING_PATIENCE <= pressed && pressed <= PRESSING_PATIENCE + 2 * PROGRESS_INTERVAL, "{pressed:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_sends_nothing_gives_its_place_to_others() {
        for request in ["", "GET /lo"] {
            let (pressed, _) = serve_unread(request, 0).await;
            assert!(pressed <= PRESSING_PATIENCE + 2 * PROGRESS_INTERVAL, "{pressed:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_waits_for_its_answer_keeps_its_place() {
        let (took, answer) = serve_unread(GET_SLOW, 0).await;
        assert!(took >= SLOW && answer.ends_with("done"), "{took:?}: {answer}");
    }
}
