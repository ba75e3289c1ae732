//! Notifications to the service manager. Without one, every call does nothing.

pub(crate) use platform::{is_managed, ready, stopping, watchdog};

#[cfg(unix)]
mod platform {
    //! Notifications to systemd.

    use sd_notify::NotifyState;

    /// Returns whether a service manager started the daemon.
    pub(crate) fn is_managed() -> bool {
        ["NOTIFY_SOCKET", "LISTEN_FDS"].iter().any(|name| std::env::var_os(name).is_some())
    }

    /// Reports that the daemon answers requests.
    pub(crate) fn ready() {
        send(NotifyState::Ready);
    }

    /// Reports that the daemon is about to end.
    pub(crate) fn stopping() {
        send(NotifyState::Stopping);
    }

    /// Reports periodically that the daemon is alive, if the service manager has a watchdog.
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
            tracing::warn!(%error, "cannot notify the service manager");
        }
    }
}

#[cfg(windows)]
mod platform {
    //! Windows has no service manager for a user: a task starts the daemon at logon and is not told about it.

    /// Returns whether a service manager started the daemon.
    pub(crate) fn is_managed() -> bool {
        false
    }

    /// Does nothing.
    pub(crate) fn ready() {}

    /// Does nothing.
    pub(crate) fn stopping() {}

    /// Returns at once.
    #[expect(clippy::unused_async, reason = "the same function as on Unix")]
    pub(crate) async fn watchdog() {}
}
