//! The documents that are tables of raw data, such as `rates.csv`.

use std::collections::HashSet;
use std::sync::OnceLock;

use recall_core::DocumentRow;
use recall_text::is_data_table;

/// The documents that are tables, once they are needed. A copy is empty, since it is made to be changed.
#[derive(Debug, Default)]
pub(super) struct DataTables(OnceLock<HashSet<i64>>);

impl Clone for DataTables {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl DataTables {
    /// Returns whether a document is a table. `files` has the path and the document of each indexed file.
    pub(super) fn contains<'p, F: Iterator<Item = (&'p str, DocumentRow)>>(
        &self,
        document: DocumentRow,
        files: impl FnOnce() -> F,
    ) -> bool {
        let read = || files().filter(|(path, _)| is_data_table(path)).map(|(_, row)| row.0).collect();
        self.0.get_or_init(read).contains(&document.0)
    }
}
