//! Files of an index: the metadata that shows that another program changed one, second names, deletion, and the quarantine of
//! damaged ones.

use std::path::{Path, PathBuf};
use std::time::SystemTime;
use std::{fs, io};

use crate::{Folder, OpenError};

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

/// The number of quarantined versions kept per name. A new one replaces the oldest. The first of a series is as useful for an
/// investigation as the last; more than a few fill the disk.
const KEPT: usize = 3;

/// Renames a file or folder to `<name>.damaged-<suffix>` and returns its new path. If that name is taken, a number is appended.
///
/// The three versions with the greatest names are kept. If suffixes grow with time, these are the latest.
///
/// # Errors
/// It cannot be renamed. Then nothing has changed.
pub fn quarantine(path: &Path, suffix: &str) -> io::Result<PathBuf> {
    quarantine_with(path, &[], suffix)
}

/// Quarantines a file as [`quarantine`] does, together with the files whose names are its own and one of these endings.
///
/// They are renamed alike and before it, in the order given; those that are missing are skipped.
///
/// # Errors
/// One of them cannot be renamed. Those before it have their new names.
pub fn quarantine_with(path: &Path, endings: &[&str], suffix: &str) -> io::Result<PathBuf> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(OpenError::NotPlain { path: path.to_owned() }.into());
    };
    let folder = Folder::open(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })?;
    let name = name.to_string_lossy();
    let beginning = format!("{name}.damaged-");
    let known = folder.names()?.into_iter().filter_map(|name| name.into_string().ok());
    let is_whole = |known: &String| known.starts_with(&beginning) && !endings.iter().any(|end| known.ends_with(end));
    let mut others: Vec<_> = known.filter(is_whole).collect();
    let preferred = format!("{beginning}{suffix}");
    let numbered = (2..).map(|number| format!("{preferred}-{number}"));
    let is_free = |target: &String| !others.contains(target);
    let target = std::iter::once(preferred.clone()).chain(numbered).find(is_free).unwrap_or(preferred);
    for end in endings {
        match folder.rename(&format!("{name}{end}"), &format!("{target}{end}")) {
            Err(error) if error.is_missing() => {}
            outcome => outcome?,
        }
    }
    folder.rename(&name, &target)?;
    others.sort_unstable();
    for surplus in others.iter().rev().skip(KEPT - 1) {
        for end in std::iter::once(&"").chain(endings) {
            // A leftover takes space but is harmless.
            let _ = folder.remove(format!("{surplus}{end}"));
        }
    }
    Ok(parent.join(target))
}
