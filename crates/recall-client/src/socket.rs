//! The daemon's socket, and the check of its owner.

use std::io;
use std::path::Path;

use hyper_util::rt::TokioIo;
use interprocess::local_socket::tokio::Stream;
use interprocess::local_socket::traits::tokio::Stream as _;
use interprocess::local_socket::{GenericFilePath, ToFsName};
use tokio::io::BufWriter;
use tonic::transport::{Channel, Endpoint, Uri};

/// The write buffer of a connection; nearly every call is smaller.
const WRITE_BUFFER_BYTES: usize = 4 * 1024;

/// The user of a listener, as the system names it.
pub(crate) type User = platform::User;

/// Connects to a listener of this user.
pub(crate) async fn open(path: &Path) -> Result<Stream, OpenError> {
    let name = path.to_fs_name::<GenericFilePath>().map_err(OpenError::Io)?;
    let stream = Stream::connect(name).await.map_err(|source| match source {
        source if platform::has_no_listener(&source) => OpenError::NoListener,
        source => OpenError::Io(source),
    })?;
    // Another user with access to the path could impersonate the daemon.
    let owner = platform::owner(&stream);
    if owner == Some(platform::own_user()) { Ok(stream) } else { Err(OpenError::ForeignOwner { owner }) }
}

/// Returns whether there is a socket, whether or not a process listens on it.
pub(crate) fn exists(path: &Path) -> bool {
    platform::exists(path)
}

/// Creates a channel over an open stream. If the stream breaks, the next call opens the socket again.
pub(crate) async fn channel(path: &Path, first: Stream) -> Result<Channel, tonic::transport::Error> {
    let path = path.to_owned();
    let mut first = Some(first);
    let connector = tower::service_fn(move |_: Uri| {
        let (path, first) = (path.clone(), first.take());
        async move {
            let stream = match first {
                Some(stream) => stream,
                None => open(&path).await.map_err(io::Error::other)?,
            };
            // Sends the headers and the message of a call in one write.
            Ok::<_, io::Error>(TokioIo::new(BufWriter::with_capacity(WRITE_BUFFER_BYTES, stream)))
        }
    });
    // HTTP/2 requires an authority, which has no meaning on a local socket.
    Endpoint::from_static("http://recall.local").connect_with_connector(connector).await
}

/// The socket could not be opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    /// There is no socket, or no process listens on it.
    #[error("no process listens")]
    NoListener,
    /// Somebody else listens; `None` when the system does not say who.
    #[error("the listener belongs to another user")]
    ForeignOwner {
        /// The owner.
        owner: Option<User>,
    },
    /// The system refused.
    #[error(transparent)]
    Io(io::Error),
}

#[cfg(unix)]
mod platform {
    //! The owner of a Unix socket.

    use std::io;
    use std::path::Path;

    use interprocess::local_socket::tokio::Stream;
    use interprocess::local_socket::traits::StreamCommon as _;

    /// A user id.
    pub(super) type User = u32;

    /// Returns the user that listens; `None` if the system does not say.
    pub(super) fn owner(stream: &Stream) -> Option<User> {
        stream.peer_creds().ok().and_then(|creds| creds.euid())
    }

    /// Returns the user of this process.
    pub(super) fn own_user() -> User {
        rustix::process::geteuid().as_raw()
    }

    pub(super) fn exists(path: &Path) -> bool {
        path.exists()
    }

    pub(super) fn has_no_listener(error: &io::Error) -> bool {
        matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
    }
}

#[cfg(windows)]
mod platform {
    //! The owner of a named pipe.

    use std::io;
    use std::path::Path;

    use interprocess::local_socket::tokio::Stream;
    use interprocess::local_socket::traits::StreamCommon as _;

    /// A security identifier.
    pub(super) type User = String;

    /// Returns the user of the process that made the pipe; `None` if the system does not say.
    pub(super) fn owner(stream: &Stream) -> Option<User> {
        recall_config::user_of(stream.peer_creds().ok()?.pid()?)
    }

    /// Returns the user of this process; empty, which no listener has, if the system does not say.
    pub(super) fn own_user() -> User {
        recall_config::user_of(std::process::id()).unwrap_or_default()
    }

    /// A pipe exists only while its process listens, and looking for it would take a place in it.
    pub(super) fn exists(_path: &Path) -> bool {
        false
    }

    /// `ERROR_HANDLES_CLOSED`: the last end of the pipe was closed while this client waited for its place.
    const HANDLES_CLOSED: i32 = 676;

    pub(super) fn has_no_listener(error: &io::Error) -> bool {
        error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(HANDLES_CLOSED)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_missing_and_a_stale_socket_have_no_listener() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("recalld.sock");
        assert!(matches!(open(&path).await, Err(OpenError::NoListener)));
        drop(std::os::unix::net::UnixListener::bind(&path).expect("free"));
        assert!(matches!(open(&path).await, Err(OpenError::NoListener)));
    }

    #[tokio::test]
    async fn a_listener_of_this_user_is_trusted() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("recalld.sock");
        let _listener = std::os::unix::net::UnixListener::bind(&path).expect("free");
        assert!(open(&path).await.is_ok());
    }
}
