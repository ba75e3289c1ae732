//! The events that the daemon as a whole reacts to.

use std::time::Duration;

use tokio::sync::mpsc;

/// An event that the daemon as a whole reacts to. Requests are not among them: each is answered on its own.
#[derive(Debug)]
pub(crate) enum Event {
    /// The system or a person ends the daemon.
    Terminate {
        /// The signal's name.
        signal: &'static str,
    },
    /// A client found no socket, or a terminal was closed.
    #[cfg_attr(windows, expect(dead_code, reason = "Windows has no such signal"))]
    Hangup,
    /// A client ends the daemon.
    ShutdownRequested {
        /// Why, in the client's words.
        reason: String,
        /// How long requests may go on.
        drain: Duration,
    },
    /// No client has been connected for the period in the settings.
    Idle,
    /// Another daemon has this one's place, or its socket cannot be restored.
    Displaced {
        /// Why, in words for the log.
        reason: String,
    },
    /// The client that a private daemon belongs to is gone.
    OwnerGone,
}

pub(crate) type Events = mpsc::Sender<Event>;

/// The capacity of the queue. Few events ever wait: each ends the daemon or is handled at once.
const WAITING: usize = 8;

/// Makes both ends of the daemon's queue.
pub(crate) fn queue() -> (Events, mpsc::Receiver<Event>) {
    mpsc::channel(WAITING)
}
