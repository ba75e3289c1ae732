//! The port of the page, its connections, and its end.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
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
        let (router, closed) = (router.clone(), closed.clone());
        tokio::spawn(async move {
            serve(stream, router, closed).await;
            drop(place);
        });
    }
}

async fn serve(stream: TcpStream, router: axum::Router, closed: CancellationToken) {
    // Answers are small; the default would delay them.
    let _ = stream.set_nodelay(true);
    let mut connection = std::pin::pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_PATIENCE)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
    );
    tokio::select! {
        // A broken connection is the client's affair.
        _ = &mut connection => return,
        () = tokio::time::sleep(CONNECTION_LIFE) => {}
        () = closed.cancelled() => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = tokio::time::timeout(LAST_ANSWER, connection).await;
}
