//! The reasons why a file or folder is not opened.

use std::io;
use std::path::{Path, PathBuf};

/// A file or folder was not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Nothing is there.
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
    /// A folder is expected and something else is there.
    #[error("`{}` is not a folder", path.display())]
    NotAFolder {
        /// What is there.
        path: PathBuf,
    },
    /// A regular file is expected and something else is there.
    #[error("`{}` is not a regular file", path.display())]
    NotAFile {
        /// What is there.
        path: PathBuf,
    },
    /// The path is empty, absolute, or holds `.` or `..`.
    #[error("`{}` is not a plain path below a folder", path.display())]
    NotPlain {
        /// The path.
        path: PathBuf,
    },
    /// The folder must be the user's alone and is another's.
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
        /// What the operating system said.
        #[source]
        source: io::Error,
    },
}

impl OpenError {
    /// Whether nothing is there.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    /// The path that was refused.
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

/// Keeps the kind: `NotFound` for what is missing, `NotADirectory` and `Unsupported` for what is of another kind, the system's own
/// error where it refused.
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
