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
