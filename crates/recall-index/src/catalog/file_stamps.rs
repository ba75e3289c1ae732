//! Fingerprints of the files of an open catalog, to detect changes by other programs.
//!
//! SQLite trusts its caches: it does not read cached pages again and does not verify the log again. If a file is
//! replaced or overwritten while it is open, results mix the old and the new contents.

use std::path::Path;

use recall_core::Generation;
use recall_os::FileStamp;

use crate::catalog::connection::side_file;

/// How another program changed the files of an open catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbance {
    /// The file was replaced or removed.
    Replaced,
    /// The file or its log was overwritten in place.
    Overwritten,
}

/// The fingerprint of the files when this process last wrote them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DatabaseStamps {
    file: Option<FileStamp>,
    log: Option<FileStamp>,
    /// Their generation. `None` if it could not be read.
    pub(crate) generation: Option<Generation>,
}

impl DatabaseStamps {
    pub(crate) fn read(path: &Path, generation: Option<Generation>) -> Self {
        Self { file: FileStamp::read(path), log: FileStamp::read(&side_file(path, "-wal")), generation }
    }

    /// Whether the metadata of a file changed.
    pub(crate) fn differs(&self, before: &Self) -> bool {
        (self.file, self.log) != (before.file, before.log)
    }

    /// Whether the file is the one at a path.
    pub(crate) fn is_of_file_at(&self, path: &Path) -> bool {
        match (FileStamp::read(path), self.file) {
            (Some(there), Some(known)) => there.is_same_file(&known),
            (None, None) => true,
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    /// Whether the file was replaced by another one, removed or created.
    pub(crate) fn is_of_another_file(&self, before: &Self) -> bool {
        match (self.file, before.file) {
            (Some(now), Some(before)) => !now.is_same_file(&before),
            (None, None) => false,
            (None, Some(_)) | (Some(_), None) => true,
        }
    }

    /// Whether another process has checkpointed the log: the file was written, and the log is empty since.
    pub(crate) fn is_folded(&self, before: &Self) -> bool {
        let bytes = |log: Option<FileStamp>| log.map_or(0, |log| log.bytes());
        self.file != before.file && bytes(self.log) == 0 && bytes(before.log) > 0
    }
}
