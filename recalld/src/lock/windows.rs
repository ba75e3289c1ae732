//! Lock files on Windows: nobody else can read a locked file, so the note is in another one; and nobody can delete it while a
//! program has it open.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::Path;

use recall_config::LockNote;

/// `FILE_SHARE_READ | FILE_SHARE_WRITE`: others may open the file, but not delete or rename it.
const NOT_TO_DELETE: u32 = 0x1 | 0x2;

/// Creates a folder, with the access list of the user's profile.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

pub(super) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).share_mode(NOT_TO_DELETE).open(path)
}

/// An open lock file can neither be deleted nor renamed.
pub(super) fn leads_to(_path: &Path, _file: &File) -> bool {
    true
}

pub(super) fn note_to_write(path: &Path, _file: &File) -> io::Result<File> {
    open(&LockNote::file_of(path))
}

pub(super) fn note_to_read(path: &Path, _file: File) -> Option<File> {
    File::open(LockNote::file_of(path)).ok()
}
