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
