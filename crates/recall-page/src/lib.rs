//! The page: recall in a browser on this machine, served by the daemon.
//!
//! The page has no rule of its own. Each of its pages asks the daemon's service what a command asks, through the same layers, with
//! the context of the caller that opened it. This crate adds what a browser needs: a port on the loopback addresses, a guard before every
//! answer, HTML, one style sheet and one script. Programs get the same as JSON, with a key.
//!
//! A port on loopback is open to every program, every user and every web site in the user's browser. So a link works once, a project
//! has a random path that its cookie belongs to, and a request is refused that is not known to be right (ADR 37). The API has a key
//! that its caller brings; the daemon's environment holds none (ADR 38). Begin with `guard`, `access`, `serve` and `pages`.

mod access;
mod answer;
mod api;
mod guard;
mod pages;
mod peer;
mod plots;
mod saved;
mod serve;
mod view;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use recall_api::v1::RequestContext;
use recall_api::v1::recall_client::RecallClient;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tower::util::BoxCloneSyncService;

pub use api::{ApiKey, KeyError};
pub use plots::stats_page;
pub use serve::OpenError;

use serve::Running;

/// A client of the daemon's own service, without a socket between them.
pub type Rpc = RecallClient<BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>>;

/// How long the token in a link is valid. A person follows the link at once; ten minutes bridge a forwarded port that is set up first.
const TOKEN_VALID: Duration = Duration::from_mins(10);

/// The settings of the page.
#[derive(Clone, Debug)]
pub struct PageSettings {
    /// How long it stays open without a request.
    pub idle: Duration,
    /// The link that opens a file in an editor, with `{path}` and maybe `{line}`; `None` for no links.
    pub editor: Option<String>,
    /// The file of the saved searches.
    pub saved: PathBuf,
}

/// The project whose page is opened.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The absolute path of its root.
    pub root: String,
    /// The context of the caller, with which the page asks.
    pub context: RequestContext,
}

/// What a caller wants to be served besides the page.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The port on the loopback addresses; a free one if absent.
    pub port: Option<u16>,
    /// A further address on which the API is served. It needs a key.
    pub listen: Option<SocketAddr>,
    /// The key with which programs may use the API for the project.
    pub api_key: Option<ApiKey>,
}

/// The open page, as its caller needs it.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The link. Its fragment is a token that opens the page once.
    pub url: String,
    /// The port.
    pub port: u16,
    /// The further address on which the API is served.
    pub listen: Option<SocketAddr>,
    /// How long the page stays open without a request.
    pub idle: Duration,
    /// How long the token is valid.
    pub token_valid: Duration,
}

/// The page of a daemon. It takes neither a port nor a thread until it is opened.
#[derive(Debug)]
pub struct Page {
    settings: Arc<PageSettings>,
    stop: CancellationToken,
    running: Arc<Mutex<Option<Running>>>,
}

impl Page {
    /// Creates a page that is closed. An open one is closed when `stop` is cancelled.
    pub fn new(settings: PageSettings, stop: CancellationToken) -> Self {
        Self { settings: Arc::new(settings), stop, running: Arc::default() }
    }

    /// Opens the page of a project, and returns a link that works once. If the page is open, only the link is new, and what is wanted
    /// besides is added.
    ///
    /// `connect` is called if the page was closed; its client is dropped when the page is closed. Must be called inside a tokio
    /// runtime.
    ///
    /// # Errors
    /// An address cannot be bound, the page is open on another one, or a further address is wanted without a key.
    pub fn open(&self, subject: Subject, wanted: Wanted, connect: impl FnOnce() -> Rpc) -> Result<Opened, OpenError> {
        let Wanted { port, listen, api_key } = wanted;
        if let (Some(address), None) = (listen, &api_key) {
            return Err(OpenError::NoKey { address });
        }
        let mut running = self.running.lock();
        if let Some(wanted) = port
            && let Some(Running { port, .. }) = &*running
            && wanted != *port
        {
            return Err(OpenError::OpenElsewhere { port: *port });
        }
        let further = match (listen, running.as_ref().and_then(|open| open.listen)) {
            (Some(wanted), Some(known)) if !is_at(wanted, known) => {
                return Err(OpenError::ListensElsewhere { address: known });
            }
            (Some(wanted), None) => Some(serve::listen(wanted)?),
            (_, _) => None,
        };
        let open = match &mut *running {
            Some(open) => open,
            closed => {
                let (listeners, port) = serve::bind(port)?;
                closed.insert(serve::start(self, listeners, port, connect())?)
            }
        };
        if let Some(listener) = further {
            open.listen_beyond(listener)?;
        }
        open.access().touch();
        let token = open.access().admit(subject, api_key)?;
        let (port, listen) = (open.port, open.listen);
        let url = format!("http://127.0.0.1:{port}/open#{token}");
        Ok(Opened { url, port, listen, idle: self.settings.idle, token_valid: TOKEN_VALID })
    }
}

/// Whether a wanted address is one that is served. Port 0 stands for any.
fn is_at(wanted: SocketAddr, known: SocketAddr) -> bool {
    wanted.ip() == known.ip() && (wanted.port() == 0 || wanted.port() == known.port())
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;

    fn rpc() -> Rpc {
        let nothing = |_: Request<Body>| async { Ok::<_, Infallible>(Response::new(Body::empty())) };
        RecallClient::new(BoxCloneSyncService::new(tower::service_fn(nothing)))
    }

    fn is_open(port: u16) -> bool {
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_closed_when_idle_and_opened_again() {
        let idle = Duration::from_mins(30);
        let page = Page::new(PageSettings { idle, editor: None, saved: PathBuf::new() }, CancellationToken::new());
        let subject = || Subject { root: "/a".to_owned(), context: RequestContext::default() };
        let first = page.open(subject(), Wanted::default(), rpc).expect("a port");
        tokio::time::sleep(idle / 2).await;
        let again = page.open(subject(), Wanted::default(), || unreachable!("it is open")).expect("a port");
        assert_eq!(again.port, first.port);
        tokio::time::sleep(idle * 3 / 4).await;
        assert!(is_open(first.port), "a new link keeps it open");
        tokio::time::sleep(idle / 2).await;
        assert!(!is_open(first.port));
        assert!(is_open(page.open(subject(), Wanted::default(), rpc).expect("a port").port));
    }
}
