//! Errors of the catalog and of the embedding store, grouped by what the caller can do.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;
use rusqlite::ffi::{SQLITE_ERROR, SQLITE_IOERR_CORRUPTFS, SQLITE_IOERR_SHORT_READ};

/// The reason why a catalog was not opened. The file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum CatalogOpenError {
    /// The file is not a catalog, or pages of it are missing or corrupt. [`quarantine`](crate::catalog::quarantine) moves it
    /// away.
    #[error("the catalog `{}` is damaged: {reason}", path.display())]
    Damaged {
        /// The catalog's file.
        path: PathBuf,
        /// The damage found.
        reason: String,
    },
    /// The file was written by an older version of recall. [`delete`](crate::catalog::delete) removes it, so that it can be built again.
    #[error("the catalog `{}` has schema {found}, but this version writes schema {known}", path.display())]
    OlderSchema {
        /// The catalog's file.
        path: PathBuf,
        /// The schema of the file.
        found: u32,
        /// The schema that this version supports.
        known: u32,
    },
    /// The file was written by a newer version of recall.
    #[error("the catalog `{}` has schema {found}, but this version supports schemas up to {known}", path.display())]
    NewerSchema {
        /// The catalog's file.
        path: PathBuf,
        /// The schema of the file.
        found: u32,
        /// The newest schema that this version supports.
        known: u32,
    },
    /// The file does not exist and cannot be created, or it can be neither written nor read in its present state.
    #[error("the catalog `{}` is in a read-only location", path.display())]
    ReadOnly {
        /// The catalog's file.
        path: PathBuf,
        /// The error of the operating system, if there was one.
        #[source]
        source: Option<io::Error>,
    },
    /// There is no space left to create or migrate the file.
    #[error("no space is left for the catalog `{}`", path.display())]
    DiskFull {
        /// The catalog's file.
        path: PathBuf,
    },
    /// The file is on a network file system, whose locks and shared memory are unreliable.
    #[error("the catalog `{}` is on a network file system ({name})", path.display())]
    NetworkFileSystem {
        /// The catalog's file.
        path: PathBuf,
        /// The file system's name: `nfs`, `cifs`, `fuse.sshfs`.
        name: String,
    },
    /// Another process kept the file locked for longer than the busy timeout.
    #[error("the catalog `{}` is locked by another process", path.display())]
    Busy {
        /// The catalog's file.
        path: PathBuf,
    },
    /// The operating system reported an error.
    #[error("cannot open the catalog `{}`", path.display())]
    Io {
        /// The catalog's file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// SQLite reported another error.
    #[error("cannot open the catalog `{}`", path.display())]
    Sqlite {
        /// The catalog's file.
        path: PathBuf,
        /// The error of SQLite.
        #[source]
        source: SqliteError,
    },
}

impl CatalogOpenError {
    pub(crate) fn new(path: &std::path::Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match ErrorKind::classify(&error) {
            ErrorKind::Damaged => Self::Damaged { path, reason: error.to_string() },
            ErrorKind::DiskFull => Self::DiskFull { path },
            ErrorKind::ReadOnly => Self::ReadOnly { path, source: None },
            ErrorKind::Busy => Self::Busy { path },
            ErrorKind::Other => Self::Sqlite { path, source: SqliteError(error) },
        }
    }
}

/// The reason why a catalog was not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The data cannot have been written by recall.
    #[error("the catalog is damaged: {reason}")]
    Damaged {
        /// The damage found, and where.
        reason: String,
    },
    /// SQLite reported another error.
    #[error("cannot read the catalog")]
    Sqlite {
        /// The error of SQLite.
        #[source]
        source: SqliteError,
    },
}

impl ReadError {
    pub(crate) fn damaged(reason: impl Into<String>) -> Self {
        Self::Damaged { reason: reason.into() }
    }
}

impl From<rusqlite::Error> for ReadError {
    fn from(error: rusqlite::Error) -> Self {
        match ErrorKind::classify(&error) {
            ErrorKind::Damaged => Self::Damaged { reason: error.to_string() },
            ErrorKind::DiskFull | ErrorKind::ReadOnly | ErrorKind::Busy | ErrorKind::Other => {
                Self::Sqlite { source: SqliteError(error) }
            }
        }
    }
}

/// The reason why a catalog was not written. The transaction is rolled back unless documented otherwise.
#[derive(Debug, thiserror::Error)]
pub enum CatalogWriteError {
    /// The record is inconsistent. Nothing of it was written, and the transaction can continue.
    #[error("the record of `{path}` is inconsistent: {reason}")]
    InvalidRecord {
        /// The document's path.
        path: String,
        /// What does not fit: a span, or the order of the chunks.
        reason: String,
    },
    /// There is no space left.
    #[error("no space is left for the catalog")]
    DiskFull,
    /// The catalog was opened read-only or became read-only.
    #[error("the catalog is read-only")]
    ReadOnly,
    /// Another process held the lock for longer than the busy timeout.
    #[error("the catalog is locked by another process")]
    Busy,
    /// An earlier call in this transaction failed. The transaction can only be dropped.
    #[error("an earlier write of the same transaction failed")]
    Aborted,
    /// The data cannot have been written by recall.
    #[error("the catalog is damaged: {reason}")]
    Damaged {
        /// The damage found, and where.
        reason: String,
    },
    /// SQLite reported another error.
    #[error("cannot write the catalog")]
    Sqlite {
        /// The error of SQLite.
        #[source]
        source: SqliteError,
    },
}

impl From<rusqlite::Error> for CatalogWriteError {
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

impl From<ReadError> for CatalogWriteError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Damaged { reason } => Self::Damaged { reason },
            ReadError::Sqlite { source } => Self::from(source.0),
        }
    }
}

/// An error of SQLite.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct SqliteError(pub(crate) rusqlite::Error);

/// The kinds of errors that callers distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    Damaged,
    DiskFull,
    ReadOnly,
    Busy,
    Other,
}

impl ErrorKind {
    pub(crate) fn classify(error: &rusqlite::Error) -> Self {
        let (code, extended) = match error {
            rusqlite::Error::SqliteFailure(error, _) | rusqlite::Error::SqlInputError { error, .. } => {
                (error.code, error.extended_code)
            }
            // The statements are fixed, so a value of another type or a missing row was not written by this program.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::QueryReturnedNoRows => return Self::Damaged,
            _ => return Self::Other,
        };
        match code {
            // Row numbers and paths are unique by construction, so a violated constraint means that rows were lost.
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::ConstraintViolation => Self::Damaged,
            ErrorCode::DiskFull => Self::DiskFull,
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Self::ReadOnly,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy,
            // SQLite reports a missing table or column with this generic code. Only a corrupt schema lacks one.
            _ if extended == SQLITE_ERROR => Self::Damaged,
            _ if matches!(extended, SQLITE_IOERR_SHORT_READ | SQLITE_IOERR_CORRUPTFS) => Self::Damaged,
            _ => Self::Other,
        }
    }
}

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
