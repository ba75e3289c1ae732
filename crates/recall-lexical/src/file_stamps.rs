//! Fingerprints of the files of a published state, to detect changes by other processes.
//!
//! Segment files are written once and memory-mapped. If a file is replaced, the reader keeps the old mapping and does
//! not notice. If it is overwritten, the bytes change under the reader after their checksums were verified.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileStamp {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: Option<SystemTime>,
}

/// The files of a state, and their metadata when the state was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileStamps(Vec<(PathBuf, Option<FileStamp>)>);

impl FileStamps {
    /// Reads the metadata of files. For a file that is also in `before`, that metadata is kept: recall never rewrites
    /// such a file, and a change since then is a change by another program.
    pub(crate) fn of(dir: &Path, names: impl IntoIterator<Item = PathBuf>, before: Option<&Self>) -> Self {
        let one = |name: PathBuf| {
            let path = dir.join(name);
            let known = before.and_then(|before| before.0.iter().find(|(known, _)| *known == path));
            let stamp = known.map_or_else(|| stamp_of(&path), |(_, stamp)| *stamp);
            (path, stamp)
        };
        Self(names.into_iter().map(one).collect())
    }

    /// Whether each file still has the same metadata.
    pub(crate) fn are_current(&self) -> bool {
        self.0.iter().all(|(path, before)| stamp_of(path) == *before)
    }
}

/// `None` if the file does not exist.
fn stamp_of(path: &Path) -> Option<FileStamp> {
    let metadata = fs::symlink_metadata(path).ok()?;
    #[cfg(unix)]
    let (device, inode) = {
        use std::os::unix::fs::MetadataExt as _;
        (metadata.dev(), metadata.ino())
    };
    #[cfg(not(unix))]
    let (device, inode) = (0, 0);
    Some(FileStamp { device, inode, bytes: metadata.len(), modified: metadata.modified().ok() })
}
