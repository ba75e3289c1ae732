//! Errors of the embedding store.

use std::io;
use std::path::{Path, PathBuf};

use crate::catalog::SqliteError;
use crate::catalog::error::ErrorKind;

/// The reason why the embedding store was not read or written. A caller that can compute embeddings can continue
/// without it.
#[derive(Debug, thiserror::Error)]
pub enum EmbeddingStoreError {
    /// The file is damaged and cannot be replaced because another process uses it.
    #[error("the embedding store is damaged: {reason}")]
    Damaged {
        /// The damage found.
        reason: String,
    },
    /// The file was written by a newer version of recall.
    #[error("the embedding store has schema {found}, but this version supports schemas up to {known}")]
    NewerSchema {
        /// The schema of the file.
        found: u32,
        /// The newest schema that this version supports.
        known: u32,
    },
    /// Another process kept the file locked for longer than the busy timeout.
    #[error("the embedding store is locked by another process")]
    Busy,
    /// There is no space left.
    #[error("no space is left for the embedding store")]
    DiskFull,
    /// The file cannot be written.
    #[error("the embedding store is read-only")]
    ReadOnly,
    /// The file is on a network file system, whose locks and shared memory are unreliable.
    #[error("the embedding store `{}` is on a network file system ({name})", path.display())]
    NetworkFileSystem {
        /// The store's file.
        path: PathBuf,
        /// The file system's name: `nfs`, `cifs`, `fuse.sshfs`.
        name: String,
    },
    /// The operating system reported an error.
    #[error("cannot use the embedding store's file `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// SQLite reported another error.
    #[error("cannot use the embedding store")]
    Sqlite {
        /// The error of SQLite.
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
        match ErrorKind::classify(&error) {
            ErrorKind::Damaged => Self::Damaged { reason: error.to_string() },
            ErrorKind::DiskFull => Self::DiskFull,
            ErrorKind::ReadOnly => Self::ReadOnly,
            ErrorKind::Busy => Self::Busy,
            ErrorKind::Other => Self::Sqlite { source: SqliteError(error) },
        }
    }
}
