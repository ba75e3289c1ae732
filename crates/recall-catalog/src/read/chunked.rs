//! Documents with their chunks.

use recall_core::{Chunk, ChunkRow, DocPath, DocumentRow, DocumentType};

use super::Snapshot;
use crate::rows::{chunks, documents};
use crate::{ReadError, text_blocks};

/// The chunk rows of a document, which are consecutive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkRun {
    /// The document.
    pub document: DocumentRow,
    /// The row of its first chunk.
    pub first: ChunkRow,
    /// The number of its chunks.
    pub count: u32,
}

impl ChunkRun {
    /// The rows, ascending.
    pub fn rows(&self) -> impl Iterator<Item = ChunkRow> + use<> {
        (self.first.0..self.first.0 + i64::from(self.count)).map(ChunkRow)
    }
}

/// A document's text and its chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkedDocument {
    /// Its path.
    pub path: DocPath,
    /// Its type.
    pub document_type: DocumentType,
    /// The row of its first chunk. The others follow.
    pub first: ChunkRow,
    /// Its whole text.
    pub text: String,
    /// Its chunks in order.
    pub chunks: Vec<Chunk>,
}

impl Snapshot<'_> {
    /// The chunk rows of all documents, in the order of the documents' rows.
    pub fn chunk_runs(&self) -> Result<Vec<ChunkRun>, ReadError> {
        documents::chunk_runs(self.connection())
    }

    /// A document's text with its chunks. `None` if there is no such row.
    ///
    /// # Errors
    /// The catalog is damaged or cannot be read.
    pub fn chunked_document(&self, document: DocumentRow) -> Result<Option<ChunkedDocument>, ReadError> {
        let corrupt = || ReadError::damaged(format!("the text of document row {} is corrupt", document.0));
        let read = |_: &documents::Entry, stored: &[u8]| text_blocks::decompress(stored).ok_or_else(corrupt);
        let Some((entry, text)) = documents::with_text(self.connection(), document, read)? else { return Ok(None) };
        let chunks = chunks::in_rows(self.connection(), entry.chunk_rows())?;
        let documents::Entry { document, first_chunk: first, .. } = entry;
        Ok(Some(ChunkedDocument { path: document.path, document_type: document.document_type, first, text, chunks }))
    }
}
