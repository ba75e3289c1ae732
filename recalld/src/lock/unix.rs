//! Lock files on Unix: the note is in the locked file, which may be deleted while it is locked.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

/// Creates a folder that only this user may access.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

pub(super) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Returns whether the path leads to the given file.
pub(super) fn leads_to(path: &Path, file: &File) -> bool {
    let (Ok(there), Ok(held)) = (std::fs::symlink_metadata(path), file.metadata()) else { return false };
    (there.dev(), there.ino()) == (held.dev(), held.ino())
}

pub(super) fn note_to_write(_path: &Path, file: &File) -> io::Result<File> {
    file.try_clone()
}

#[expect(clippy::unnecessary_wraps, reason = "on Windows there may be none")]
pub(super) fn note_to_read(_path: &Path, file: File) -> Option<File> {
    Some(file)
}
