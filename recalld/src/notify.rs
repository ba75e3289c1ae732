//! Notifications to the service manager. Without one, every call does nothing.

#[cfg(unix)]
#[path = "notify/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "notify/windows.rs"]
mod platform;

pub(crate) use platform::{is_managed, ready, stopping, watchdog};
