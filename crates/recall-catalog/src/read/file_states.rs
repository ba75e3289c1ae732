//! The indexed files and their state when they were read.

use recall_core::{ContentHash, DocumentRow, Timestamp};

use super::Snapshot;
use crate::ReadError;
use crate::rows;

/// The state of a file when it was indexed, or when indexing it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState<'p> {
    /// Its path below the root. Bytes that are not UTF-8 are replaced.
    pub path: &'p str,
    /// Its document. `None` for a recorded failure.
    pub row: Option<DocumentRow>,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// Its modification time.
    pub modified: Timestamp,
    /// The hash of its content. `None` for a recorded failure.
    pub hash: Option<ContentHash>,
}

impl Snapshot<'_> {
    /// Calls `look` with every file that is indexed or recorded as a failure, in no particular order. Each path occurs
    /// once.
    ///
    /// A file that still has this size and time need not be read again.
    pub fn file_states(&self, mut look: impl FnMut(FileState<'_>)) -> Result<(), ReadError> {
        rows::each(
            self.connection(),
            "SELECT path, row, size_bytes, modified, hash FROM documents
            UNION ALL SELECT path, NULL, size_bytes, modified, NULL FROM failures",
            [],
            |row| file_state(row).map(&mut look),
        )
    }

    /// Calls `look` with the states of some files. Unknown files are left out.
    pub fn file_states_at<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p str>,
        mut look: impl FnMut(FileState<'_>),
    ) -> Result<(), ReadError> {
        for path in paths {
            rows::each(
                self.connection(),
                "SELECT path, row, size_bytes, modified, hash FROM documents WHERE path = ?1
                UNION ALL SELECT path, NULL, size_bytes, modified, NULL FROM failures WHERE path = ?1",
                [path],
                |row| file_state(row).map(&mut look),
            )?;
        }
        Ok(())
    }
}

fn file_state<'r>(row: &'r rusqlite::Row<'_>) -> Result<FileState<'r>, ReadError> {
    Ok(FileState {
        path: row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?,
        row: row.get::<_, Option<i64>>(1)?.map(DocumentRow),
        size_bytes: row.get::<_, i64>(2)? as u64,
        modified: Timestamp(row.get(3)?),
        hash: row.get::<_, Option<[u8; 32]>>(4)?.map(ContentHash),
    })
}
