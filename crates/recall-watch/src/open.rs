//! Files of a root, opened without following links.

use std::fs::File;
use std::io;
use std::path::Path;

use recall_core::DocPath;
use recall_folder::{Access, Folder};

/// A file could not be opened.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// A component of the path is a symbolic link.
    Symlink,
    /// Nothing is there.
    Gone,
    /// What is there is not a regular file.
    NotRegular,
    /// The system refused.
    Io(io::Error),
}

/// Opens the regular file at a path below the root, for reading.
///
/// No component of the path may be a link, so that the file that is opened lies below the root, whatever happens between the check
/// and the opening.
pub(crate) fn open_inside(root: &Path, path: &DocPath) -> Result<File, OpenError> {
    Ok(Folder::open(root)?.file(path.as_str(), Access::Read)?)
}

/// Opens the regular file at an absolute path, for reading. Its last component may not be a link.
pub(crate) fn open_regular(path: &Path) -> Result<File, OpenError> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Err(OpenError::NotRegular) };
    Ok(Folder::open(parent)?.file(name, Access::Read)?)
}

impl From<recall_folder::OpenError> for OpenError {
    fn from(error: recall_folder::OpenError) -> Self {
        use recall_folder::OpenError as Error;
        match error {
            Error::Link { .. } => Self::Symlink,
            Error::Missing { .. } | Error::NotAFolder { .. } => Self::Gone,
            Error::NotAFile { .. } => Self::NotRegular,
            Error::Io { source, .. } => Self::Io(source),
            error @ (Error::NotPlain { .. } | Error::NotOurs { .. }) => Self::Io(error.into()),
        }
    }
}
