//! The files that a repository tracks, read from git's index.
//!
//! Only the paths are read: of the index itself and, if it is split, of the shared index that it names. Nothing is run,
//! and nothing is believed: each length is checked against the bytes that are there, and an index that does not follow
//! the documented format (`gitformat-index`, versions 2 to 4) tracks nothing.

mod format;

use std::path::Path;

use self::format::{Index, Link};
use crate::Folder;
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
    let git_dir = Folder::open(git_dir).ok()?;
    let bytes = read_file(&git_dir, "index")?;
    let Index { paths, link } = Index::parse(&bytes)?;
    let paths = match link {
        Some(Link { shared, deleted }) => {
            let shared = read_file(&git_dir, &format!("sharedindex.{shared}"))?;
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

/// Reads a file of git's folder; `None` if it is too large.
fn read_file(git_dir: &Folder, name: &str) -> Option<Vec<u8>> {
    let bytes = git_dir.read(name, INDEX_BYTES + 1).ok()?;
    (bytes.len() as u64 <= INDEX_BYTES).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_are_found_by_their_paths() {
        let tracked = TrackedFiles::from_sorted(["a-b/c", "a/b", "a/c/d", "b"].into_iter());
        assert_eq!(tracked.len(), 4);
        for (path, is_file, is_folder) in [
            ("a", false, true),
            ("a-b", false, true),
            ("a/b", true, false),
            ("a/c", false, true),
            ("a/c/d", true, false),
            ("b", true, false),
            ("c", false, false),
            ("", false, false),
        ] {
            assert_eq!((tracked.contains(path), tracked.has_below(path)), (is_file, is_folder), "{path}");
        }
        assert!(TrackedFiles::default().is_empty() && !TrackedFiles::default().contains(""));
    }

    /// Builds an index of version 2 with one entry for each path.
    fn index(paths: &[&str]) -> Vec<u8> {
        let mut bytes = [&b"DIRC"[..], &2_u32.to_be_bytes(), &(paths.len() as u32).to_be_bytes()].concat();
        for path in paths {
            let mut entry = vec![0; 62];
            entry[24..28].copy_from_slice(&0o100_644_u32.to_be_bytes());
            entry[60..62].copy_from_slice(&(path.len() as u16).to_be_bytes());
            entry.extend_from_slice(path.as_bytes());
            entry.resize((entry.len() + 1).next_multiple_of(8), 0);
            bytes.extend(entry);
        }
        bytes.extend([0; 20]);
        bytes
    }

    /// Damage of any byte, or a missing end, may lose paths, but neither panics nor reserves memory.
    #[test]
    fn a_damaged_index_is_survived() {
        let bytes = index(&["one", "two/three"]);
        let expected = ["one", "two/three"].map(|path| Some(path.to_owned())).to_vec();
        assert_eq!(Index::parse(&bytes).expect("an index").paths, expected);
        for at in 0..bytes.len() {
            let _ = Index::parse(&bytes[..at]);
            for value in [0, 1, 0x7f, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] = value;
                let _ = Index::parse(&damaged);
            }
        }
        assert_eq!(Index::parse(b"DIRC"), None);
        assert_eq!(Index::parse(&[&b"DIRC\0\0\0\x02\xff\xff\xff\xff"[..], &[0; 20]].concat()), None);
    }
}
