//! Users on Unix.

use interprocess::local_socket::tokio::Stream;
use interprocess::local_socket::traits::StreamCommon as _;

/// A user id.
pub(crate) type User = u32;

/// Returns the effective user of this process.
pub(crate) fn own_user() -> User {
    rustix::process::geteuid().as_raw()
}

/// Returns the effective user of the peer, as the kernel recorded it at connect time.
pub(crate) fn user(stream: &Stream) -> Option<User> {
    stream.peer_creds().ok().and_then(|creds| creds.euid())
}
