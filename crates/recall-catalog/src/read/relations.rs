//! What is defined and named in the store as a whole?
//!
//! One pass over a table each, for what looks at all documents together. What one document has is read with it.

use recall_core::{DocPath, DocumentRow, EdgeKind, FileKind, Language, SymbolKind};

use super::Snapshot;
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
}
