//! Metadata of a file, to detect that another program changed it.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

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
