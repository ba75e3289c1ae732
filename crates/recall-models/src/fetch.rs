//! How does a file come from the network, whole and right?
//!
//! Blocking, and only where a person asked for a model or the runtime. Nothing else of recall speaks HTTP.

mod digest;
mod download;
mod lock;
mod page;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};

pub(crate) use digest::{Comparison, Digest, sha256_of};
pub(crate) use download::Download;
pub(crate) use lock::Lock;
pub(crate) use page::link_to;

/// The longest page that is read; the list of all versions of a package has half a megabyte.
const MOST_PAGE_BYTES: u64 = 32 << 20;

/// How the network is used.
#[derive(Clone, Debug)]
pub struct FetchSettings {
    /// `http://host:port` of a proxy; none to go directly.
    pub proxy: Option<String>,
    /// Hosts that are asked directly: each with all below it, `*` for every one.
    pub no_proxy: Vec<String>,
    /// How long a connection and the beginning of an answer may take.
    pub connect_timeout: Duration,
    /// How long nothing may arrive while a file does.
    pub silence_timeout: Duration,
    /// How often a download that broke is taken up again.
    pub retries: u32,
    /// How long to wait before the first time, and twice as long before each further one.
    pub retry_after: Duration,
}

impl Default for FetchSettings {
    fn default() -> Self {
        Self {
            proxy: None,
            no_proxy: Vec::new(),
            connect_timeout: Duration::from_secs(20),
            silence_timeout: Duration::from_secs(30),
            retries: 4,
            retry_after: Duration::from_secs(1),
        }
    }
}

/// How far a download is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The file's name.
    pub file: &'a str,
    /// The bytes that are here, those of earlier attempts included.
    pub done_bytes: u64,
    /// The bytes of the whole file, where the server told.
    pub total_bytes: Option<u64>,
}

/// Is told how far a download is, at its begin, now and then, and at its end; `Break` gives it up.
pub type Watch<'a> = dyn FnMut(Progress<'_>) -> ControlFlow<()> + 'a;

/// Fetches over HTTP and HTTPS.
///
/// Certificates are verified as the operating system says, so that those that a company added count.
#[derive(Clone, Debug)]
pub struct Fetcher {
    agent: Agent,
    settings: FetchSettings,
}

impl Fetcher {
    /// Makes ready to fetch; connects to nothing.
    ///
    /// # Errors
    /// The proxy's address cannot be read.
    pub fn new(settings: FetchSettings) -> Result<Self, FetchError> {
        let proxy = settings.proxy.as_deref().map(|address| proxy(address, &settings.no_proxy)).transpose();
        let proxy =
            proxy.map_err(|source| FetchError::failed(settings.proxy.as_deref().unwrap_or_default(), source))?;
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        let config = Agent::config_builder()
            .proxy(proxy)
            .tls_config(tls)
            .timeout_connect(Some(settings.connect_timeout))
            .timeout_recv_response(Some(settings.connect_timeout))
            .timeout_per_read(Some(settings.silence_timeout))
            .http_status_as_error(false)
            .user_agent(concat!("recall/", env!("CARGO_PKG_VERSION")))
            .build();
        Ok(Self { agent: config.new_agent(), settings })
    }

    /// Reads a page as text.
    pub(crate) fn text(&self, url: &str) -> Result<String, FetchError> {
        self.again_and_again(|| {
            let mut response = self.agent.get(url).call().map_err(|source| FetchError::failed(url, source))?;
            if !response.status().is_success() {
                return Err(FetchError::Refused { url: url.to_owned(), status: response.status().as_u16() });
            }
            let body = response.body_mut().with_config().limit(MOST_PAGE_BYTES).read_to_string();
            body.map_err(|source| FetchError::failed(url, source))
        })
    }

    /// Tries until it works, fails for good, or has been tried often enough.
    fn again_and_again<T>(&self, mut attempt: impl FnMut() -> Result<T, FetchError>) -> Result<T, FetchError> {
        let mut wait = self.settings.retry_after;
        for _ in 0..self.settings.retries {
            match attempt() {
                Err(error) if error.may_pass() => tracing::warn!(%error, ?wait, "fetching is tried again"),
                done => return done,
            }
            std::thread::sleep(wait);
            wait *= 2;
        }
        attempt()
    }
}

