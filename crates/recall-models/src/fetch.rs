//! Downloads over HTTP, with resume and checksums.
//!
//! Calls block. They happen only if the user asked for a model or the runtime.

mod download;

use std::ops::ControlFlow;
use std::time::Duration;

use crate::http::ureq::{self, Agent};
use crate::http::{ClientSettings, Redirects};

pub(crate) use download::{Download, Lock};

/// The largest page that is read, in bytes. The list of all versions of a package has half a megabyte.
const MOST_PAGE_BYTES: u64 = 32 << 20;

/// How to use the network.
#[derive(Clone, Debug)]
pub struct FetchSettings {
    /// The proxy, `http://host:port`; `None` for direct connections.
    pub proxy: Option<String>,
    /// Hosts that are reached directly, each including its subdomains; `*` means all hosts.
    pub no_proxy: Vec<String>,
    /// The timeout for connecting, and for the beginning of a response.
    pub connect_timeout: Duration,
    /// The longest pause in a transfer before it times out.
    pub silence_timeout: Duration,
    /// How often a failed transfer is retried.
    pub retries: u32,
    /// The delay before the first retry. It doubles with each further one.
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

/// The progress of a download.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The file's name.
    pub file: &'a str,
    /// The bytes received so far, including those of earlier attempts.
    pub done_bytes: u64,
    /// The size of the whole file, if the server sent it.
    pub total_bytes: Option<u64>,
}

/// A callback for progress: called at the start, at intervals, and at the end. `Break` cancels the download.
pub type Watch<'a> = dyn FnMut(Progress<'_>) -> ControlFlow<()> + 'a;

/// A client for HTTP and HTTPS.
///
/// Certificates are verified by the operating system, so that a company's own root certificates are accepted.
#[derive(Clone, Debug)]
pub struct Fetcher {
    agent: Agent,
    settings: FetchSettings,
}

impl Fetcher {
    /// Creates a client. It connects to nothing yet.
    ///
    /// # Errors
    /// The address of the proxy is invalid.
    pub fn new(settings: FetchSettings) -> Result<Self, FetchError> {
        let client = ClientSettings {
            proxy: settings.proxy.clone(),
            no_proxy: settings.no_proxy.clone(),
            connect_timeout: settings.connect_timeout,
            response_timeout: settings.connect_timeout,
            silence_timeout: settings.silence_timeout,
            redirects: Redirects::Follow,
        };
        let agent = crate::http::agent(&client);
        let agent =
            agent.map_err(|source| FetchError::failure(settings.proxy.as_deref().unwrap_or_default(), source))?;
        Ok(Self { agent, settings })
    }

    /// Fetches a page as text.
    pub(crate) fn text(&self, url: &str) -> Result<String, FetchError> {
        self.with_retries(|| {
            let mut response = self.agent.get(url).call().map_err(|source| FetchError::failure(url, source))?;
            if !response.status().is_success() {
                return Err(FetchError::Refused { url: url.to_owned(), status: response.status().as_u16() });
            }
            let body = response.body_mut().with_config().limit(MOST_PAGE_BYTES).read_to_string();
            body.map_err(|source| FetchError::failure(url, source))
        })
    }

    /// Repeats an attempt until it succeeds, fails permanently, or has been retried often enough.
    fn with_retries<T>(&self, mut attempt: impl FnMut() -> Result<T, FetchError>) -> Result<T, FetchError> {
        let mut wait = self.settings.retry_after;
        for _ in 0..self.settings.retries {
            match attempt() {
                Err(error) if error.is_transient() => tracing::warn!(%error, ?wait, "a download failed and is retried"),
                done => return done,
            }
            std::thread::sleep(wait);
            wait *= 2;
        }
        attempt()
    }
}

