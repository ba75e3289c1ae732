//! The classification of store errors.
//!
//! A caller reacts to an error in a few ways: rebuild, retry, report to the user. The class says which, so that no caller matches on
//! the errors of SQLite or of the lexical index.

use std::io;

use recall_index::catalog::{CatalogOpenError, CatalogWriteError, ReadError};
use recall_index::lexical::{LexicalOpenError, LexicalWriteError, SearchError};
use recall_journal::{AppendError as Append, OpenError as JournalOpen};
use recall_os::OpenError;
use recall_watch::ScanError;
use recall_watch::root::RootError;

use crate::error::{MemoryError, StoreError};
use crate::origin::OriginError;

/// The kinds of store errors that callers treat differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The client's directory is not a project: relative, missing, or not a directory.
    NoProject,
    /// The client's directory is refused as a project.
    RefusedRoot,
    /// The project does not see the domain that was named.
    NoDomain,
    /// A file is damaged.
    Damaged,
    /// The index was written by a later version of the program.
    NewerSchema,
    /// The file system is read-only.
    ReadOnly,
    /// No space is left on the disk.
    DiskFull,
    /// The system denies the access.
    NotPermitted,
    /// Another process is writing the index.
    Busy,
    /// The index is on a network file system, whose locks cannot be trusted.
    NetworkFileSystem,
    /// A filter has read for the time of its limit.
    TooSlow,
    /// The job was cancelled.
    Cancelled,
    /// The engine is closing.
    Closing,
    /// Anything else: a failure of the system, or a defect.
    Other,
}

impl StoreError {
    /// Returns the kind of the error.
    pub fn fault(&self) -> Fault {
        match self {
            Self::Origin(OriginError::Relative { .. }) => Fault::NoProject,
            Self::Origin(OriginError::Root { source, .. }) => from_root(source),
            Self::OpenCatalog { source, .. } => from_catalog_open(source),
            Self::ReadCatalog { source: ReadError::Damaged { .. }, .. }
            | Self::SearchLexical { source: SearchError::Damaged { .. }, .. } => Fault::Damaged,
            Self::ReadCatalog { source: ReadError::Sqlite { .. }, .. }
            | Self::Scan { source: ScanError::Glob { .. }, .. } => Fault::Other,
            Self::WriteCatalog { source, .. } => from_catalog_write(source),
            Self::OpenLexical { source, .. } => match source {
                LexicalOpenError::Damaged { .. } | LexicalOpenError::Outdated { .. } => Fault::Damaged,
                LexicalOpenError::Io { source, .. } => from_io(source),
            },
            Self::WriteLexical { source, .. } => match source {
                LexicalWriteError::Busy { .. } => Fault::Busy,
                LexicalWriteError::Damaged { .. } => Fault::Damaged,
                LexicalWriteError::Io { source, .. } => from_io(source),
                LexicalWriteError::Failed { .. } => Fault::Other,
            },
            Self::Folder { source, .. }
            | Self::Scan { source: ScanError::Root { source, .. }, .. }
            | Self::Thread { source } => from_io(source),
            Self::Selection(error) => from_open(error),
            Self::NotIndexed { source, .. } => source.fault(),
            Self::Scan { source: ScanError::Cancelled, .. } | Self::Cancelled => Fault::Cancelled,
            Self::InUse { .. } | Self::Writing { .. } => Fault::Busy,
            Self::NoDomain { .. } => Fault::NoDomain,
            Self::FilterTime { .. } => Fault::TooSlow,
            Self::Closing => Fault::Closing,
        }
    }
}

impl MemoryError {
    /// Returns the kind of the error.
    pub fn fault(&self) -> Fault {
        match self {
            Self::NotFound { .. }
            | Self::NoStore { .. }
            | Self::Outside { .. }
            | Self::Time(_)
            | Self::Unconfirmed { .. }
            | Self::Amended { .. }
            | Self::Refused { .. }
            | Self::NeedsPerson
            | Self::Proposed { .. }
            | Self::NotProposed { .. } => Fault::Other,
            Self::ReadJournal { source } => from_io(&source.source),
            Self::OpenJournal {
                source: JournalOpen::List { source, .. } | JournalOpen::Repair { source, .. }, ..
            }
            | Self::HandOver { source }
            | Self::Confirm { source } => from_io(source),
            Self::GitFile(error) => from_open(error),
            Self::Write { source, .. } => match source {
                Append::TooLong { .. } => Fault::Other,
                Append::NotWritten { source, .. } | Append::Unsettled { source, .. } => from_io(source),
            },
            Self::Store(error) => error.fault(),
        }
    }
}

