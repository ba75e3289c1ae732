//! Classification of symlinks.

use std::io;
use std::path::Path;

use crate::SkipReason;

/// Returns why the symlink at `link` is not indexed. `root` is canonical.
///
/// Links are never followed: a target inside the root is indexed under its own name, and a target outside does not
/// belong to the project.
pub(crate) fn reason(root: &Path, link: &Path) -> SkipReason {
    match dunce::canonicalize(link) {
        Ok(target) if target.starts_with(root) => SkipReason::SymlinkInside,
        Ok(_) => SkipReason::SymlinkOutside,
        Err(error) if error.kind() == io::ErrorKind::NotFound => SkipReason::SymlinkBroken,
        Err(error) if is_loop(&error) => SkipReason::SymlinkLoop,
        Err(error) => SkipReason::Unreadable { error: error.to_string() },
    }
}

#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_loop(_: &io::Error) -> bool {
    false
}
