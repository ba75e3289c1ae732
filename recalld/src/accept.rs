//! The accept loop, which admits connections of the daemon's user only.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use interprocess::local_socket::tokio::Stream;
use interprocess::local_socket::traits::tokio::Listener as _;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::activity::Activity;
use crate::connection::Connection;
use crate::peer::{self, Admission, User};
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
        match peer::admission(self.own, peer::user(&stream)) {
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
