//! The listening socket: a Unix socket, or a named pipe on Windows; and why the daemon cannot listen.
//!
//! Its directory is prepared by the caller, so that no other user can write to it. Only the holder of the daemon's lock may
//! call [`bind`]: the lock makes it safe to remove a stale socket.

#[cfg(unix)]
#[path = "socket/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "socket/windows.rs"]
mod platform;

use std::io;
use std::path::PathBuf;

pub(crate) use platform::{Bound, FileId, Inherited, SocketFile, adopt, bind, inherit, is_live, path_of};

/// The daemon cannot listen.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(windows, expect(dead_code, reason = "a named pipe has no file, and no service manager hands it over"))]
pub(crate) enum SocketError {
    /// The path is longer than the kernel allows.
    #[error("the socket's path `{}` is {bytes} bytes long, the system allows {most}", path.display())]
    PathTooLong {
        /// The path of the socket.
        path: PathBuf,
        /// Its length in bytes.
        bytes: usize,
        /// The longest that the system allows.
        most: usize,
    },
    /// The file at the path is not a socket.
    #[error("`{}` is not a socket", path.display())]
    NoSocket {
        /// The path of the file, which is left as it is.
        path: PathBuf,
    },
    /// Another process listens there without holding the lock.
    #[error("another process listens on `{}`", path.display())]
    Live {
        /// The path of the other process's socket.
        path: PathBuf,
    },
    /// The system refuses.
    #[error("cannot listen on `{}`", path.display())]
    Bind {
        /// The path of the socket.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// The service manager's socket cannot be used.
    #[error("cannot take over the socket of the service manager")]
    Adopt {
        /// What is wrong with the socket that was handed over.
        #[source]
        source: io::Error,
    },
}
