//! Here are chunk rows that a search found: what are they?

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use recall_core::{ChunkId, ChunkRow, DocumentRow};

use super::{Snapshot, StoredChunk, StoredDocument};
use crate::rows::{chunks, documents, texts};
use crate::{ReadError, text_blocks};

/// What the chunks of one document share.
struct Shared {
    stored: StoredDocument,
    first_chunk: ChunkRow,
    compressed: Vec<u8>,
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
        let mut documents = HashMap::new();
        rows.iter().map(|&row| self.hit(row, &mut documents)).collect()
    }

    fn hit(
        &self,
        row: ChunkRow,
        documents: &mut HashMap<DocumentRow, Shared>,
    ) -> Result<Option<StoredChunk>, ReadError> {
        let Some(chunks::Entry { document, mut chunk }) = chunks::by_row(self.connection(), row)? else {
            return Ok(None);
        };
        let shared = match documents.entry(document) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(self.shared(document)?),
        };
        let garbled = || ReadError::damaged(format!("chunk row {} does not fit its document", row.0));
        chunk.ordinal = u32::try_from(row.0 - shared.first_chunk.0)
            .ok()
            .filter(|&ordinal| ordinal < shared.stored.chunk_count)
            .ok_or_else(garbled)?;
        let text = text_blocks::decompress_span(&shared.compressed, chunk.span.bytes).ok_or_else(garbled)?;
        let id = ChunkId { document: shared.stored.document.id, ordinal: chunk.ordinal };
        Ok(Some(StoredChunk { id, row, document: shared.stored.clone(), chunk, text }))
    }

    fn shared(&self, row: DocumentRow) -> Result<Shared, ReadError> {
        let missing = || ReadError::damaged(format!("document row {} has chunks and is missing", row.0));
        let entry = documents::by_row(self.connection(), row)?.ok_or_else(missing)?;
        let compressed = texts::compressed(self.connection(), row)?.ok_or_else(missing)?;
        let first_chunk = entry.first_chunk;
        Ok(Shared { stored: self.stored(entry)?, first_chunk, compressed })
    }
}
