//! Reading of a committed state.
//!
//! A [`Snapshot`] is a read transaction on a connection of its own, taken from a pool. SQLite's write-ahead log lets writers go on
//! meanwhile, but it grows while an old snapshot is open: snapshots are short, and slow work is done between them.

mod chunk_condition;
mod condition;
mod hits;
mod list;
mod select;

use recall_core::{
    ByteSpan, Chunk, ChunkId, ChunkRow, Document, DocumentId, DocumentRow, DocumentType, Edge, EdgeKind, Generation,
    ParsedDocument, Symbol, SymbolKind, Timestamp,
};
use recall_text::{DocPath, TextSignature};
use rusqlite::Connection;

use crate::catalog::connection::IdleReaders;
use crate::catalog::rows::documents::{self, ChunkRun, DocumentPlace, Entry};
use crate::catalog::rows::failures::{FailureKind, FileFailure};
use crate::catalog::rows::{self, chunks, texts};
use crate::catalog::{ReadError, base};

pub use condition::{Column, ColumnValue, Condition};
pub use list::{Counts, FileState, ListQuery, ListSort};
pub use select::PlacedChunk;

/// A view of one committed state. Later commits do not change it.
#[derive(Debug)]
pub struct Snapshot<'c> {
    readers: &'c IdleReaders,
    /// `Some` until the snapshot is dropped.
    connection: Option<Connection>,
    generation: Generation,
}

/// The metadata of a document, without its text and chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDocument {
    /// The row, which no other document gets after this one.
    pub row: DocumentRow,
    /// The metadata, with all tags.
    pub document: Document,
    /// The time at which its path was first indexed.
    pub created: Timestamp,
    /// The number of its chunks.
    pub chunk_count: u32,
}

/// A stored chunk with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredChunk {
    /// The id, which names the chunk by its document and position.
    pub id: ChunkId,
    /// The row, which no other chunk gets after this one.
    pub row: ChunkRow,
    /// The document that contains it.
    pub document: StoredDocument,
    /// The lines, the symbol and the kind of the chunk.
    pub chunk: Chunk,
    /// The text that the span covers.
    pub text: String,
}

/// A document indexed in windows because it could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnparsedDocument {
    /// The path below the root.
    pub path: DocPath,
    /// The reason, for display.
    pub reason: String,
}

impl<'c> Snapshot<'c> {
    /// `None` if the catalog has adopted a base since the connection was opened, which then lacks it.
    pub(crate) fn begin(readers: &'c IdleReaders, connection: Connection) -> Result<Option<Self>, ReadError> {
        connection.prepare_cached("BEGIN")?.execute([])?;
        // The first read determines the state, not `BEGIN`.
        let (generation, needs_base) = rows::read_generation(&connection)?;
        if needs_base && !base::is_attached(&connection) {
            return Ok(None);
        }
        Ok(Some(Self { readers, connection: Some(connection), generation }))
    }

    /// The generation of the state.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The version of the parser that parsed all documents, as recorded by
    /// [`Writer::set_parser_version`](crate::catalog::Writer::set_parser_version). 0 if none was recorded.
    pub fn parser_version(&self) -> Result<u32, ReadError> {
        rows::parser_version(self.connection())
    }

    /// The document with an id; `None` if there is none.
    pub fn document(&self, id: DocumentId) -> Result<Option<StoredDocument>, ReadError> {
        rows::documents::by_id(self.connection(), id)?.map(|entry| self.with_tags(entry)).transpose()
    }

    /// The document at a path; `None` if there is none.
    pub fn document_at(&self, path: &DocPath) -> Result<Option<StoredDocument>, ReadError> {
        rows::documents::by_path(self.connection(), path)?.map(|entry| self.with_tags(entry)).transpose()
    }

    /// The chunk with an id, and its text.
    pub fn chunk(&self, id: ChunkId) -> Result<Option<StoredChunk>, ReadError> {
        let Some(entry) = rows::documents::by_id(self.connection(), id.document)? else { return Ok(None) };
        if id.ordinal >= entry.chunk_count {
            return Ok(None);
        }
        let row = ChunkRow(entry.first_chunk.0 + i64::from(id.ordinal));
        Ok(self.hits(&[row])?.pop().flatten())
    }

