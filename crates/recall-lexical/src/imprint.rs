//! What the files of a published state look like, by which it is noticed that somebody else has changed them.
//!
//! Segment files are written once and mapped into memory. One that is replaced goes unnoticed, since the old one stays mapped; one
//! that is overwritten changes under the reader, whose checksums were verified before.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What a file looks like from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Looks {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: Option<SystemTime>,
}

/// The files of a state and what they looked like when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Imprint(Vec<(PathBuf, Option<Looks>)>);

impl Imprint {
    /// Looks at files. Of those that an imprint before has, its looks are taken: they are never written again, and what they
    /// look like by now may be somebody else's doing.
    pub(crate) fn of(dir: &Path, names: impl IntoIterator<Item = PathBuf>, before: Option<&Self>) -> Self {
        let one = |name: PathBuf| {
            let path = dir.join(name);
            let known = before.and_then(|before| before.0.iter().find(|(known, _)| *known == path));
            let looks = known.map_or_else(|| looks(&path), |(_, looks)| *looks);
            (path, looks)
        };
        Self(names.into_iter().map(one).collect())
    }

    /// Whether each file looks as it did.
    pub(crate) fn holds(&self) -> bool {
        self.0.iter().all(|(path, before)| looks(path) == *before)
    }
}

/// `None` where there is no file.
fn looks(path: &Path) -> Option<Looks> {
    let metadata = fs::symlink_metadata(path).ok()?;
    #[cfg(unix)]
    let (device, inode) = {
        use std::os::unix::fs::MetadataExt as _;
        (metadata.dev(), metadata.ino())
    };
    #[cfg(not(unix))]
    let (device, inode) = (0, 0);
    Some(Looks { device, inode, bytes: metadata.len(), modified: metadata.modified().ok() })
}
