//! Functions of Windows and macOS that neither the standard library nor a well-kept crate offers without `unsafe`. On Linux the
//! module is empty.

#[cfg(windows)]
mod inheritance;
#[cfg(target_os = "macos")]
mod launchd;

#[cfg(windows)]
pub use inheritance::keep_standard_handles;
#[cfg(target_os = "macos")]
pub use launchd::launchd_listener;