    /// The whole text of a document.
    pub fn text(&self, document: DocumentRow) -> Result<Option<String>, ReadError> {
        rows::texts::read(self.connection(), document)
    }

    /// The part of a document's text in a span. `None` if there is no such document.
    ///
    /// Decompresses only the blocks that contain the part.
    pub fn text_in(&self, document: DocumentRow, span: ByteSpan) -> Result<Option<String>, ReadError> {
        rows::texts::read_span(self.connection(), document, span)
    }

    /// The chunks of a document in order, without their text. Empty if there is no such document.
    pub fn chunks_of(&self, document: DocumentRow) -> Result<Vec<Chunk>, ReadError> {
        let Some(entry) = rows::documents::by_row(self.connection(), document)? else { return Ok(Vec::new()) };
        rows::chunks::in_rows(self.connection(), entry.chunk_rows())
    }

    /// The symbols of a document in order. Empty if there is no such document.
    pub fn symbols_of(&self, document: DocumentRow) -> Result<Vec<Symbol>, ReadError> {
        rows::symbols::read(self.connection(), document)
    }

    /// The edges that start in a document, sorted, without those of kind `Defines`. Empty if there is no such document.
    pub fn edges_of(&self, document: DocumentRow) -> Result<Vec<Edge>, ReadError> {
        let Some(text) = self.text(document)? else { return Ok(Vec::new()) };
        rows::edges::read(self.connection(), document, &text)
    }

    /// The files that are not indexed, at most `limit`. Failed ones come before skipped ones, each group by path.
    pub fn failures(&self, limit: usize) -> Result<Vec<FileFailure>, ReadError> {
        rows::failures::read(self.connection(), limit)
    }

    /// The number of files that are not indexed for a reason of this kind.
    pub fn failure_count(&self, kind: FailureKind) -> Result<u64, ReadError> {
        rows::failures::count(self.connection(), kind)
    }

    /// Counts the files that failed or are skipped, by what their reasons say before the first colon; the most frequent first.
    pub fn failure_groups(&self) -> Result<Vec<(String, u64)>, ReadError> {
        rows::failures::groups(self.connection())
    }

    /// The record of a file that is not indexed.
    pub fn failure_at(&self, path: &str) -> Result<Option<FileFailure>, ReadError> {
        rows::failures::at(self.connection(), path)
    }

    pub(crate) fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("the connection is taken only when the snapshot is dropped")
    }

    /// Adds the tags to a document's row.
    fn with_tags(&self, entry: Entry) -> Result<StoredDocument, ReadError> {
        let Entry { row, mut document, created, chunk_count, .. } = entry;
        document.tags = rows::documents::read_tags(self.connection(), row)?;
        Ok(StoredDocument { row, document, created, chunk_count })
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        // A connection that cannot end its transaction is closed instead of reused.
        if connection.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([])).is_ok() {
            self.readers.put(connection);
        }
    }
}

impl Snapshot<'_> {
    /// The rows of all documents, ascending.
    pub fn document_rows(&self) -> Result<Vec<DocumentRow>, ReadError> {
        rows::documents::rows(self.connection())
    }

    /// Calls `visit` with the signatures of the texts of the documents after a row, in the order of rows. A document that an
    /// older version stored has none. Pass row 0 to start at the beginning.
    ///
    /// Neither a row nor its text ever changes: what was read of an earlier state holds for the rows that are still there.
    ///
    /// # Errors
    /// The catalog is damaged or cannot be read.
    pub fn signatures_after(
        &self,
        row: DocumentRow,
        visit: impl FnMut(DocumentRow, TextSignature),
    ) -> Result<(), ReadError> {
        rows::texts::signatures_after(self.connection(), row, visit)
    }
}

