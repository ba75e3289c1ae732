//! Opening the files of a root without following links.

use std::fs::File;
use std::io;
use std::path::Path;

use recall_os::{Access, Folder};
use recall_text::DocPath;

/// A file could not be opened.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// A component of the path is a symbolic link.
    Symlink,
    /// Nothing is at the path.
    Gone,
    /// Something other than a regular file is at the path.
    NotRegular,
    /// The operating system refused.
    Io(io::Error),
}

/// Opens a regular file below the root for reading.
///
/// No component of the path may be a link, so the opened file is below the root, even if the path changes during the
/// call.
pub(crate) fn open_inside(root: &Path, path: &DocPath) -> Result<File, OpenError> {
    Ok(Folder::open(root)?.file(path.as_str(), Access::Read)?)
}

/// Opens a regular file at an absolute path for reading. The last component must not be a link.
pub(crate) fn open_regular(path: &Path) -> Result<File, OpenError> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Err(OpenError::NotRegular) };
    Ok(Folder::open(parent)?.file(name, Access::Read)?)
}

impl From<recall_os::OpenError> for OpenError {
    fn from(error: recall_os::OpenError) -> Self {
        use recall_os::OpenError as Error;
        match error {
            Error::Link { .. } => Self::Symlink,
            Error::Missing { .. } | Error::NotAFolder { .. } => Self::Gone,
            Error::NotAFile { .. } => Self::NotRegular,
            Error::Io { source, .. } => Self::Io(source),
            error @ (Error::NotPlain { .. } | Error::NotOurs { .. }) => Self::Io(error.into()),
        }
    }
}
