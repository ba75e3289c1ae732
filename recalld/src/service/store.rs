//! Which name does a store answer to?

use std::path::Path;

use recall_core::ContentHash;

/// A store's id: stable while its root stays where it is.
pub(super) fn id(root: &Path) -> String {
    ContentHash::of(root.as_os_str().as_encoded_bytes()).short()
}

/// A store's name: that of its root's directory.
pub(super) fn name(root: &Path) -> String {
    root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned()
}
