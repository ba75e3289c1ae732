//! What the daemon asks of the system for its own process.

#[cfg(unix)]
#[path = "process/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "process/windows.rs"]
mod platform;

pub(crate) use platform::{keep_files_private, leave_terminal, raise_file_limit};
