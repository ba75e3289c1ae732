//! Which files does the catalog know, and how did they look?

use std::sync::Arc;

use recall_core::{ContentHash, DocumentRow, Timestamp};

use super::Snapshot;
use crate::ReadError;
use crate::rows;

/// How a file looked when it was indexed, or when it was found that it cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileState {
    /// Its path below the root; bytes that are not UTF-8 are replaced.
    pub path: Arc<str>,
    /// Its document; `None` when it is a recorded failure.
    pub row: Option<DocumentRow>,
    /// Its length in bytes.
    pub size_bytes: u64,
    /// Its modification time.
    pub modified: Timestamp,
    /// The hash of its bytes; `None` when it is a recorded failure.
    pub hash: Option<ContentHash>,
}

impl Snapshot<'_> {
    /// Every file that is indexed or recorded as a failure, each path once, in no particular order.
    ///
    /// A file whose size and time are those told here need not be read again.
    pub fn file_states(&self) -> Result<Vec<FileState>, ReadError> {
        rows::all(
            self.connection(),
            "SELECT path, row, size_bytes, modified, hash FROM documents
            UNION ALL SELECT path, NULL, size_bytes, modified, NULL FROM failures",
            [],
            file_state,
        )
    }

    /// The same of some files. Those that the catalog does not know are left out.
    pub fn file_states_at<'p>(&self, paths: impl IntoIterator<Item = &'p str>) -> Result<Vec<FileState>, ReadError> {
        let mut states = Vec::new();
        for path in paths {
            states.extend(rows::all(
                self.connection(),
                "SELECT path, row, size_bytes, modified, hash FROM documents WHERE path = ?1
                UNION ALL SELECT path, NULL, size_bytes, modified, NULL FROM failures WHERE path = ?1",
                [path],
                file_state,
            )?);
        }
        Ok(states)
    }
}

fn file_state(row: &rusqlite::Row<'_>) -> Result<FileState, ReadError> {
    Ok(FileState {
        path: row.get(0)?,
        row: row.get::<_, Option<i64>>(1)?.map(DocumentRow),
        size_bytes: row.get::<_, i64>(2)? as u64,
        modified: Timestamp(row.get(3)?),
        hash: row.get::<_, Option<[u8; 32]>>(4)?.map(ContentHash),
    })
}
