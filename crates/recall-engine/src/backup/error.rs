//! Why a backup was not made or not restored.

use std::io;
use std::path::PathBuf;

use recall_core::{ModelError, StoreScope};
use recall_os::OpenError;

use crate::error::{IndexError, StoreError};
use crate::fault::{Fault, from_io, from_open};

/// A backup was not made. Nothing is at its path, or what was there before.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The path of the backup is not absolute.
    #[error("the path `{}` is not absolute", path.display())]
    NotAbsolute {
        /// The path as the request has it.
        path: PathBuf,
    },
    /// Something has the name of the backup.
    #[error("`{}` already exists", path.display())]
    Exists {
        /// The path of the backup.
        path: PathBuf,
    },
    /// The folder of the backup cannot be opened.
    #[error("the backup cannot be written")]
    Folder(#[source] OpenError),
    /// The backup cannot be written.
    #[error("the backup `{}` cannot be written", path.display())]
    Write {
        /// The path of the backup.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("`{}` cannot be read", path.display())]
    Read {
        /// The file of a store that was to be copied.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// A file is larger than a backup may hold, or all files together are.
    #[error("`{}` needs {bytes} bytes in a backup, which holds {limit} at most", path.display())]
    TooLarge {
        /// The file, or the backup.
        path: PathBuf,
        /// The bytes that it needs.
        bytes: u64,
        /// The most bytes that one file, or all together, may have.
        limit: u64,
    },
    /// A store that is needed cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl BackupError {
    /// Returns the kind of the error.
    pub fn fault(&self) -> Fault {
        match self {
            Self::NotAbsolute { .. } | Self::Exists { .. } | Self::TooLarge { .. } => Fault::Other,
            Self::Folder(error) => from_open(error),
            Self::Write { source, .. } | Self::Read { source, .. } => from_io(source),
            Self::Store(error) => error.fault(),
        }
    }
}

/// A store was not exported, or not to the end.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The store has changed since the partial export was begun.
    #[error("the store has changed since the export was begun: its generation was {was} and is {is}")]
    Changed {
        /// The generation of the partial export.
        was: u64,
        /// The store's generation.
        is: u64,
    },
    /// The checksum to continue after is not one.
    #[error("the partial export names no checksum to continue after")]
    NoCheckpoint,
    /// Embeddings were requested, and the built-in model is off.
    #[error("no built-in model is in use, so there are no embeddings to export")]
    NoModel,
    /// The model that embeds failed on a text.
    #[error("the embeddings could not be computed")]
    Model(#[source] ModelError),
    /// The reader is gone or does not read.
    #[error("the export was not read to its end")]
    Unread,
    /// A journal cannot be read.
    #[error(transparent)]
    Journal(#[from] BackupError),
    /// The scope does not name a store.
    #[error(transparent)]
    Scope(#[from] IndexError),
    /// A store that is needed cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An export was not imported. Unless a file could not be written, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It is not an export of recall.
    #[error("this is not an export of recall: {reason}")]
    NotAnExport {
        /// What shows it, as a clause.
        reason: String,
    },
    /// It has another format version.
    #[error("the export has the format version {version}; this recall reads version {known}")]
    OtherVersion {
        /// The version that the first line names.
        version: u64,
        /// The version that is read.
        known: u64,
    },
    /// A line or a checksum does not fit, so it was changed.
    #[error("the export is damaged at line {line}: {reason}")]
    Damaged {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// It ends before its last line.
    #[error("the export is not whole: it ends after line {lines}, without its last line")]
    Truncated {
        /// The number of whole lines that were received.
        lines: u64,
    },
    /// It has a line of a file that recall does not export.
    #[error("the export is refused: line {line} is of a file at `{path}`, where recall has no journal")]
    ForeignFile {
        /// The line, from 1.
        line: u64,
        /// The path that the line names, below the root.
        path: String,
    },
    /// It is of a store of another scope.
    #[error("the export is of a {exported} store, and the store here is a {here} store")]
    OtherScope {
        /// The scope of the exported store.
        exported: String,
        /// The scope of the store that the request names.
        here: StoreScope,
    },
    /// An agent asks to trust it.
    #[error("an agent cannot decide that an export is trusted")]
    TrustedByAgent,
    /// The global store takes only what is trusted.
    #[error("what is in the global store counts as your own, so only a trusted export is imported into it")]
    GlobalNeedsTrust,
    /// The client ended it.
    #[error("the export was not received to its end")]
    Input(#[source] io::Error),
    /// A journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] RestoreError),
    /// A file of the store cannot be read or written.
    #[error("the imported documents cannot be written")]
    Write(#[from] OpenError),
    /// The scope does not name a store.
    #[error(transparent)]
    Scope(#[from] IndexError),
    /// A store that is needed cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ImportError {
    /// Returns the kind of the error.
    pub fn fault(&self) -> Fault {
        match self {
            Self::NotAnExport { .. }
            | Self::ForeignFile { .. }
            | Self::OtherScope { .. }
            | Self::TrustedByAgent
            | Self::GlobalNeedsTrust
            | Self::Scope(_) => Fault::Other,
            Self::OtherVersion { .. } => Fault::NewerSchema,
            Self::Damaged { .. } | Self::Truncated { .. } => Fault::Damaged,
            Self::Input(source) => from_io(source),
            Self::Journal(error) => error.fault(),
            Self::Write(error) => from_open(error),
            Self::Store(error) => error.fault(),
        }
    }
}

/// A backup was not restored. Unless a file could not be written, nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The path of the backup is not absolute.
    #[error("the path `{}` is not absolute", path.display())]
    NotAbsolute {
        /// The path as the request has it.
        path: PathBuf,
    },
    /// The backup cannot be opened.
    #[error("the backup cannot be read")]
    Open(#[source] OpenError),
    /// The path is that of a folder.
    #[error("`{}` is a folder, not a backup", path.display())]
    Folder {
        /// The path.
        path: PathBuf,
        /// The newest backup in it; `None` if it has none.
        newest: Option<PathBuf>,
    },
    /// The file is not a backup of recall.
    #[error("`{}` is not a backup of recall: {reason}", path.display())]
    NotABackup {
        /// The path of the backup.
        path: PathBuf,
        /// What shows it, as a clause.
        reason: String,
    },
    /// A newer version of recall made the backup.
    #[error("the backup `{}` has the format {version}; this recall knows formats up to {known}", path.display())]
    Newer {
        /// The path of the backup.
        path: PathBuf,
        /// The format version that it names.
        version: u64,
        /// The newest known format version.
        known: u64,
    },
    /// The backup is incomplete or was changed.
    #[error("the backup `{}` is damaged: {reason}", path.display())]
    Damaged {
        /// The path of the backup.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The backup says that it contains more than a backup may hold.
    #[error("the backup `{}` is refused: {what} would take {bytes} bytes, and the limit is {limit}", path.display())]
    TooLarge {
        /// The path of the backup.
        path: PathBuf,
        /// A file in it, or all of them.
        what: String,
        /// The size that the backup states for it.
        bytes: u64,
        /// The most bytes that one file, or all together, may have.
        limit: u64,
    },
    /// The backup has a file that recall does not back up.
    #[error("the backup `{}` is refused: it has a file at `{entry}`, where recall has none", path.display())]
    ForeignEntry {
        /// The path of the backup.
        path: PathBuf,
        /// The path in it.
        entry: String,
    },
    /// An agent asks to trust a backup.
    #[error("an agent cannot decide that a backup is trusted")]
    TrustedByAgent,
    /// A file of a store cannot be read.
    #[error("`{}` cannot be read", path.display())]
    Read {
        /// The file of a store that is compared or written.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// A file of a store cannot be written. What was restored before it stays; restoring again continues.
    #[error("`{}` cannot be restored", path.display())]
    Write {
        /// The file of a store that is compared or written.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// A store that is needed cannot be opened, read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RestoreError {
    /// Returns the kind of the error.
    pub fn fault(&self) -> Fault {
        match self {
            Self::NotAbsolute { .. }
            | Self::Folder { .. }
            | Self::NotABackup { .. }
            | Self::TooLarge { .. }
            | Self::ForeignEntry { .. }
            | Self::TrustedByAgent => Fault::Other,
            Self::Newer { .. } => Fault::NewerSchema,
            Self::Damaged { .. } => Fault::Damaged,
            Self::Open(error) => from_open(error),
            Self::Read { source, .. } | Self::Write { source, .. } => from_io(source),
            Self::Store(error) => error.fault(),
        }
    }
}
