//! Which files does the catalog know, and how did they look?

use recall_core::{ContentHash, DocumentRow, Timestamp};

use super::Snapshot;
use crate::ReadError;
use crate::rows;

/// How a file looked when it was indexed, or when it was found that it cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState<'p> {
    /// Its path below the root; bytes that are not UTF-8 are replaced.
    pub path: &'p str,
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
    /// Looks at every file that is indexed or recorded as a failure, each path once, in no particular order.
    ///
    /// A file whose size and time are those told here need not be read again.
    pub fn file_states(&self, mut look: impl FnMut(FileState<'_>)) -> Result<(), ReadError> {
        rows::each(
            self.connection(),
            "SELECT path, row, size_bytes, modified, hash FROM documents
            UNION ALL SELECT path, NULL, size_bytes, modified, NULL FROM failures",
            [],
            |row| file_state(row).map(&mut look),
        )
    }

    /// The same of some files. Those that the catalog does not know are left out.
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
