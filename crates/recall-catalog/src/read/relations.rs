//! What is defined, named and stated: by the store as a whole, and by one document?

use recall_core::{ByteSpan, ChunkRow, DocPath, DocumentRow, Edge, EdgeKind, FileKind, Language, Symbol, SymbolKind};

use super::{Snapshot, StoredDocument};
use crate::ReadError;
use crate::rows;

/// Where a document stands and in which language it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentPlace {
    /// Its row.
    pub row: DocumentRow,
    /// Its path.
    pub path: DocPath,
    /// Its language, where one was recognised.
    pub language: Option<Language>,
    /// Its role.
    pub file_kind: FileKind,
}

impl Snapshot<'_> {
    /// Every document's place, in the order of rows.
    pub fn places(&self) -> Result<Vec<DocumentPlace>, ReadError> {
        rows::documents::places(self.connection())
    }

    /// Calls `look` with the document, kind and bare name of every definition, in the order of documents.
    pub fn each_definition(&self, look: impl FnMut(DocumentRow, SymbolKind, &str)) -> Result<(), ReadError> {
        rows::symbols::each_name(self.connection(), look)
    }

    /// Calls `look` with the document, kind, chunk and target of every edge but references, in the order of documents.
    pub fn each_edge(&self, look: impl FnMut(DocumentRow, EdgeKind, u32, &str)) -> Result<(), ReadError> {
        rows::edges::each(self.connection(), look)
    }

    /// Calls `look` with the document, the chunk and the name of every reference, in the order of documents.
    ///
    /// A chunk names nothing twice. Decompresses the text of every document: about 0.1 s for 100 MB.
    pub fn each_reference(&self, look: impl FnMut(DocumentRow, u32, &str)) -> Result<(), ReadError> {
        rows::edges::each_reference(self.connection(), look)
    }

    /// The document in a row.
    pub fn document_in(&self, row: DocumentRow) -> Result<Option<StoredDocument>, ReadError> {
        rows::documents::by_row(self.connection(), row)?.map(|entry| self.stored(entry)).transpose()
    }

    /// The symbols whose names stand in a chunk, in order; none when there is no such chunk in the document.
    pub fn symbols_in(&self, document: DocumentRow, chunk: ChunkRow) -> Result<Vec<Symbol>, ReadError> {
        rows::symbols::in_chunk(self.connection(), document, chunk)
    }

    /// The symbols of a document that share bytes with a span, in order; none when there is no such document.
    pub fn symbols_around(&self, document: DocumentRow, span: ByteSpan) -> Result<Vec<Symbol>, ReadError> {
        rows::symbols::around(self.connection(), document, span)
    }

    /// The edges that start in a document but references, in the order of their kinds' names.
    pub fn stated_edges_of(&self, document: DocumentRow) -> Result<Vec<Edge>, ReadError> {
        rows::edges::without_references(self.connection(), document)
    }

    /// Which of these chunks of a document refer to a bare name, in the order of rows; each with the module that it takes
    /// the name from, where it [tells](Edge::qualified).
    pub fn naming(
        &self,
        document: DocumentRow,
        name: &str,
        chunks: &[ChunkRow],
    ) -> Result<Vec<(ChunkRow, Option<String>)>, ReadError> {
        rows::edges::naming(self.connection(), document, name, chunks)
    }
}
