//! Metadata of a file, to detect that another program changed it, and files with several names.

use std::path::Path;
use std::time::SystemTime;
use std::{fs, io};

/// The identity, size and modification time of a file.
///
/// Two equal stamps of a path mean that the file was neither replaced nor, as far as its time tells, overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStamp {
    /// The device and the inode; zero on systems that do not have them.
    identity: (u64, u64),
    bytes: u64,
    modified: Option<SystemTime>,
}

impl FileStamp {
    /// Reads the metadata of a file, without following a link. `None` if it does not exist or cannot be read.
    pub fn read(path: &Path) -> Option<Self> {
        let metadata = fs::symlink_metadata(path).ok()?;
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt as _;
            (metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let identity = (0, 0);
        Some(Self { identity, bytes: metadata.len(), modified: metadata.modified().ok() })
    }

    /// The size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether both are of one file, whatever its content.
    pub fn is_same_file(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

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
