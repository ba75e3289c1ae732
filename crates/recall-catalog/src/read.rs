//! Reading of a committed state.

use recall_core::{
    ByteSpan, Chunk, ChunkId, ChunkRow, DocPath, Document, DocumentId, DocumentRow, Edge, Generation, Symbol, Timestamp,
};
use rusqlite::Connection;

use crate::rows::{self, documents::Entry};
use crate::{Catalog, FailureKind, FileFailure, ReadError};

mod chunked;
mod counts;
mod enclosing;
mod file_states;
mod hits;
mod list;
mod records;
mod relations;
mod select;
mod signatures;

pub use chunked::{ChunkRun, ChunkedDocument};
pub use counts::Counts;
pub use file_states::FileState;
pub use list::{ListQuery, ListSort};
pub use records::OwnedRecord;
pub use relations::DocumentPlace;
pub use select::{Column, ColumnValue, Condition, PlacedChunk};

/// A view of one committed state. Later commits do not change it.
#[derive(Debug)]
pub struct Snapshot<'c> {
    catalog: &'c Catalog,
    /// `Some` until the snapshot is dropped.
    connection: Option<Connection>,
    generation: Generation,
}

/// A stored document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredDocument {
    /// Its row.
    pub row: DocumentRow,
    /// The document.
    pub document: Document,
    /// The time at which its path was first indexed.
    pub created: Timestamp,
    /// The number of its chunks.
    pub chunk_count: u32,
}

/// A stored chunk with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredChunk {
    /// Its id.
    pub id: ChunkId,
    /// Its row.
    pub row: ChunkRow,
    /// The document that contains it.
    pub document: StoredDocument,
    /// The chunk.
    pub chunk: Chunk,
    /// Its text.
    pub text: String,
}

/// A document indexed in windows because it could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnparsedDocument {
    /// Its path.
    pub path: DocPath,
    /// The reason, for display.
    pub reason: String,
}

impl<'c> Snapshot<'c> {
    pub(crate) fn begin(catalog: &'c Catalog, connection: Connection) -> Result<Self, ReadError> {
        connection.prepare_cached("BEGIN")?.execute([])?;
        // The first read determines the state, not `BEGIN`.
        let generation = rows::state::read(&connection)?.generation;
        Ok(Self { catalog, connection: Some(connection), generation })
    }

    /// The generation of the state.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The version of the parser that parsed all documents, as recorded by
    /// [`Writer::set_parser_version`](crate::Writer::set_parser_version). 0 if none was recorded.
    pub fn parser_version(&self) -> Result<u32, ReadError> {
        rows::state::parser_version(self.connection())
    }

    /// The document with an id.
    pub fn document(&self, id: DocumentId) -> Result<Option<StoredDocument>, ReadError> {
        rows::documents::by_id(self.connection(), id)?.map(|entry| self.with_tags(entry)).transpose()
    }

    /// The document at a path.
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
        let Some(entry) = rows::documents::by_row(self.connection(), document)? else { return Ok(Vec::new()) };
        rows::symbols::in_rows(self.connection(), entry.symbol_rows())
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
        document.tags = rows::tags::read(self.connection(), row)?;
        Ok(StoredDocument { row, document, created, chunk_count })
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        // A connection that cannot end its transaction is closed instead of reused.
        if connection.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([])).is_ok() {
            self.catalog.return_connection(connection);
        }
    }
}
