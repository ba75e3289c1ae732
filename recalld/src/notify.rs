//! What does the service manager want to know?
//!
//! Without one, every call does nothing.

use sd_notify::NotifyState;

/// Whether a service manager started the daemon, and keeps it.
pub(crate) fn is_managed() -> bool {
    ["NOTIFY_SOCKET", "LISTEN_FDS"].iter().any(|name| std::env::var_os(name).is_some())
}

/// Says that requests are answered.
pub(crate) fn ready() {
    send(NotifyState::Ready);
}

/// Says that the daemon is about to end.
pub(crate) fn stopping() {
    send(NotifyState::Stopping);
}

/// Says again and again that the daemon is alive, when the service manager wants to hear it.
pub(crate) async fn watchdog() {
    let Some(limit) = sd_notify::watchdog_enabled() else { return };
    // Half the limit, as the manual of sd_watchdog_enabled recommends.
    let mut tick = tokio::time::interval(limit / 2);
    loop {
        tick.tick().await;
        send(NotifyState::Watchdog);
    }
}

fn send(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "the service manager could not be told");
    }
}
