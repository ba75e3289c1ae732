//! Files with several names.

use std::fs;
use std::io;
use std::path::Path;

/// Gives a file a second name: a hard link, or a copy where the file system has none. An existing file of that name is replaced.
///
/// Only for files that are never written again: a write through one name is seen through the other.
pub fn share_file(from: &Path, to: &Path) -> io::Result<()> {
    delete_file(to)?;
    match fs::hard_link(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => fs::copy(from, to).map(|_| ()),
        linked => linked,
    }
}

/// Deletes a file of an index, if there is one. The caller made the folder.
pub fn delete_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
