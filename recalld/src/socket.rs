//! The listening socket: a Unix socket, or a named pipe on Windows.
//!
//! Its directory is prepared by the caller, so that no other user can write to it. Only the holder of the daemon's lock may
//! call [`bind`]: the lock makes it safe to remove a stale socket.

mod error;
#[cfg(unix)]
#[path = "socket/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "socket/windows.rs"]
mod platform;

pub(crate) use error::SocketError;
pub(crate) use platform::{Bound, FileId, Inherited, SocketFile, adopt, bind, inherit, is_live, path_of};
