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
