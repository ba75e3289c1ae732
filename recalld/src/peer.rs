//! The user at the other end of a connection, and whether to admit them.

#[cfg(unix)]
#[path = "peer/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "peer/windows.rs"]
mod platform;

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
