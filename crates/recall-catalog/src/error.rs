//! What can go wrong with a catalog, sorted by what its user can do about it?

use std::io;
use std::path::PathBuf;

use rusqlite::ErrorCode;
use rusqlite::ffi::{SQLITE_ERROR, SQLITE_IOERR_CORRUPTFS, SQLITE_IOERR_SHORT_READ};

/// A catalog cannot be opened. Nothing was changed in the file, except where a variant says so.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file is no catalog, or pages of it are missing or garbled. [`set_aside`](fn@crate::set_aside) makes room.
    #[error("the catalog {} is damaged: {reason}", path.display())]
    Damaged {
        /// The catalog's file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// The file was written by a later version of the program.
    #[error("the catalog {} has schema {found}; this program knows schemas up to {known}", path.display())]
    NewerSchema {
        /// The catalog's file.
        path: PathBuf,
        /// The schema's number in the file.
        found: u32,
        /// The highest number that this program knows.
        known: u32,
    },
    /// The file does not exist and cannot be created, or it can neither be written nor read as it stands.
    #[error("the catalog {} is on a read-only place", path.display())]
    ReadOnly {
        /// The catalog's file.
        path: PathBuf,
        /// What the operating system said, where it was asked.
        #[source]
        source: Option<io::Error>,
    },
    /// There is no space left for creating or migrating the file; it is as it was before.
    #[error("no space is left for the catalog {}", path.display())]
    DiskFull {
        /// The catalog's file.
        path: PathBuf,
    },
    /// The file lies on a network file system, whose locks and shared memory cannot be trusted.
    #[error("the catalog {} lies on a network file system ({name})", path.display())]
    NetworkFileSystem {
        /// The catalog's file.
        path: PathBuf,
        /// The file system's name: `nfs`, `cifs`, `fuse.sshfs`.
        name: String,
    },
    /// Another process kept the file locked for longer than the busy timeout.
    #[error("the catalog {} is locked by another process", path.display())]
    Busy {
        /// The catalog's file.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("the catalog {} cannot be opened", path.display())]
    Io {
        /// The catalog's file.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
    /// SQLite refused for another reason.
    #[error("the catalog {} cannot be opened", path.display())]
    Sqlite {
        /// The catalog's file.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: SqliteError,
    },
}

impl OpenError {
    pub(crate) fn new(path: &std::path::Path, error: rusqlite::Error) -> Self {
        let path = path.to_owned();
        match Fault::of(&error) {
            Fault::Damaged => Self::Damaged { path, reason: error.to_string() },
            Fault::DiskFull => Self::DiskFull { path },
            Fault::ReadOnly => Self::ReadOnly { path, source: None },
            Fault::Busy => Self::Busy { path },
            Fault::Other => Self::Sqlite { path, source: SqliteError(error) },
        }
    }
}

/// A catalog cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// What was read cannot have been written by this program.
    #[error("the catalog is damaged: {reason}")]
    Damaged {
        /// What was found, and where.
        reason: String,
    },
    /// SQLite refused for another reason.
    #[error("the catalog cannot be read")]
    Sqlite {
        /// What SQLite said.
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
        match Fault::of(&error) {
            Fault::Damaged => Self::Damaged { reason: error.to_string() },
            Fault::DiskFull | Fault::ReadOnly | Fault::Busy | Fault::Other => {
                Self::Sqlite { source: SqliteError(error) }
            }
        }
    }
}

/// A catalog cannot be written. The transaction in which this happened leaves no trace.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The record contradicts itself; nothing of it was written, and the transaction can go on.
    #[error("the record of `{path}` is not consistent: {reason}")]
    InvalidRecord {
        /// The document's path.
        path: String,
        /// The contradiction.
        reason: String,
    },
    /// There is no space left.
    #[error("no space is left for the catalog")]
    DiskFull,
    /// The catalog was opened for reading only, or became read-only.
    #[error("the catalog is read-only")]
    ReadOnly,
    /// Another process wrote for longer than the busy timeout.
    #[error("the catalog is being written by another process")]
    Busy,
    /// An earlier call of this transaction failed, so that it can only be dropped.
    #[error("an earlier write of the same transaction failed")]
    Aborted,
    /// What was read cannot have been written by this program.
    #[error("the catalog is damaged: {reason}")]
    Damaged {
        /// What was found, and where.
        reason: String,
    },
    /// SQLite refused for another reason.
    #[error("the catalog cannot be written")]
    Sqlite {
        /// What SQLite said.
        #[source]
        source: SqliteError,
    },
}

impl From<rusqlite::Error> for WriteError {
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

impl From<ReadError> for WriteError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Damaged { reason } => Self::Damaged { reason },
            ReadError::Sqlite { source } => Self::from(source.0),
        }
    }
}

/// What SQLite said.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct SqliteError(pub(crate) rusqlite::Error);

/// The kinds of failure that callers treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Damaged,
    DiskFull,
    ReadOnly,
    Busy,
    Other,
}

impl Fault {
    pub(crate) fn of(error: &rusqlite::Error) -> Self {
        let (code, extended) = match error {
            rusqlite::Error::SqliteFailure(error, _) | rusqlite::Error::SqlInputError { error, .. } => {
                (error.code, error.extended_code)
            }
            // The statements are fixed: a value of another type or no row where one must be is not of this program.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::QueryReturnedNoRows => return Self::Damaged,
            _ => return Self::Other,
        };
        match code {
            // Row numbers and paths are unique by construction, so a violated constraint tells of lost rows.
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::ConstraintViolation => Self::Damaged,
            ErrorCode::DiskFull => Self::DiskFull,
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => Self::ReadOnly,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy,
            // SQLite calls a missing table or column, which only a garbled schema can lack, by this general code.
            _ if extended == SQLITE_ERROR => Self::Damaged,
            _ if matches!(extended, SQLITE_IOERR_SHORT_READ | SQLITE_IOERR_CORRUPTFS) => Self::Damaged,
            _ => Self::Other,
        }
    }
}
