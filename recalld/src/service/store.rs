//! Which name does a store answer to?

use std::path::Path;

use recall_core::ContentHash;
use recall_engine::Coverage;

/// A store's id: stable while its root stays where it is.
pub(super) fn id(root: &Path) -> String {
    ContentHash::of(root.as_os_str().as_encoded_bytes()).short()
}

/// The id of the answering store at that place; empty where none answered.
pub(super) fn id_at(place: usize, coverage: &[Coverage]) -> String {
    coverage.get(place).map(|coverage| id(&coverage.root)).unwrap_or_default()
}

/// The generation of the project's store; where that was not asked, of the first that was.
pub(super) fn generation(coverage: &[Coverage]) -> u64 {
    coverage.first().map_or(0, |coverage| coverage.generation.0)
}

/// A store's name: that of its root's directory.
pub(super) fn name(root: &Path) -> String {
    root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned()
}
