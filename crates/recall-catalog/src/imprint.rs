//! What the files of an open catalog look like, by which it is noticed that somebody else has changed them.
//!
//! SQLite trusts what it holds in memory: pages that were read before are not read again, and the log is not verified again.
//! So a file that was replaced or overwritten while it is open gives answers that mix the old and the new.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use recall_core::Generation;

use crate::connection::side_file;

/// How somebody else changed the files of an open catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbance {
    /// Another file is in its place, or none.
    Replaced,
    /// The file is the same, and other bytes were written to it or to its log.
    Overwritten,
}

/// What a file looks like from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Looks {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: Option<SystemTime>,
}

/// What the files looked like when this process last wrote them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Imprint {
    file: Option<Looks>,
    log: Option<Looks>,
    /// The generation that they held; `None` if it could not be read.
    pub(crate) generation: Option<Generation>,
}

impl Looks {
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::symlink_metadata(path).ok()?;
        #[cfg(unix)]
        let (device, inode) = {
            use std::os::unix::fs::MetadataExt as _;
            (metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let (device, inode) = (0, 0);
        Some(Self { device, inode, bytes: metadata.len(), modified: metadata.modified().ok() })
    }

    fn is_same_file(self, other: Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

impl Imprint {
    pub(crate) fn of(path: &Path, generation: Option<Generation>) -> Self {
        Self { file: Looks::of(path), log: Looks::of(&side_file(path, "-wal")), generation }
    }

    /// Whether the files look otherwise than before.
    pub(crate) fn differs(&self, before: &Self) -> bool {
        (self.file, self.log) != (before.file, before.log)
    }

    /// Whether the file is the one at a path.
    pub(crate) fn is_of_file_at(&self, path: &Path) -> bool {
        match (Looks::of(path), self.file) {
            (Some(there), Some(known)) => there.is_same_file(known),
            (None, None) => true,
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    /// Whether the file itself is another one.
    pub(crate) fn is_of_another_file(&self, before: &Self) -> bool {
        match (self.file, before.file) {
            (Some(now), Some(before)) => !now.is_same_file(before),
            (None, None) => false,
            (None, Some(_)) | (Some(_), None) => true,
        }
    }

    /// Whether another process has folded the log into the file: the file was written, and the log is empty since.
    pub(crate) fn is_folded(&self, before: &Self) -> bool {
        let bytes = |log: Option<Looks>| log.map_or(0, |log| log.bytes);
        self.file != before.file && bytes(self.log) == 0 && bytes(before.log) > 0
    }
}
