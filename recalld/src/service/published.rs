//! Ids of what was published to a shared store. No store of this machine knows its documents by number, so their ids are their paths.

use recall_api::v1;

/// Gives a published document its id.
pub(super) fn name_document(doc: &mut v1::Document) {
    doc.id.clone_from(&doc.path);
}

/// Gives a chunk of a published document its id.
pub(super) fn name_chunk(chunk: &mut v1::Chunk, path: &str, ordinal: u32) {
    chunk.id = format!("{path}#{ordinal}");
    path.clone_into(&mut chunk.doc_id);
}
