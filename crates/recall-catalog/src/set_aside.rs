//! Moving damaged catalogs out of the way.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use recall_os::Folder;

use crate::connection::side_file;

/// The number of damaged catalogs kept. The first of a series is as useful for an investigation as the last; more than
/// a few fill the disk.
const MAX_KEPT: usize = 3;

/// The suffixes of the files of one catalog.
const FILES: [&str; 3] = ["", "-wal", "-shm"];

/// Renames a catalog's files, so that a new one can be created. Returns the file's new name.
///
/// `catalog.db` becomes `catalog.db.damaged-<suffix>`. Its log and shared memory are renamed alike, so that SQLite
/// still finds them. The suffix should sort by time: of the catalogs set aside before, those with the last names are
/// kept, three including this one. No process may have the catalog open.
///
/// # Errors
/// The catalog does not exist, or its directory cannot be written. After the rename, leftovers that cannot be deleted
/// are ignored.
pub fn set_aside(path: &Path, suffix: &str) -> io::Result<PathBuf> {
    let target = free_name(path, suffix);
    // Rename the log first. If it stayed behind, SQLite would apply it to the next catalog.
    for end in ["-wal", "-shm", ""] {
        match fs::rename(side_file(path, end), side_file(&target, end)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !end.is_empty() => {}
            outcome => outcome?,
        }
    }
    let mut others = set_aside_before(path, &target);
    others.sort_unstable();
    let excess = (others.len() + 1).saturating_sub(MAX_KEPT);
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = Folder::open(folder)?;
    for other in &others[..excess] {
        for end in FILES {
            // A file that cannot be deleted only takes space.
            let _ = side_file(other, end).file_name().map(|name| folder.remove(name));
        }
    }
    Ok(target)
}

/// An unused name.
fn free_name(path: &Path, suffix: &str) -> PathBuf {
    let preferred = side_file(path, &format!(".damaged-{suffix}"));
    let numbered = (2..).map(|number| side_file(&preferred, &format!("-{number}")));
    std::iter::once(preferred.clone())
        .chain(numbered)
        .find(|name| fs::symlink_metadata(name).is_err())
        .unwrap_or(preferred)
}

/// The other catalogs that were set aside, without their logs.
fn set_aside_before(path: &Path, target: &Path) -> Vec<PathBuf> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return Vec::new() };
    let mut prefix = OsString::from(name);
    prefix.push(".damaged-");
    let Ok(entries) = fs::read_dir(if directory.as_os_str().is_empty() { Path::new(".") } else { directory }) else {
        return Vec::new();
    };
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|found| found.file_name() != target.file_name())
        .filter(|found| {
            let bytes = found.file_name().map_or(&[][..], |name| name.as_encoded_bytes());
            bytes.starts_with(prefix.as_encoded_bytes()) && !bytes.ends_with(b"-wal") && !bytes.ends_with(b"-shm")
        })
        .collect()
}
