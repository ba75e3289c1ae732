//! Chunks by row, for the results of a search.

use std::collections::BTreeMap;

use recall_core::{ByteSpan, Chunk, ChunkId, ChunkRow, DocumentRow, Span};

use super::{Snapshot, StoredChunk, StoredDocument};
use crate::catalog::rows::{chunks, documents, texts};
use crate::catalog::{ReadError, text_blocks};

struct Requested {
    /// Its index in the request.
    place: usize,
    row: ChunkRow,
    chunk: Chunk,
}

impl Snapshot<'_> {
    /// The chunks in these rows, in the same order. `None` for a row that does not exist.
    ///
    /// Each document is read once, and only the parts of its text that contain the chunks are decompressed.
    ///
    /// # Errors
    /// The catalog is damaged or cannot be read.
    pub fn hits(&self, rows: &[ChunkRow]) -> Result<Vec<Option<StoredChunk>>, ReadError> {
        let mut hits = Vec::new();
        hits.resize_with(rows.len(), || None);
        // Most stores have no tags at all. Checking once is cheaper than reading the tags of every document.
        let has_tags = documents::are_any_tagged(self.connection())?;
        for (row, requested) in self.by_document(rows)? {
            let read = |_: &documents::Entry, stored: &[u8]| spans(stored, &requested);
            let (documents::Entry { mut document, created, chunk_count, first_chunk, .. }, texts) =
                documents::with_text(self.connection(), row, read)?.ok_or_else(|| missing(row))?;
            if has_tags {
                document.tags = documents::read_tags(self.connection(), row)?;
            }
            let shared = StoredDocument { row, document, created, chunk_count };
            for (Requested { place, row, mut chunk }, text) in requested.into_iter().zip(texts) {
                chunk.ordinal = u32::try_from(row.0 - first_chunk.0)
                    .ok()
                    .filter(|&ordinal| ordinal < chunk_count)
                    .ok_or_else(|| corrupt(row))?;
                let id = ChunkId { document: shared.document.id, ordinal: chunk.ordinal };
                hits[place] = Some(StoredChunk { id, row, document: shared.clone(), chunk, text });
            }
        }
        Ok(hits)
    }

    /// The texts of the chunks in these rows, in the same order. `None` for a row that does not exist.
    ///
    /// # Errors
    /// The catalog is damaged or cannot be read.
    pub fn chunk_texts(&self, rows: &[ChunkRow]) -> Result<Vec<Option<String>>, ReadError> {
        let mut found = vec![None; rows.len()];
        for (row, requested) in self.by_document(rows)? {
            let texts = texts::with_compressed(self.connection(), row, |stored| spans(stored, &requested))?
                .ok_or_else(|| missing(row))?;
            for (Requested { place, .. }, text) in requested.into_iter().zip(texts) {
                found[place] = Some(text);
            }
        }
        Ok(found)
    }

    /// The span of the chunk in a row. `None` if there is none.
    pub fn chunk_span(&self, row: ChunkRow) -> Result<Option<Span>, ReadError> {
        Ok(chunks::by_row(self.connection(), row)?.map(|entry| entry.chunk.span))
    }

    /// The requested chunks that exist, by document.
    fn by_document(&self, rows: &[ChunkRow]) -> Result<BTreeMap<DocumentRow, Vec<Requested>>, ReadError> {
        let mut documents: BTreeMap<DocumentRow, Vec<Requested>> = BTreeMap::new();
        for (place, &row) in rows.iter().enumerate() {
            if let Some(chunks::Entry { document, chunk }) = chunks::by_row(self.connection(), row)? {
                documents.entry(document).or_default().push(Requested { place, row, chunk });
            }
        }
        Ok(documents)
    }
}

/// The texts of the chunks of one document, from its stored text.
fn spans(stored: &[u8], requested: &[Requested]) -> Result<Vec<String>, ReadError> {
    let span_of = |requested: &Requested| -> Result<String, ReadError> {
        let span: ByteSpan = requested.chunk.span.bytes;
        text_blocks::decompress_span(stored, span).ok_or_else(|| corrupt(requested.row))
    };
    requested.iter().map(span_of).collect()
}

fn missing(row: DocumentRow) -> ReadError {
    ReadError::damaged(format!("document row {} is missing but has chunks", row.0))
}

fn corrupt(row: ChunkRow) -> ReadError {
    ReadError::damaged(format!("chunk row {} does not match its document", row.0))
}
