//! Signatures of texts, by which a search for a literal skips most documents.

use recall_core::{DocumentRow, TextSignature};

use super::Snapshot;
use crate::ReadError;
use crate::rows;

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
        rows::signatures::after(self.connection(), row, visit)
    }
}
