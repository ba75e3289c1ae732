//! What was stored, whole, so that what is derived from it can be made again?

use recall_core::{ChunkRow, Document, DocumentRow, ParsedDocument};

use super::Snapshot;
use crate::ReadError;
use crate::rows::{self, documents::Entry};

/// A document with all that was found in it, as it was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedRecord {
    /// The document's row.
    pub row: DocumentRow,
    /// The row of its first chunk; the others follow without a gap, in order.
    pub first_chunk: ChunkRow,
    /// The document.
    pub document: Document,
    /// Its whole text.
    pub text: String,
    /// What the text was found to hold, without edges of kind `Defines`.
    pub parsed: ParsedDocument,
}

impl Snapshot<'_> {
    /// The documents behind a row, in the order of rows, at most `limit`; from the beginning behind row 0.
    ///
    /// Rows only grow: behind the last row of an earlier snapshot is exactly what was stored after it and still is.
    pub fn records_after(&self, row: DocumentRow, limit: usize) -> Result<Vec<OwnedRecord>, ReadError> {
        let entries = rows::documents::after(self.connection(), row, limit)?;
        entries.into_iter().map(|entry| self.record(entry)).collect()
    }

    pub(crate) fn record(&self, entry: Entry) -> Result<OwnedRecord, ReadError> {
        let connection = self.connection();
        let row = entry.row;
        let text = rows::texts::read(connection, row)?
            .filter(|text| text.len() as u64 == entry.text_bytes)
            .ok_or_else(|| ReadError::damaged(format!("the text of document row {} is missing or cut", row.0)))?;
        let parsed = ParsedDocument {
            chunks: rows::chunks::in_rows(connection, entry.chunk_rows())?,
            symbols: rows::symbols::in_rows(connection, entry.symbol_rows())?,
            edges: rows::edges::read(connection, row, &text)?,
            title: entry.own_title,
            tags: entry.own_tags,
            outcome: entry.outcome,
        };
        let mut document = entry.document;
        document.tags = rows::tags::read(connection, row)?;
        Ok(OwnedRecord { row, first_chunk: entry.first_chunk, document, text, parsed })
    }
}