/// A document with its contents, as it was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedRecord {
    /// The document's row.
    pub row: DocumentRow,
    /// The row of its first chunk. The others follow in order, without gaps.
    pub first_chunk: ChunkRow,
    /// The metadata, with all tags.
    pub document: Document,
    /// When its path was first indexed.
    pub created: Timestamp,
    /// The whole text, as it was given.
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
        let symbols = rows::symbols::read(connection, row)?;
        if symbols.len() != entry.symbol_count as usize {
            let (found, expected) = (symbols.len(), entry.symbol_count);
            let reason = format!("document row {} has {found} symbols, but its row says {expected}", row.0);
            return Err(ReadError::damaged(reason));
        }
        let parsed = ParsedDocument {
            chunks: rows::chunks::in_rows(connection, entry.chunk_rows())?,
            symbols,
            edges: rows::edges::read(connection, row, &text)?,
            title: entry.own_title,
            tags: entry.own_tags,
            outcome: entry.outcome,
        };
        let created = entry.created;
        let mut document = entry.document;
        document.tags = rows::documents::read_tags(connection, row)?;
        Ok(OwnedRecord { row, first_chunk: entry.first_chunk, document, created, text, parsed })
    }
}

/// A document's text and its chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkedDocument {
    /// The path below the root.
    pub path: DocPath,
    /// The type, which decides how a model reads a chunk.
    pub document_type: DocumentType,
    /// The row of its first chunk. The others follow.
    pub first: ChunkRow,
    /// The whole text, which the spans refer to.
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
        let read = |_: &documents::Entry, stored: &[u8]| texts::decompress(stored).ok_or_else(corrupt);
        let Some((entry, text)) = documents::with_text(self.connection(), document, read)? else { return Ok(None) };
        let chunks = chunks::in_rows(self.connection(), entry.chunk_rows())?;
        let documents::Entry { document, first_chunk: first, .. } = entry;
        Ok(Some(ChunkedDocument { path: document.path, document_type: document.document_type, first, text, chunks }))
    }
}

impl Snapshot<'_> {
    /// The places of all documents, in the order of rows.
    pub fn places(&self) -> Result<Vec<DocumentPlace>, ReadError> {
        rows::documents::places(self.connection())
    }

    /// Calls `visit` with the document, kind, bare name and qualified name of every definition, in the order of documents.
    pub fn each_definition(&self, visit: impl FnMut(DocumentRow, SymbolKind, &str, &str)) -> Result<(), ReadError> {
        rows::symbols::each_name(self.connection(), visit)
    }

    /// Calls `visit` with the document, kind, chunk and target of every edge except references, in the order of
    /// documents.
    pub fn each_edge(&self, visit: impl FnMut(DocumentRow, EdgeKind, u32, &str)) -> Result<(), ReadError> {
        rows::edges::each(self.connection(), visit)
    }

    /// Calls `visit` with the document, the chunk and the name of every reference, in the order of documents.
    ///
    /// A chunk has each name once. Decompresses the text of every document: about 0.1 s for 100 MB.
    pub fn each_reference(&self, visit: impl FnMut(DocumentRow, u32, &str)) -> Result<(), ReadError> {
        rows::edges::each_reference(self.connection(), visit)
    }

    /// The document in a row; `None` if it was replaced or removed.
    pub fn document_in(&self, row: DocumentRow) -> Result<Option<StoredDocument>, ReadError> {
        rows::documents::by_row(self.connection(), row)?.map(|entry| self.with_tags(entry)).transpose()
    }

    /// The symbols whose names are in a chunk, in order. Empty if the document has no such chunk.
    pub fn symbols_in(&self, document: DocumentRow, chunk: ChunkRow) -> Result<Vec<Symbol>, ReadError> {
        rows::symbols::in_chunk(self.connection(), document, chunk)
    }

    /// The symbols of a document that overlap a span, in order. Empty if there is no such document.
    pub fn symbols_around(&self, document: DocumentRow, span: ByteSpan) -> Result<Vec<Symbol>, ReadError> {
        rows::symbols::around(self.connection(), document, span)
    }

    /// The edges that start in a document except references, by the names of their kinds.
    pub fn stated_edges_of(&self, document: DocumentRow) -> Result<Vec<Edge>, ReadError> {
        rows::edges::without_references(self.connection(), document)
    }

    /// The chunks among these that refer to a bare name, in the order of rows, each with the module that it takes the
    /// name from, if the reference is [qualified](Edge::qualify).
    pub fn chunks_referencing(
        &self,
        document: DocumentRow,
        name: &str,
        chunks: &[ChunkRow],
    ) -> Result<Vec<(ChunkRow, Option<String>)>, ReadError> {
        rows::edges::chunks_referencing(self.connection(), document, name, chunks)
    }
}
