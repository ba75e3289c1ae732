//! Why the daemon cannot listen.

use std::io;
use std::path::PathBuf;

/// The daemon cannot listen.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(windows, expect(dead_code, reason = "a named pipe has no file, and no service manager hands it over"))]
pub(crate) enum SocketError {
    /// The path is longer than the kernel allows.
    #[error("the socket's path `{}` is {bytes} bytes long, the system allows {most}", path.display())]
    PathTooLong {
        /// The path.
        path: PathBuf,
        /// Its length.
        bytes: usize,
        /// The longest that the system allows.
        most: usize,
    },
    /// The file at the path is not a socket.
    #[error("`{}` is not a socket", path.display())]
    NoSocket {
        /// The path.
        path: PathBuf,
    },
    /// Another process listens there without holding the lock.
    #[error("another process listens on `{}`", path.display())]
    Live {
        /// The path.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("cannot listen on `{}`", path.display())]
    Bind {
        /// The path.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The service manager's socket cannot be used.
    #[error("cannot take over the socket of the service manager")]
    Adopt {
        /// Why.
        #[source]
        source: io::Error,
    },
}
