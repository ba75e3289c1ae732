//! How is a file opened without ever leaving the root?

use std::fs::File;
use std::io;
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use recall_core::DocPath;
#[cfg(unix)]
use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat},
    io::Errno,
};

/// A file could not be opened.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// A symlink stands on the path.
    Symlink,
    /// Nothing is there.
    Gone,
    /// What is there is no regular file.
    NotRegular,
    /// The system refused.
    Io(io::Error),
}

/// Opens the regular file at a path below the root, for reading.
///
/// No component of the path may be a symlink, so that whatever happens between the check and the opening, the file that
/// is opened lies below the root.
#[cfg(unix)]
pub(crate) fn open_inside(root: &Path, path: &DocPath) -> Result<File, OpenError> {
    const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    let mut directory = openat(CWD, root, DIRECTORY, Mode::empty()).map_err(refused)?;
    let (parents, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
    for parent in parents.split('/').filter(|part| !part.is_empty()) {
        directory = match openat(&directory, parent, DIRECTORY.union(OFlags::NOFOLLOW), Mode::empty()) {
            Ok(next) => next,
            // A symlink answers as a file would, or as a loop.
            Err(Errno::NOTDIR | Errno::LOOP) => {
                kind(directory.as_fd(), Path::new(parent))?;
                return Err(OpenError::Gone);
            }
            Err(error) => return Err(refused(error)),
        };
    }
    open_regular_at(directory.as_fd(), Path::new(name))
}

/// Opens the regular file at an absolute path, for reading. Its last component may not be a symlink.
#[cfg(unix)]
pub(crate) fn open_regular(path: &Path) -> Result<File, OpenError> {
    open_regular_at(CWD, path)
}

/// The file is looked at before it is opened: opening a device can have effects, and opening a fifo waits for a writer.
#[cfg(unix)]
fn open_regular_at(directory: BorrowedFd<'_>, name: &Path) -> Result<File, OpenError> {
    /// `NONBLOCK`: should a fifo take the file's place, opening it must not wait. `NOCTTY`: nor may a terminal become ours.
    const FILE: OFlags =
        OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

    if kind(directory, name)? != FileType::RegularFile {
        return Err(OpenError::NotRegular);
    }
    match openat(directory, name, FILE, Mode::empty()) {
        Ok(file) => Ok(File::from(file)),
        Err(Errno::LOOP) => Err(OpenError::Symlink),
        Err(Errno::NXIO) => Err(OpenError::NotRegular),
        Err(error) => Err(refused(error)),
    }
}

/// What kind of file a name stands for; a symlink is an error.
#[cfg(unix)]
fn kind(directory: BorrowedFd<'_>, name: &Path) -> Result<FileType, OpenError> {
    let stat = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).map_err(refused)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Symlink => Err(OpenError::Symlink),
        other => Ok(other),
    }
}

#[cfg(unix)]
fn refused(error: Errno) -> OpenError {
    match error {
        Errno::NOENT | Errno::NOTDIR => OpenError::Gone,
        other => OpenError::Io(other.into()),
    }
}

/// Opens the regular file at a path below the root, for reading. No component of the path may be a symlink.
#[cfg(not(unix))]
pub(crate) fn open_inside(root: &Path, path: &DocPath) -> Result<File, OpenError> {
    let mut place = root.to_owned();
    for component in path.components() {
        place.push(component);
        if place.symlink_metadata().map_err(refused)?.is_symlink() {
            return Err(OpenError::Symlink);
        }
    }
    open_regular(&place)
}

/// Opens the regular file at an absolute path, for reading. Its last component may not be a symlink.
#[cfg(not(unix))]
pub(crate) fn open_regular(path: &Path) -> Result<File, OpenError> {
    let metadata = path.symlink_metadata().map_err(refused)?;
    if metadata.is_symlink() {
        Err(OpenError::Symlink)
    } else if metadata.is_file() {
        File::open(path).map_err(refused)
    } else {
        Err(OpenError::NotRegular)
    }
}

#[cfg(not(unix))]
fn refused(error: io::Error) -> OpenError {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => OpenError::Gone,
        _ => OpenError::Io(error),
    }
}