/// The proxy at an address, for all but some hosts.
fn proxy(address: &str, no_proxy: &[String]) -> Result<ureq::Proxy, ureq::Error> {
    let whole = ureq::Proxy::new(address)?;
    let mut proxy = ureq::Proxy::builder(whole.protocol()).host(whole.host()).port(whole.port());
    if let Some(name) = whole.username() {
        proxy = proxy.username(name);
    }
    if let Some(password) = whole.password() {
        proxy = proxy.password(password);
    }
    for host in no_proxy {
        // `a.example`, `.a.example` and `*.a.example` mean the same to most programs that read the variable.
        let plain = host.trim_start_matches('*').trim_start_matches('.');
        proxy =
            if plain.is_empty() { proxy.no_proxy("*") } else { proxy.no_proxy(plain).no_proxy(&format!(".{plain}")) };
    }
    proxy.build()
}

/// Nothing was fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The server answered with something else than the file.
    #[error("{url} answered with status {status}")]
    Refused {
        /// What was asked for.
        url: String,
        /// The status.
        status: u16,
    },
    /// The server could not be reached, or the connection broke before an answer.
    #[error("{url} cannot be fetched")]
    Failed {
        /// What was asked for.
        url: String,
        /// What was said.
        source: Box<ureq::Error>,
    },
    /// The connection broke within the file. What arrived is kept, and the next attempt goes on from there.
    #[error("{url} broke off after {done_bytes} bytes{}", of(*total_bytes))]
    Truncated {
        /// What was asked for.
        url: String,
        /// What is here.
        done_bytes: u64,
        /// What there should be.
        total_bytes: Option<u64>,
    },
    /// The file is not the one that was expected. It was removed.
    #[error("{url} has the checksum {found}; expected was {expected}")]
    WrongChecksum {
        /// What was asked for.
        url: String,
        /// What there should be.
        expected: String,
        /// What there is.
        found: String,
    },
    /// The file cannot be written.
    #[error("{} cannot be written", path.display())]
    Unwritable {
        /// The file.
        path: std::path::PathBuf,
        /// What was said.
        source: std::io::Error,
    },
    /// Whoever watched gave it up. What arrived is kept.
    #[error("{url} was given up")]
    GivenUp {
        /// What was asked for.
        url: String,
    },
}

impl FetchError {
    fn failed(url: &str, source: ureq::Error) -> Self {
        Self::Failed { url: url.to_owned(), source: Box::new(source) }
    }

    /// Whether a further attempt may go better: the network, a server that is overloaded or broken; not what it refuses.
    fn may_pass(&self) -> bool {
        match self {
            Self::Refused { status, .. } => matches!(status, 408 | 429 | 500..=599),
            Self::Failed { source, .. } => matches!(
                **source,
                ureq::Error::Io(_)
                    | ureq::Error::Timeout(_)
                    | ureq::Error::HostNotFound
                    | ureq::Error::ConnectionFailed
                    | ureq::Error::Protocol(_)
            ),
            Self::Truncated { .. } => true,
            Self::WrongChecksum { .. } | Self::Unwritable { .. } | Self::GivenUp { .. } => false,
        }
    }
}

fn of(total: Option<u64>) -> String {
    total.map_or_else(String::new, |total| format!(" of {total}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_are_named_are_asked_directly() {
        let is_direct = |no_proxy: &[&str], url: &str| {
            let no_proxy: Vec<String> = no_proxy.iter().map(|host| (*host).to_owned()).collect();
            let proxy = proxy("http://me:p%40ss@proxy.example:3128", &no_proxy).expect("an address");
            assert_eq!((proxy.host(), proxy.port(), proxy.password()), ("proxy.example", 3128, Some("p@ss")));
            proxy.is_no_proxy(&url.parse().expect("a URL"))
        };
        for host in ["hub.example", ".hub.example", "*.hub.example", "HUB.example", "*"] {
            assert!(is_direct(&["localhost", host], "https://hub.example/a"), "{host}");
            assert!(is_direct(&["localhost", host], "https://cdn.Hub.example:8443/a"), "{host}");
        }
        assert!(is_direct(&["127.0.0.1"], "http://127.0.0.1:9000/a"));
        for url in ["https://otherhub.example/a", "https://example/a"] {
            assert!(!is_direct(&["hub.example"], url), "{url}");
        }
        assert!(!is_direct(&[], "https://hub.example/a"));
    }
}
