//! What can keep the embedding store from being used?

use std::io;
use std::path::{Path, PathBuf};

use crate::SqliteError;
use crate::error::Fault;

/// The embedding store was not read or written. Whoever can compute embeddings goes on without it.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddingStoreError {
    /// The file is damaged, and another process that uses it keeps it from being set aside.
    #[error("the embedding store is damaged: {reason}")]
    Damaged {
        /// What was found.
        reason: String,
    },
    /// The file was written by a later version of the program.
    #[error("the embedding store has schema {found}; this program knows schemas up to {known}")]
    NewerSchema {
        /// The schema's number in the file.
        found: u32,
        /// The highest number that this program knows.
        known: u32,
    },
    /// Another process kept the file locked for longer than the busy timeout.
    #[error("the embedding store is being written by another process")]
    Busy,
    /// There is no space left.
    #[error("no space is left for the embedding store")]
    DiskFull,
    /// The file cannot be written.
    #[error("the embedding store is read-only")]
    ReadOnly,
    /// The file lies on a network file system, whose locks and shared memory cannot be trusted.
    #[error("the embedding store {} lies on a network file system ({name})", path.display())]
    NetworkFileSystem {
        /// The store's file.
        path: PathBuf,
        /// The file system's name: `nfs`, `cifs`, `fuse.sshfs`.
        name: String,
    },
    /// The operating system refused.
    #[error("the embedding store's file {} cannot be used", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// SQLite refused for another reason.
    #[error("the embedding store cannot be used")]
    Sqlite {
        /// What SQLite said.
        #[source]
        source: SqliteError,
    },
}

impl EmbeddingStoreError {
    pub(super) fn damaged(reason: impl Into<String>) -> Self {
        Self::Damaged { reason: reason.into() }
    }

    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        match source.kind() {
            io::ErrorKind::StorageFull => Self::DiskFull,
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => Self::ReadOnly,
            _ => Self::Io { path: path.to_owned(), source },
        }
    }
}

impl From<rusqlite::Error> for EmbeddingStoreError {
    fn from(error: rusqlite::Error) -> Self {
        match Fault::of(&error) {
            Fault::Damaged => Self::Damaged { reason: error.to_string() },
            Fault::DiskFull => Self::DiskFull,
            Fault::ReadOnly => Self::ReadOnly,
            Fault::Busy => Self::Busy,
            Fault::Other => Self::Sqlite { source: SqliteError(error) },
        }
    }
}
