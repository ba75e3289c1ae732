//! Fingerprints of the files of a published state, to detect changes by other processes.
//!
//! Segment files are written once and memory-mapped. If a file is replaced, the reader keeps the old mapping and does
//! not notice. If it is overwritten, the bytes change under the reader after their checksums were verified.

use std::path::{Path, PathBuf};

use recall_os::FileStamp;

/// The files of a state, and their metadata when the state was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileStamps(Vec<(PathBuf, Option<FileStamp>)>);

impl FileStamps {
    /// Reads the metadata of files. For a file that is also in `before`, that metadata is kept: recall never rewrites
    /// such a file, and a change since then is a change by another program.
    pub(crate) fn read(dir: &Path, names: impl IntoIterator<Item = PathBuf>, before: Option<&Self>) -> Self {
        let one = |name: PathBuf| {
            let path = dir.join(name);
            let known = before.and_then(|before| before.0.iter().find(|(known, _)| *known == path));
            let stamp = known.map_or_else(|| FileStamp::read(&path), |(_, stamp)| *stamp);
            (path, stamp)
        };
        Self(names.into_iter().map(one).collect())
    }

    /// Whether each file still has the same metadata.
    pub(crate) fn are_current(&self) -> bool {
        self.0.iter().all(|(path, before)| FileStamp::read(path) == *before)
    }
}
