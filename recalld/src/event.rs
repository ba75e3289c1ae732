//! The events that the daemon as a whole reacts to, and their sources: signals, idleness, the end of its owner.

use std::io::{self, Read as _};
use std::time::Duration;

pub(crate) use platform::on_signals;

use tokio::sync::mpsc;

use crate::activity::Activity;

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

/// The stack of the thread that waits for the owner's end; it does nothing else.
const STACK_BYTES: usize = 64 * 1024;

/// Sends an event when no client has been connected for `period` and no work is in progress.
pub(crate) fn on_idle(
    events: Events,
    activity: Activity,
    period: Duration,
    is_busy: impl Fn() -> bool + Send + 'static,
) {
    tokio::spawn(async move {
        activity.idle_for(period, is_busy).await;
        // The queue is closed if the daemon is ending already.
        let _ = events.send(Event::Idle).await;
    });
}

/// Sends an event when the standard input ends: the owner holds its other end, which the system closes when the owner dies.
///
/// # Errors
/// No thread can be started.
pub(crate) fn on_owner_gone(events: Events) -> io::Result<()> {
    let waiting = std::thread::Builder::new().name("owner".to_owned()).stack_size(STACK_BYTES);
    waiting.spawn(move || {
        let mut ignored = [0; 64];
        let mut stdin = io::stdin().lock();
        while matches!(stdin.read(&mut ignored), Ok(bytes) if bytes > 0) {}
        let _ = events.blocking_send(Event::OwnerGone);
    })?;
    Ok(())
}

#[cfg(unix)]
mod platform {
    //! Signals.

    use std::io;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    use crate::event::{Event, Events};

    /// Sends an event for each signal, until the daemon ends.
    ///
    /// # Errors
    /// A signal handler cannot be installed.
    pub(crate) fn on_signals(events: Events) -> io::Result<()> {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut hangup = signal(SignalKind::hangup())?;
        tokio::spawn(async move {
            while let Some(event) = next_signal(&mut terminate, &mut interrupt, &mut hangup).await {
                if events.send(event).await.is_err() {
                    return;
                }
            }
        });
        Ok(())
    }

    async fn next_signal(terminate: &mut Signal, interrupt: &mut Signal, hangup: &mut Signal) -> Option<Event> {
        tokio::select! {
            received = terminate.recv() => received.map(|()| Event::Terminate { signal: "SIGTERM" }),
            received = interrupt.recv() => received.map(|()| Event::Terminate { signal: "SIGINT" }),
            received = hangup.recv() => received.map(|()| Event::Hangup),
        }
    }
}

#[cfg(windows)]
mod platform {
    //! The events of a console, which a daemon in the foreground has, and the end of the logon session.

    use std::io;

    use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};

    use crate::event::{Event, Events};

    /// Sends an event for each of them, until the daemon ends.
    ///
    /// # Errors
    /// A handler cannot be installed.
    pub(crate) fn on_signals(events: Events) -> io::Result<()> {
        let (mut interrupt, mut stop, mut close, mut shutdown) =
            (ctrl_c()?, ctrl_break()?, ctrl_close()?, ctrl_shutdown()?);
        tokio::spawn(async move {
            loop {
                let signal = tokio::select! {
                    _ = interrupt.recv() => "Ctrl-C",
                    _ = stop.recv() => "Ctrl-Break",
                    _ = close.recv() => "the console closes",
                    _ = shutdown.recv() => "the system shuts down",
                };
                if events.send(Event::Terminate { signal }).await.is_err() {
                    return;
                }
            }
        });
        Ok(())
    }
}
