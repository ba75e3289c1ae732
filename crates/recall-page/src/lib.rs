//! The page: recall in a browser on this machine, served by the daemon.
//!
//! The page has no rule of its own. Each of its pages asks the daemon's service what a command asks, through the same layers, with
//! the context of the caller that opened it. This crate adds what a browser needs: a port on the loopback addresses, a guard before every
//! answer, HTML, one style sheet and one script.

mod access;
mod answer;
mod guard;
mod pages;
mod peer;
mod serve;
mod view;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use recall_proto::v1::RequestContext;
use recall_proto::v1::recall_client::RecallClient;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tower::util::BoxCloneSyncService;

pub use serve::OpenError;

use access::Access;
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
}

/// The project whose page is opened.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The absolute path of its root.
    pub root: String,
    /// The context of the caller, with which the page asks.
    pub context: RequestContext,
}

/// The open page, as its caller needs it.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The link. Its fragment is a token that opens the page once.
    pub url: String,
    /// The port.
    pub port: u16,
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

    /// Opens the page of a project, and returns a link that works once. If the page is open, only the link is new.
    ///
    /// `connect` is called if the page was closed; its client is dropped when the page is closed. Must be called inside a tokio
    /// runtime.
    ///
    /// # Errors
    /// The port cannot be bound, or the page is open on another one.
    pub fn open(
        &self,
        subject: Subject,
        port: Option<u16>,
        connect: impl FnOnce() -> Rpc,
    ) -> Result<Opened, OpenError> {
        let mut running = self.running.lock();
        let (port, access) = match &*running {
            Some(open) if port.is_some_and(|wanted| wanted != open.port) => {
                return Err(OpenError::OpenElsewhere { port: open.port });
            }
            Some(open) => (open.port, Arc::clone(&open.access)),
            None => {
                let (listeners, port) = serve::bind(port)?;
                let access = Arc::new(Access::new(port));
                serve::start(self, listeners, Arc::clone(&access), connect())?;
                *running = Some(Running { port, access: Arc::clone(&access) });
                (port, access)
            }
        };
        access.touch();
        let token = access.admit(subject)?;
        let url = format!("http://127.0.0.1:{port}/open#{token}");
        Ok(Opened { url, port, idle: self.settings.idle, token_valid: TOKEN_VALID })
    }
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
        let page = Page::new(PageSettings { idle, editor: None }, CancellationToken::new());
        let subject = || Subject { root: "/a".to_owned(), context: RequestContext::default() };
        let first = page.open(subject(), None, rpc).expect("a port");
        tokio::time::sleep(idle / 2).await;
        let again = page.open(subject(), None, || unreachable!("it is open")).expect("a port");
        assert_eq!(again.port, first.port);
        tokio::time::sleep(idle * 3 / 4).await;
        assert!(is_open(first.port), "a new link keeps it open");
        tokio::time::sleep(idle / 2).await;
        assert!(!is_open(first.port));
        assert!(is_open(page.open(subject(), None, rpc).expect("a port").port));
    }
}
