//! The user at the other end of a connection, and whether to admit them.

use interprocess::local_socket::tokio::Stream;
use interprocess::local_socket::traits::StreamCommon as _;

/// The decision about a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// The peer is the daemon's own user.
    Admitted,
    /// The peer is another user.
    OtherUser {
        /// The user that the kernel reported.
        uid: u32,
    },
    /// The kernel did not report the peer's user.
    Unknown,
}

/// Admits a peer only if the kernel reports the daemon's own user. Root is refused like any other user.
pub(crate) fn admission(own_uid: u32, peer_uid: Option<u32>) -> Admission {
    match peer_uid {
        Some(uid) if uid == own_uid => Admission::Admitted,
        Some(uid) => Admission::OtherUser { uid },
        None => Admission::Unknown,
    }
}

/// Returns the effective user of the peer, as the kernel recorded it at connect time.
pub(crate) fn uid(stream: &Stream) -> Option<u32> {
    stream.peer_creds().ok().and_then(|creds| creds.euid())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_user_is_admitted() {
        assert_eq!(admission(1000, Some(1000)), Admission::Admitted);
        assert_eq!(admission(1000, Some(1001)), Admission::OtherUser { uid: 1001 });
        assert_eq!(admission(1000, Some(0)), Admission::OtherUser { uid: 0 });
        assert_eq!(admission(0, Some(65534)), Admission::OtherUser { uid: 65534 });
        assert_eq!(admission(1000, None), Admission::Unknown);
    }
}
