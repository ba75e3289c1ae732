//! The user at the other end of a connection, and whether to admit them.

pub(crate) use platform::{User, own_user, user};

/// The decision about a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// The peer is the daemon's own user.
    Admitted,
    /// The peer is another user.
    OtherUser {
        /// The user that the kernel reported.
        user: User,
    },
    /// The kernel did not report the peer's user.
    Unknown,
}

/// Admits a peer only if the kernel reports the daemon's own user. Root is refused like any other user.
pub(crate) fn admission(own: User, peer: Option<User>) -> Admission {
    match peer {
        Some(user) if user == own => Admission::Admitted,
        Some(user) => Admission::OtherUser { user },
        None => Admission::Unknown,
    }
}

#[cfg(unix)]
mod platform {
    //! Users on Unix.

    use interprocess::local_socket::tokio::Stream;
    use interprocess::local_socket::traits::StreamCommon as _;

    pub(crate) type User = u32;

    /// Returns the effective user of this process.
    pub(crate) fn own_user() -> User {
        rustix::process::geteuid().as_raw()
    }

    /// Returns the effective user of the peer, as the kernel recorded it at connect time.
    pub(crate) fn user(stream: &Stream) -> Option<User> {
        stream.peer_creds().ok().and_then(|creds| creds.euid())
    }
}

#[cfg(windows)]
mod platform {
    //! Users on Windows: the system has compared the peer with the access list of the pipe, which has one user.

    use interprocess::local_socket::tokio::Stream;

    /// The one user of the access list.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct User;

    /// Returns the user of this process.
    pub(crate) fn own_user() -> User {
        User
    }

    #[expect(clippy::unnecessary_wraps, reason = "on Unix the system may not report it")]
    pub(crate) fn user(_stream: &Stream) -> Option<User> {
        Some(User)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_user_is_admitted() {
        assert_eq!(admission(1000, Some(1000)), Admission::Admitted);
        assert_eq!(admission(1000, Some(1001)), Admission::OtherUser { user: 1001 });
        assert_eq!(admission(1000, Some(0)), Admission::OtherUser { user: 0 });
        assert_eq!(admission(0, Some(65534)), Admission::OtherUser { user: 65534 });
        assert_eq!(admission(1000, None), Admission::Unknown);
    }
}
