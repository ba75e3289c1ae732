//! Who connects, and who is turned away at the door?

use std::io;
use std::sync::Arc;
use std::time::Duration;

use interprocess::local_socket::tokio::{Listener, Stream};
use interprocess::local_socket::traits::tokio::Listener as _;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use crate::activity::Activity;
use crate::connection::Connection;
use crate::peer::{self, Admission};

/// How long the loop rests after a failed accept. Running out of descriptors is the usual reason: only time helps.
const REST: Duration = Duration::from_millis(50);

/// Takes connections in.
pub(crate) struct Acceptor {
    listener: Listener,
    own_uid: u32,
    places: Arc<Semaphore>,
    write_patience: Duration,
    activity: Activity,
}

impl Acceptor {
    /// Takes connections of `own_uid` from a listener, at most `most` at a time.
    pub(crate) fn new(
        listener: Listener,
        own_uid: u32,
        most: usize,
        write_patience: Duration,
        activity: Activity,
    ) -> Self {
        Self { listener, own_uid, places: Arc::new(Semaphore::new(most)), write_patience, activity }
    }

    /// Passes each admitted connection on, until `stop` or until nobody takes them any more. The listener goes with it.
    pub(crate) async fn run(self, admitted: mpsc::Sender<io::Result<Connection>>, stop: CancellationToken) {
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                accepted = self.listener.accept() => accepted,
            };
            match accepted {
                Ok(stream) => {
                    if let Some(connection) = self.admit(stream)
                        && admitted.send(Ok(connection)).await.is_err()
                    {
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

    /// Checks who is there and whether there is a place; a refused stream is closed unread.
    fn admit(&self, stream: Stream) -> Option<Connection> {
        match peer::admission(self.own_uid, peer::uid(&stream)) {
            Admission::Admitted => {}
            Admission::OtherUser { uid } => {
                tracing::warn!(uid, "refused a connection of another user");
                return None;
            }
            Admission::Unknown => {
                tracing::warn!("refused a connection whose user the system does not name");
                return None;
            }
        }
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            tracing::warn!(clients = self.activity.clients(), "refused a connection: too many are open");
            return None;
        };
        Some(Connection::new(stream, self.write_patience, self.activity.enter(), place))
    }
}
