//! Where does a damaged catalog go?

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use recall_folder::Folder;

use crate::connection::side_file;

/// How many catalogs that were set aside are kept. A person who looks into a damage wants the first of a series as much
/// as the last; more than a few fill the disk.
const KEPT: usize = 3;

/// The files of one catalog, by what they add to its name.
const FILES: [&str; 3] = ["", "-wal", "-shm"];

/// Renames a catalog's files, so that a new one can be made in their place; tells the file's new name.
///
/// `catalog.db` becomes `catalog.db.damaged-<suffix>`, its log and shared memory likewise, so that SQLite still finds
/// them together. The suffix shall sort by time: of all that were set aside before, those whose names sort last stay,
/// three with this one. Nobody may have the catalog open.
///
/// # Errors
/// The catalog does not exist or its directory cannot be written. Once the file is renamed, leftovers that cannot be
/// deleted are no error.
pub fn set_aside(path: &Path, suffix: &str) -> io::Result<PathBuf> {
    let target = free_name(path, suffix);
    // The log goes first: alone it would be applied to whatever catalog is made next.
    for end in ["-wal", "-shm", ""] {
        match fs::rename(side_file(path, end), side_file(&target, end)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !end.is_empty() => {}
            outcome => outcome?,
        }
    }
    let mut others = set_aside_before(path, &target);
    others.sort_unstable();
    let surplus = (others.len() + 1).saturating_sub(KEPT);
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = Folder::open(folder)?;
    for other in &others[..surplus] {
        for end in FILES {
            // What cannot be deleted takes space and harms nothing.
            let _ = side_file(other, end).file_name().map(|name| folder.remove(name));
        }
    }
    Ok(target)
}

/// A name that no file has.
fn free_name(path: &Path, suffix: &str) -> PathBuf {
    let wanted = side_file(path, &format!(".damaged-{suffix}"));
    let numbered = (2..).map(|number| side_file(&wanted, &format!("-{number}")));
    std::iter::once(wanted.clone()).chain(numbered).find(|name| fs::symlink_metadata(name).is_err()).unwrap_or(wanted)
}

/// The catalogs that were set aside beside `target`, without their logs.
fn set_aside_before(path: &Path, target: &Path) -> Vec<PathBuf> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return Vec::new() };
    let mut beginning = OsString::from(name);
    beginning.push(".damaged-");
    let Ok(entries) = fs::read_dir(if directory.as_os_str().is_empty() { Path::new(".") } else { directory }) else {
        return Vec::new();
    };
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|found| found.file_name() != target.file_name())
        .filter(|found| {
            let bytes = found.file_name().map_or(&[][..], |name| name.as_encoded_bytes());
            bytes.starts_with(beginning.as_encoded_bytes()) && !bytes.ends_with(b"-wal") && !bytes.ends_with(b"-shm")
        })
        .collect()
}
