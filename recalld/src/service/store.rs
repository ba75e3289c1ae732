//! Which name does a store answer to?

use std::path::Path;

use recall_core::{ContentHash, Scope, StoreScope};
use recall_engine::Coverage;

/// A store's id: stable while its root stays where it is.
pub(super) fn id(root: &Path) -> String {
    ContentHash::of(root.as_os_str().as_encoded_bytes()).short()
}

/// The id of the answering store of a scope; empty where none answered.
pub(super) fn id_in(scope: StoreScope, coverage: &[Coverage]) -> String {
    let store = coverage.iter().find(|coverage| coverage.scope == scope);
    store.map(|coverage| id(&coverage.root)).unwrap_or_default()
}

/// The generation of the project's store; of the global one where only that was asked.
pub(super) fn generation(asked: Scope, coverage: &[Coverage]) -> u64 {
    let wanted = if asked == Scope::Global { StoreScope::Global } else { StoreScope::Project };
    coverage.iter().find(|coverage| coverage.scope == wanted).map_or(0, |coverage| coverage.generation.0)
}

/// A store's name: that of its root's directory.
pub(super) fn name(root: &Path) -> String {
    root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned()
}
