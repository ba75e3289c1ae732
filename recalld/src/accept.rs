//! The accept loop, which admits connections of the daemon's user only, and the user at the other end of a connection.

use std::io;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use platform::{User, own_user, user};

use interprocess::local_socket::tokio::Stream;
use interprocess::local_socket::traits::tokio::Listener as _;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::activity::Activity;
use crate::connection::Connection;
use crate::places::Places;
use crate::socket::Bound;

/// How long the loop pauses after a failed accept. The usual reason is a lack of descriptors, which only time cures.
const REST: Duration = Duration::from_millis(50);

pub(crate) struct Acceptor {
    bound: Bound,
    own: User,
    places: Arc<Places>,
    write_patience: Duration,
    activity: Activity,
}

impl Acceptor {
    /// Creates an acceptor of connections of `own`, at most as many at once as there are places.
    pub(crate) fn new(
        bound: Bound,
        own: User,
        places: Arc<Places>,
        write_patience: Duration,
        activity: Activity,
    ) -> Self {
        Self { bound, own, places, write_patience, activity }
    }

    /// Passes on each admitted connection, until `stop` is cancelled or the receiver is dropped. Drops the socket at the end.
    ///
    /// Each socket from `rebound` replaces the previous one.
    pub(crate) async fn run(
        mut self,
        mut rebound: mpsc::Receiver<Bound>,
        admitted: mpsc::Sender<io::Result<Connection>>,
        stop: CancellationToken,
    ) {
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                Some(bound) = rebound.recv() => {
                    self.bound = bound;
                    continue;
                }
                accepted = self.bound.listener.accept() => accepted,
            };
            match accepted {
                Ok(stream) => {
                    let Some(stream) = self.admit(stream) else { continue };
                    let Some(connection) = stop.run_until_cancelled(self.seat(stream)).await else { return };
                    if admitted.send(Ok(connection)).await.is_err() {
                        return;
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(REST).await;
                }
            }
        }
    }

    /// Waits for a place for a connection; later connections wait in the backlog of the socket.
    async fn seat(&self, stream: Stream) -> Connection {
        let presence = self.activity.enter();
        let place = self.places.enter(presence.client()).await;
        Connection::new(stream, self.write_patience, presence, place)
    }

    /// Checks the user of the peer. A refused stream is closed unread.
    fn admit(&self, stream: Stream) -> Option<Stream> {
        match admission(self.own, user(&stream)) {
            Admission::Admitted => Some(stream),
            Admission::OtherUser { user } => {
                tracing::warn!(?user, "refused a connection of another user");
                None
            }
            Admission::Unknown => {
                tracing::warn!("refused a connection whose user the system does not name");
                None
            }
        }
    }
}

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
