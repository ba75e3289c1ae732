//! Here are chunk rows that a search found: what are they?

use std::collections::BTreeMap;

use recall_core::{ByteSpan, Chunk, ChunkId, ChunkRow, DocumentRow, Span};

use super::{Snapshot, StoredChunk, StoredDocument};
use crate::rows::{chunks, documents, tags, texts};
use crate::{ReadError, text_blocks};

/// A chunk that was asked for.
struct Asked {
    /// Its place in the list that was given.
    place: usize,
    row: ChunkRow,
    chunk: Chunk,
}

impl Snapshot<'_> {
    /// The chunks in these rows, in the order of the rows; `None` for a row that is no more or not yet.
    ///
    /// A document is read once, however many of its chunks are asked for, and only the part of its text that holds
    /// a chunk is decompressed.
    ///
    /// # Errors
    /// Fails as a whole.
    pub fn hits(&self, rows: &[ChunkRow]) -> Result<Vec<Option<StoredChunk>>, ReadError> {
        let mut hits = Vec::new();
        hits.resize_with(rows.len(), || None);
        // Most stores have no labels at all, and to ask so once is cheaper than to ask for those of every document.
        let has_tags = tags::are_any(self.connection())?;
        for (row, asked) in self.by_document(rows)? {
            let read = |_: &documents::Entry, stored: &[u8]| spans(stored, &asked);
            let (documents::Entry { mut document, created, chunk_count, first_chunk, .. }, texts) =
                documents::with_text(self.connection(), row, read)?.ok_or_else(|| missing(row))?;
            if has_tags {
                document.tags = tags::read(self.connection(), row)?;
            }
            let shared = StoredDocument { row, document, created, chunk_count };
            for (Asked { place, row, mut chunk }, text) in asked.into_iter().zip(texts) {
                chunk.ordinal = u32::try_from(row.0 - first_chunk.0)
                    .ok()
                    .filter(|&ordinal| ordinal < chunk_count)
                    .ok_or_else(|| garbled(row))?;
                let id = ChunkId { document: shared.document.id, ordinal: chunk.ordinal };
                hits[place] = Some(StoredChunk { id, row, document: shared.clone(), chunk, text });
            }
        }
        Ok(hits)
    }

    /// The texts alone of the chunks in these rows, in the order of the rows; `None` for a row that is no more or not yet.
    ///
    /// # Errors
    /// Fails as a whole.
    pub fn chunk_texts(&self, rows: &[ChunkRow]) -> Result<Vec<Option<String>>, ReadError> {
        let mut found = vec![None; rows.len()];
        for (row, asked) in self.by_document(rows)? {
            let texts = texts::with_compressed(self.connection(), row, |stored| spans(stored, &asked))?
                .ok_or_else(|| missing(row))?;
            for (Asked { place, .. }, text) in asked.into_iter().zip(texts) {
                found[place] = Some(text);
            }
        }
        Ok(found)
    }

    /// Where the chunk in a row stands; `None` for a row that is no more or not yet.
    pub fn chunk_span(&self, row: ChunkRow) -> Result<Option<Span>, ReadError> {
        Ok(chunks::by_row(self.connection(), row)?.map(|entry| entry.chunk.span))
    }

    /// The chunks that are there, document by document.
    fn by_document(&self, rows: &[ChunkRow]) -> Result<BTreeMap<DocumentRow, Vec<Asked>>, ReadError> {
        let mut documents: BTreeMap<DocumentRow, Vec<Asked>> = BTreeMap::new();
        for (place, &row) in rows.iter().enumerate() {
            if let Some(chunks::Entry { document, chunk }) = chunks::by_row(self.connection(), row)? {
                documents.entry(document).or_default().push(Asked { place, row, chunk });
            }
        }
        Ok(documents)
    }
}

/// The texts of chunks of one document, out of its text as it is stored.
fn spans(stored: &[u8], asked: &[Asked]) -> Result<Vec<String>, ReadError> {
    let span_of = |asked: &Asked| -> Result<String, ReadError> {
        let span: ByteSpan = asked.chunk.span.bytes;
        text_blocks::decompress_span(stored, span).ok_or_else(|| garbled(asked.row))
    };
    asked.iter().map(span_of).collect()
}

fn missing(row: DocumentRow) -> ReadError {
    ReadError::damaged(format!("document row {} has chunks and is missing", row.0))
}

fn garbled(row: ChunkRow) -> ReadError {
    ReadError::damaged(format!("chunk row {} does not fit its document", row.0))
}
