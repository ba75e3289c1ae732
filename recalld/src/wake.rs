//! The sources of the daemon's events: signals, idleness, the end of its owner.

#[cfg(unix)]
#[path = "wake/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "wake/windows.rs"]
mod platform;

use std::io::{self, Read as _};
use std::time::Duration;

use crate::activity::Activity;
use crate::event::{Event, Events};
pub(crate) use platform::on_signals;

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
