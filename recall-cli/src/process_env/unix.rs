//! The process and its machine on Unix.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The variable with the user's name.
pub(super) const USER: &str = "USER";

pub(super) fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

pub(super) fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|seen| seen.is_file() && seen.permissions().mode() & 0o111 != 0)
}

/// Returns none: only Windows has a task scheduler.
pub(super) fn account() -> Option<String> {
    None
}
