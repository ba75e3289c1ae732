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
