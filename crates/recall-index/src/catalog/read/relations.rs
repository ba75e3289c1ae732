//! Definitions, references and other edges, for the whole store and for single documents.

use recall_core::{ByteSpan, ChunkRow, DocumentRow, Edge, EdgeKind, Symbol, SymbolKind};

use super::{Snapshot, StoredDocument};
use crate::catalog::ReadError;
use crate::catalog::rows::{self, documents::DocumentPlace};

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