/// A download that did not end with a checked file.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The server responded with an error status.
    #[error("`{url}` answered with status {status}")]
    Refused {
        /// The URL.
        url: String,
        /// The HTTP status, which is not a success.
        status: u16,
    },
    /// The server could not be reached, or the connection broke before a response.
    #[error("cannot fetch `{url}`")]
    Failed {
        /// The URL.
        url: String,
        /// The client's error.
        source: Box<ureq::Error>,
    },
    /// The connection broke during the transfer. The bytes received are kept, and the next attempt resumes after them.
    #[error("the download of `{url}` broke off after {done_bytes} bytes{}", out_of(*total_bytes))]
    Truncated {
        /// The URL.
        url: String,
        /// The bytes received, with those of earlier attempts.
        done_bytes: u64,
        /// The expected size, if known.
        total_bytes: Option<u64>,
    },
    /// The file has the wrong checksum. It was deleted.
    #[error("`{url}` has the checksum {found}, expected {expected}")]
    WrongChecksum {
        /// The URL.
        url: String,
        /// The expected SHA-256 in hexadecimal.
        expected: String,
        /// The SHA-256 of what was received.
        found: String,
    },
    /// The file cannot be written.
    #[error("cannot write `{}`", path.display())]
    Unwritable {
        /// The file.
        path: std::path::PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The progress callback cancelled the download. The bytes received are kept.
    #[error("the download of `{url}` was cancelled")]
    Cancelled {
        /// The URL.
        url: String,
    },
}

impl FetchError {
    fn failure(url: &str, source: ureq::Error) -> Self {
        Self::Failed { url: url.to_owned(), source: Box::new(source) }
    }

    /// Returns whether a retry may succeed: network errors and overloaded or failing servers, but not refusals.
    fn is_transient(&self) -> bool {
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
            Self::WrongChecksum { .. } | Self::Unwritable { .. } | Self::Cancelled { .. } => false,
        }
    }
}

fn out_of(total: Option<u64>) -> String {
    total.map_or_else(String::new, |total| format!(" of {total}"))
}

/// Finds the link of a page whose path ends in `/file`, and makes it absolute using the page's address.
///
/// The page is expected to be a plain list of links, as a Python package index is.
pub(crate) fn link_to(page: &str, address: &str, file: &str) -> Option<String> {
    let links = page.split("href=").skip(1).filter_map(|rest| {
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        rest[1..].split(quote).next()
    });
    let mut paths = links.map(|link| link.split('#').next().unwrap_or(link).replace("&amp;", "&"));
    let path = paths.find(|path| path.split('?').next().and_then(|path| path.rsplit('/').next()) == Some(file))?;
    Some(absolute(&path, address))
}

fn absolute(path: &str, address: &str) -> String {
    if path.contains("://") {
        return path.to_owned();
    }
    let host = address.find("://").and_then(|at| address[at + 3..].find('/').map(|slash| at + 3 + slash));
    let host = host.unwrap_or(address.len());
    if let Some(path) = path.strip_prefix("//") {
        let scheme = address.split("://").next().unwrap_or("https");
        return format!("{scheme}://{path}");
    }
    if path.starts_with('/') {
        return format!("{}{path}", &address[..host]);
    }
    let mut folder = &address[..address.rfind('/').filter(|slash| *slash >= host).unwrap_or(address.len())];
    let mut rest = path;
    while let Some(above) = rest.strip_prefix("../") {
        folder = &folder[..folder.rfind('/').filter(|slash| *slash >= host).unwrap_or(folder.len())];
        rest = above;
    }
    format!("{folder}/{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_by_file_name_and_made_absolute() {
        for (link, expected) in [
            ("https://files.example/a/b.whl#sha256=12", "https://files.example/a/b.whl"),
            ("/files/b.whl", "http://mirror.example:80/files/b.whl"),
            ("b.whl?x=1&amp;y=2", "http://mirror.example:80/simple/pkg/b.whl?x=1&y=2"),
            ("../../files/b.whl", "http://mirror.example:80/files/b.whl"),
            ("//cdn.example/b.whl", "http://cdn.example/b.whl"),
        ] {
            let page = format!("<a href=\"other-b.whl\">o</a>\n<a rel='x' href='{link}'>b.whl</a>");
            let found = link_to(&page, "http://mirror.example:80/simple/pkg/", "b.whl");
            assert_eq!(found.as_deref(), Some(expected));
        }
        assert_eq!(link_to("<a href=a.whl>b.whl</a> href=", "http://x/", "b.whl"), None);
    }
}
