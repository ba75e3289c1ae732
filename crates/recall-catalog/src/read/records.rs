//! Whole stored documents, from which derived data can be rebuilt.

use recall_core::{ChunkRow, Document, DocumentRow, ParsedDocument, Timestamp};

use super::Snapshot;
use crate::ReadError;
use crate::rows::{self, documents::Entry};

/// A document with its contents, as it was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedRecord {
    /// The document's row.
    pub row: DocumentRow,
    /// The row of its first chunk. The others follow in order, without gaps.
    pub first_chunk: ChunkRow,
    /// The document.
    pub document: Document,
    /// When its path was first indexed.
    pub created: Timestamp,
    /// Its whole text.
    pub text: String,
    /// The parsed text, without edges of kind `Defines`.
    pub parsed: ParsedDocument,
}

impl Snapshot<'_> {
    /// The documents after a row, in the order of rows, at most `limit`. Pass row 0 to start at the beginning.
    ///
    /// Rows only grow: after the last row of an earlier snapshot are exactly the documents that were stored since and
    /// still exist.
    pub fn records_after(&self, row: DocumentRow, limit: usize) -> Result<Vec<OwnedRecord>, ReadError> {
        let entries = rows::documents::after(self.connection(), row, limit)?;
        entries.into_iter().map(|entry| self.record(entry)).collect()
    }

    pub(crate) fn record(&self, entry: Entry) -> Result<OwnedRecord, ReadError> {
        let connection = self.connection();
        let row = entry.row;
        let text = rows::texts::read(connection, row)?
            .filter(|text| text.len() as u64 == entry.text_bytes)
            .ok_or_else(|| ReadError::damaged(format!("the text of document row {} is missing or truncated", row.0)))?;
        let parsed = ParsedDocument {
            chunks: rows::chunks::in_rows(connection, entry.chunk_rows())?,
            symbols: rows::symbols::in_rows(connection, entry.symbol_rows())?,
            edges: rows::edges::read(connection, row, &text)?,
            title: entry.own_title,
            tags: entry.own_tags,
            outcome: entry.outcome,
        };
        let created = entry.created;
        let mut document = entry.document;
        document.tags = rows::tags::read(connection, row)?;
        Ok(OwnedRecord { row, first_chunk: entry.first_chunk, document, created, text, parsed })
    }
}
