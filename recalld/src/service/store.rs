//! The ids and names of stores in messages.

use std::path::Path;

use recall_api::v1;
use recall_core::ContentHash;
use recall_engine::Coverage;

/// Returns a store's id, a hash of its root's path.
pub(super) fn id(root: &Path) -> String {
    ContentHash::hash(root.as_os_str().as_encoded_bytes()).short()
}

/// Returns the id of the searched store with that index; empty if there is none.
pub(super) fn id_at(place: usize, coverage: &[Coverage]) -> String {
    coverage.get(place).map(|coverage| id(&coverage.root)).unwrap_or_default()
}

/// Returns the generation of the project's store, or of the first searched store if the project's was not searched.
pub(super) fn generation(coverage: &[Coverage]) -> u64 {
    coverage.first().map_or(0, |coverage| coverage.generation.0)
}

/// Returns a store's name, which is that of its root's directory.
pub(super) fn name(root: &Path) -> String {
    root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned()
}

/// Gives a published document its id.
pub(super) fn name_document(doc: &mut v1::Document) {
    doc.id.clone_from(&doc.path);
}

/// Gives a chunk of a published document its id.
pub(super) fn name_chunk(chunk: &mut v1::Chunk, path: &str, ordinal: u32) {
    chunk.id = format!("{path}#{ordinal}");
    path.clone_into(&mut chunk.doc_id);
}
