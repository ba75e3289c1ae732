//! The files that a repository tracks, read from git's index.
//!
//! Only the paths are read: of the index itself and, if it is split, of the shared index that it names. Nothing is run,
//! and nothing is believed: each length is checked against the bytes that are there, and an index that does not follow
//! the documented format (`gitformat-index`, versions 2 to 4) tracks nothing.

mod bitmap;
mod format;

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use self::format::{Index, Link};
use crate::git::Repository;

/// The largest index that is read. That of a repository with a million files has about 100 MiB.
const INDEX_BYTES: u64 = 512 * 1024 * 1024;

/// The regular files that a repository tracks in one folder of its work tree.
///
/// Paths are relative to the folder, with `/`. Files whose paths are not UTF-8, links and submodules are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrackedFiles {
    /// All paths, one after another, in ascending order.
    text: String,
    /// The end of each path in `text`.
    ends: Vec<u32>,
}

impl TrackedFiles {
    /// Reads the tracked files at or below a folder of the repository's work tree.
    ///
    /// `None` if there is no index, or it cannot be read.
    pub fn read(repository: &Repository, folder: &Path) -> Option<Self> {
        let index = read_index(&repository.git_dir)?;
        let prefix = prefix(&repository.work_tree, folder)?;
        let below = index.iter().filter_map(|path| path.strip_prefix(prefix.as_str()));
        Some(Self::from_sorted(below))
    }

    /// Collects paths. Those that do not fit into 4 GiB are left out.
    fn from_sorted<'p>(paths: impl Iterator<Item = &'p str>) -> Self {
        let mut tracked = Self::default();
        for path in paths {
            let Ok(end) = u32::try_from(tracked.text.len() + path.len()) else { break };
            tracked.text.push_str(path);
            tracked.ends.push(end);
        }
        tracked.text.shrink_to_fit();
        tracked.ends.shrink_to_fit();
        tracked
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether no file is tracked.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns whether a file is tracked.
    pub fn contains(&self, path: &str) -> bool {
        self.path(self.first_from(path)) == Some(path)
    }

    /// Returns whether a file below a folder is tracked.
    pub fn has_below(&self, folder: &str) -> bool {
        // `/` sorts after `-` and `.`, so that files below the folder are not next to its own name.
        let start = format!("{folder}/");
        self.path(self.first_from(&start)).is_some_and(|path| path.starts_with(&start))
    }

    /// Iterates over the paths in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|place| self.path(place))
    }

    fn path(&self, place: usize) -> Option<&str> {
        let end = *self.ends.get(place)? as usize;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        Some(&self.text[start..end])
    }

    /// Returns the place of the first path that is not less than `path`.
    fn first_from(&self, path: &str) -> usize {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.path(middle).is_some_and(|known| known < path) { low = middle + 1 } else { high = middle }
        }
        low
    }
}

/// Returns what the paths of the index begin with that are at or below a folder; `None` if it is outside the work tree.
fn prefix(work_tree: &Path, folder: &Path) -> Option<String> {
    let folder = dunce::canonicalize(folder).ok()?;
    let mut prefix = String::new();
    for part in folder.strip_prefix(work_tree).ok()? {
        prefix.push_str(part.to_str()?);
        prefix.push('/');
    }
    Some(prefix)
}

/// Reads the paths of an index, those of its shared index included, in ascending order without repetition.
fn read_index(git_dir: &Path) -> Option<Vec<String>> {
    let bytes = read_file(&git_dir.join("index"))?;
    let Index { paths, link } = Index::parse(&bytes)?;
    let paths = match link {
        Some(Link { shared, deleted }) => {
            let shared = read_file(&git_dir.join(format!("sharedindex.{shared}")))?;
            let mut all = Index::parse(&shared)?.paths;
            for place in deleted {
                *all.get_mut(place)? = None;
            }
            all.extend(paths);
            all
        }
        None => paths,
    };
    let mut paths: Vec<String> = paths.into_iter().flatten().collect();
    paths.sort_unstable();
    paths.dedup();
    Some(paths)
}

/// Reads a regular file that is not a link. Opening a pipe would block, and a link may lead anywhere.
fn read_file(path: &Path) -> Option<Vec<u8>> {
    let metadata = fs::symlink_metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > INDEX_BYTES {
        return None;
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize);
    File::open(path).ok()?.take(INDEX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests;
