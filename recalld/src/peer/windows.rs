//! Users on Windows: the system has compared the peer with the access list of the pipe, which has one user.

use interprocess::local_socket::tokio::Stream;

/// The one user of the access list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct User;

/// Returns the user of this process.
pub(crate) fn own_user() -> User {
    User
}

/// Returns the user of the peer.
#[expect(clippy::unnecessary_wraps, reason = "on Unix the system may not report it")]
pub(crate) fn user(_stream: &Stream) -> Option<User> {
    Some(User)
}