fn from_root(error: &RootError) -> Fault {
    match error {
        RootError::Nul { .. }
        | RootError::Relative { .. }
        | RootError::Missing { .. }
        | RootError::NotDirectory { .. } => Fault::NoProject,
        RootError::FileSystemRoot { .. } | RootError::Home { .. } | RootError::Temporary { .. } => Fault::RefusedRoot,
        RootError::Unreadable { source, .. } => from_io(source),
    }
}

fn from_catalog_open(error: &CatalogOpenError) -> Fault {
    match error {
        CatalogOpenError::Damaged { .. } | CatalogOpenError::OlderSchema { .. } => Fault::Damaged,
        CatalogOpenError::NewerSchema { .. } => Fault::NewerSchema,
        CatalogOpenError::ReadOnly { .. } => Fault::ReadOnly,
        CatalogOpenError::DiskFull { .. } => Fault::DiskFull,
        CatalogOpenError::NetworkFileSystem { .. } => Fault::NetworkFileSystem,
        CatalogOpenError::Busy { .. } => Fault::Busy,
        CatalogOpenError::Io { source, .. } => from_io(source),
        CatalogOpenError::Sqlite { .. } => Fault::Other,
    }
}

fn from_catalog_write(error: &CatalogWriteError) -> Fault {
    match error {
        CatalogWriteError::DiskFull => Fault::DiskFull,
        CatalogWriteError::ReadOnly => Fault::ReadOnly,
        CatalogWriteError::Busy => Fault::Busy,
        CatalogWriteError::Damaged { .. } => Fault::Damaged,
        CatalogWriteError::InvalidRecord { .. } | CatalogWriteError::Aborted | CatalogWriteError::Sqlite { .. } => {
            Fault::Other
        }
    }
}

/// Returns the kind of an error that opened a file or folder.
pub(crate) fn from_open(error: &OpenError) -> Fault {
    match error {
        OpenError::Io { source, .. } => from_io(source),
        OpenError::Missing { .. } => Fault::Other,
        OpenError::Link { .. }
        | OpenError::NotAFolder { .. }
        | OpenError::NotAFile { .. }
        | OpenError::NotPlain { .. }
        | OpenError::NotOurs { .. } => Fault::NotPermitted,
    }
}

pub(crate) fn from_io(error: &io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Fault::DiskFull,
        io::ErrorKind::ReadOnlyFilesystem => Fault::ReadOnly,
        // An entry of an unexpected kind, as a link, is rejected with these errors.
        io::ErrorKind::PermissionDenied
        | io::ErrorKind::Unsupported
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::IsADirectory => Fault::NotPermitted,
        _ => Fault::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn io_errors_are_classified_by_their_kind() {
        for (kind, expected) in [
            (io::ErrorKind::StorageFull, Fault::DiskFull),
            (io::ErrorKind::ReadOnlyFilesystem, Fault::ReadOnly),
            (io::ErrorKind::PermissionDenied, Fault::NotPermitted),
            (io::ErrorKind::NotFound, Fault::Other),
        ] {
            let error = StoreError::Folder { path: "/x".into(), source: kind.into() };
            assert_eq!(error.fault(), expected, "{kind}");
        }
    }

    #[test]
    fn a_refused_root_is_not_a_missing_one() {
        let root = |source| StoreError::Origin(OriginError::Root { path: "/x".into(), source });
        assert_eq!(root(RootError::Home { path: "/x".into() }).fault(), Fault::RefusedRoot);
        assert_eq!(root(RootError::Missing { path: "/x".into() }).fault(), Fault::NoProject);
    }
}
