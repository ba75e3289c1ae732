//! The indexed files and their state when they were read.

use recall_core::{ContentHash, DocumentRow, MemoryId, Timestamp};

use super::Snapshot;
use crate::catalog::ReadError;
use crate::catalog::rows::{self, failures::FailureKind};

/// The state of a file when it was indexed, or when indexing it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState<'p> {
    /// Its path below the root. Bytes that are not UTF-8 are replaced.
    pub path: &'p str,
    /// The memory whose document it is. `None` for a file and for a recorded failure.
    pub memory: Option<MemoryId>,
    /// Its document. `None` for a recorded failure.
    pub row: Option<DocumentRow>,
    /// The size when it was read, in bytes.
    pub size_bytes: u64,
    /// The modification time when it was read.
    pub modified: Timestamp,
    /// The hash of its content. `None` for a recorded failure.
    pub hash: Option<ContentHash>,
    /// The kind of failure. `None` for a document.
    pub failure: Option<FailureKind>,
}

impl Snapshot<'_> {
    /// Calls `visit` with every file that is indexed or recorded as a failure, in no particular order. Each path occurs
    /// once.
    ///
    /// A file that still has this size and time need not be read again.
    pub fn file_states(&self, mut visit: impl FnMut(FileState<'_>)) -> Result<(), ReadError> {
        rows::each(
            self.connection(),
            "SELECT path, row, size_bytes, modified, hash, NULL FROM documents
            UNION ALL SELECT path, NULL, size_bytes, modified, NULL, kind FROM failures",
            [],
            |row| file_state(row).map(&mut visit),
        )
    }

    /// Calls `visit` with the states of some files. Unknown files are left out.
    pub fn file_states_at<'p>(
        &self,
        paths: impl IntoIterator<Item = &'p str>,
        mut visit: impl FnMut(FileState<'_>),
    ) -> Result<(), ReadError> {
        for path in paths {
            rows::each(
                self.connection(),
                "SELECT path, row, size_bytes, modified, hash, NULL FROM documents WHERE path = ?1
                UNION ALL SELECT path, NULL, size_bytes, modified, NULL, kind FROM failures WHERE path = ?1",
                [path],
                |row| file_state(row).map(&mut visit),
            )?;
        }
        Ok(())
    }
}

fn file_state<'r>(row: &'r rusqlite::Row<'_>) -> Result<FileState<'r>, ReadError> {
    let path = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
    let document = row.get::<_, Option<i64>>(1)?.map(DocumentRow);
    Ok(FileState {
        path,
        memory: document.and_then(|_| MemoryId::from_path(path)),
        row: document,
        size_bytes: row.get::<_, i64>(2)? as u64,
        modified: Timestamp(row.get(3)?),
        hash: row.get::<_, Option<[u8; 32]>>(4)?.map(ContentHash),
        failure: rows::failures::kind(row.get_ref(5)?)?,
    })
}
