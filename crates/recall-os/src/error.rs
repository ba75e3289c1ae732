//! Reasons for not opening a file or folder.

use std::io;
use std::path::{Path, PathBuf};

/// A file or folder was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Nothing is at the path.
    #[error("`{}` does not exist", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// A component of the path is a symbolic link.
    #[error("`{}` is a symbolic link", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// Something other than a folder is at the path.
    #[error("`{}` is not a folder", path.display())]
    NotAFolder {
        /// The path of the other thing.
        path: PathBuf,
    },
    /// Something other than a regular file is at the path.
    #[error("`{}` is not a regular file", path.display())]
    NotAFile {
        /// The path of the other thing.
        path: PathBuf,
    },
    /// The path is empty, absolute, or contains `.` or `..`.
    #[error("`{}` is not a plain path below a folder", path.display())]
    NotPlain {
        /// The path.
        path: PathBuf,
    },
    /// The folder must belong to this user alone, but belongs to another user.
    #[error("`{}` belongs to another user", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot open `{}`", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
}

impl OpenError {
    /// Returns whether nothing is at the path.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    /// Returns the path that was refused.
    pub fn path(&self) -> &Path {
        match self {
            Self::Missing { path }
            | Self::Link { path }
            | Self::NotAFolder { path }
            | Self::NotAFile { path }
            | Self::NotPlain { path }
            | Self::NotOurs { path }
            | Self::Io { path, .. } => path,
        }
    }
}

/// Keeps the kind of the error: `NotFound` for a missing path, `NotADirectory` or `Unsupported` for the wrong type of
/// file, and the operating system's own error if it refused.
impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> Self {
        let kind = match error {
            OpenError::Io { source, .. } => return source,
            OpenError::Missing { .. } => io::ErrorKind::NotFound,
            OpenError::NotAFolder { .. } => io::ErrorKind::NotADirectory,
            OpenError::Link { .. } | OpenError::NotAFile { .. } => io::ErrorKind::Unsupported,
            OpenError::NotPlain { .. } => io::ErrorKind::InvalidInput,
            OpenError::NotOurs { .. } => io::ErrorKind::PermissionDenied,
        };
        Self::new(kind, error)
    }
}
