//! The files of an index.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use recall_os::{Folder, share_file};

/// The prefix of temporary files, which are renamed once they are complete.
const TEMPORARY: &str = ".tmp";

const BASE: (&str, &str) = ("base-", ".vectors");
const DELTA: (&str, &str) = ("delta-", ".log");

/// The path of a base. Merges are numbered from 1; each writes a base, if there is something to write, and a delta with its number.
/// Delta 0 belongs to a new index. The delta with the greatest number says which bases are in use.
pub(crate) fn base_path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{}{number}{}", BASE.0, BASE.1))
}

pub(crate) fn delta_path(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{}{number}{}", DELTA.0, DELTA.1))
}

/// The numbers of the bases and of the deltas in a folder.
#[derive(Debug, Default)]
pub(crate) struct FolderContents {
    pub(crate) bases: Vec<u64>,
    pub(crate) deltas: Vec<u64>,
    temporary: Vec<PathBuf>,
}

pub(crate) fn list(dir: &Path) -> io::Result<FolderContents> {
    let mut contents = FolderContents::default();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if let Some(number) = number(name, BASE) {
            contents.bases.push(number);
        } else if let Some(number) = number(name, DELTA) {
            contents.deltas.push(number);
        } else if name.starts_with(TEMPORARY) {
            contents.temporary.push(entry.path());
        }
    }
    Ok(contents)
}

/// How often a copy is tried again because a merge has deleted a file meanwhile.
const FORK_ATTEMPTS: usize = 3;

/// Creates an index with the same embeddings in another folder, which must have none. Both share the bases; changes of one are not
/// seen by the other.
///
/// While merges keep deleting files, there is nothing to copy that belongs together, and the other folder stays empty.
pub fn fork(dir: &Path, target: &Path) -> io::Result<()> {
    fs::create_dir_all(target)?;
    for _ in 0..FORK_ATTEMPTS {
        match copy(dir, target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = Folder::open(target)?;
                for name in folder.names()? {
                    folder.remove(name)?;
                }
            }
            outcome => return outcome,
        }
    }
    Ok(())
}

fn copy(dir: &Path, target: &Path) -> io::Result<()> {
    let FolderContents { bases, deltas, temporary: _ } = list(dir)?;
    for number in bases {
        share_file(&base_path(dir, number), &base_path(target, number))?;
    }
    for number in deltas {
        fs::copy(delta_path(dir, number), delta_path(target, number))?;
    }
    Ok(())
}

/// Deletes the leftovers of merges: deltas with other numbers, bases that are not in use, and temporary files.
///
/// A file that cannot be deleted, for example because it is mapped on Windows, remains until the next sweep.
pub(crate) fn sweep(dir: &Path, contents: &FolderContents, current: u64, in_use: &[u64]) {
    let bases = contents.bases.iter().filter(|number| !in_use.contains(number)).map(|number| base_path(dir, *number));
    let deltas = contents.deltas.iter().filter(|number| **number != current).map(|number| delta_path(dir, *number));
    let Ok(folder) = Folder::open(dir) else { return };
    for path in deltas.chain(bases).chain(contents.temporary.iter().cloned()) {
        let _ = path.file_name().map(|name| folder.remove(name));
    }
}

/// Replaces a file atomically. A reader finds the old or the new content.
///
/// `write` must sync the file's data. This function syncs the folder, so that the name is durable.
pub(crate) fn replace(path: &Path, write: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    let dir = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let temporary = temporary(path, "")?;
    let outcome = create(&temporary).and_then(|file| write(&file)).and_then(|()| fs::rename(&temporary, path));
    if outcome.is_err() {
        // The error above is the relevant one. A leftover file is deleted at the next opening.
        delete(&temporary);
    }
    outcome?;
    sync(dir)
}

/// The path of a temporary file for a future file or a part of it. Opening an index deletes such leftovers.
pub(crate) fn temporary(path: &Path, part: &str) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    Ok(path.with_file_name(format!("{TEMPORARY}-{}-{name}{part}", std::process::id())))
}

/// Deletes a file written by this process. If that fails, the next opening deletes it.
pub(crate) fn delete(path: &Path) {
    if let (Some(dir), Some(name)) = (path.parent(), path.file_name()) {
        let _ = Folder::open(dir).and_then(|folder| folder.remove(name));
    }
}

/// Creates a file that only its owner can read, because embeddings reveal much about their texts.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

#[cfg(unix)]
fn sync(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// Windows has no such call; its file system journals names.
#[cfg(not(unix))]
fn sync(_dir: &Path) -> io::Result<()> {
    Ok(())
}

fn number(name: &str, (beginning, end): (&str, &str)) -> Option<u64> {
    let digits = name.strip_prefix(beginning)?.strip_suffix(end)?;
    digits.parse().ok()
}
