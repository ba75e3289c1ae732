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
