//! The process and its machine on Windows.

use std::path::Path;

/// The variable with the user's name.
pub(super) const USER: &str = "USERNAME";

pub(super) fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

pub(super) fn is_program(file: &Path) -> bool {
    file.is_file()
}

/// Returns the security identifier of the user.
pub(super) fn account() -> Option<String> {
    recall_config::user_of(std::process::id())
}
