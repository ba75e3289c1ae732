//! Which chunks are there, and what stands in those of one document?

use recall_core::{Chunk, ChunkRow, DocPath, DocumentRow, DocumentType};

use super::Snapshot;
use crate::rows::{chunks, documents};
use crate::{ReadError, text_blocks};

/// The rows of a document's chunks, which follow each other without a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkRun {
    /// The document.
    pub document: DocumentRow,
    /// The row of its first chunk.
    pub first: ChunkRow,
    /// How many it has.
    pub count: u32,
}

impl ChunkRun {
    /// The rows, ascending.
    pub fn rows(&self) -> impl Iterator<Item = ChunkRow> + use<> {
        (self.first.0..self.first.0 + i64::from(self.count)).map(ChunkRow)
    }
}

/// A document's text, cut into its chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunked {
    /// Its path.
    pub path: DocPath,
    /// What kind of document it is.
    pub document_type: DocumentType,
    /// The row of its first chunk; those of the others follow.
    pub first: ChunkRow,
    /// Its whole text.
    pub text: String,
    /// Its chunks in order.
    pub chunks: Vec<Chunk>,
}

impl Snapshot<'_> {
    /// The chunks of every document, in the order of documents' rows.
    ///
    /// # Errors
    /// The catalog cannot be read.
    pub fn chunk_runs(&self) -> Result<Vec<ChunkRun>, ReadError> {
        documents::chunk_runs(self.connection())
    }

    /// A document's text with its chunks; `None` for a row that is no more or not yet.
    ///
    /// # Errors
    /// The catalog cannot be read, or is damaged.
    pub fn chunked(&self, document: DocumentRow) -> Result<Option<Chunked>, ReadError> {
        let garbled = || ReadError::damaged(format!("the text of document row {} is garbled", document.0));
        let read = |_: &documents::Entry, stored: &[u8]| text_blocks::decompress(stored).ok_or_else(garbled);
        let Some((entry, text)) = documents::with_text(self.connection(), document, read)? else { return Ok(None) };
        let chunks = chunks::in_rows(self.connection(), entry.chunk_rows())?;
        let documents::Entry { document, first_chunk: first, .. } = entry;
        Ok(Some(Chunked { path: document.path, document_type: document.document_type, first, text, chunks }))
    }
}
