//! Folders, pipes and links at the paths of index files.
//!
//! Reading such an entry may block for ever or leave the folder. It is renamed, never opened or deleted, and the file is created
//! again.

use std::fs::{self, FileType};
use std::io;
use std::path::Path;

use recall_core::Timestamp;

use crate::store_folder::StoreFolder;

/// The files of an index.
const FILES: [&str; 6] = ["base.db", "catalog.db", "catalog.db-wal", "catalog.db-shm", "retrievals", "vectors.lock"];

/// Renames entries of an unexpected kind, as a folder in place of a file; returns a sentence for each.
pub(super) fn quarantine(folder: &StoreFolder, now: Timestamp) -> io::Result<Vec<String>> {
    let mut quarantined = Vec::new();
    for name in FILES {
        if kind_of(&folder.index.join(name))?.is_some_and(|kind| !kind.is_file()) {
            quarantined.push(rename(&folder.index, name, now)?);
        }
    }
    for name in ["lexical", "vectors"] {
        if !holds_index_files(&folder.index.join(name))? {
            quarantined.push(rename(&folder.index, name, now)?);
        }
    }
    Ok(quarantined)
}

/// Returns whether a path does not exist, or is a folder that only index files are in.
fn holds_index_files(path: &Path) -> io::Result<bool> {
    let Some(kind) = kind_of(path)? else { return Ok(true) };
    if !kind.is_dir() {
        return Ok(false);
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let name = entry.file_name();
        let is_fine = if kind.is_dir() {
            // Only embeddings have subfolders, one per model.
            path.ends_with("vectors") && holds_files(&entry.path())?
        } else {
            kind.is_file()
        };
        if !is_fine {
            tracing::warn!(folder = %path.display(), name = %name.display(), "this does not belong into an index");
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether every entry of a folder is a file.
fn holds_files(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        if !entry?.file_type()?.is_file() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns the kind of the entry at a path, without following a link; `None` if it does not exist.
fn kind_of(path: &Path) -> io::Result<Option<FileType>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata.file_type())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn rename(index: &Path, name: &str, now: Timestamp) -> io::Result<String> {
    let wanted = format!("{name}.damaged-{}", now.as_millis());
    let numbered = (2_u32..).map(|number| format!("{wanted}-{number}"));
    let mut free = std::iter::once(wanted.clone()).chain(numbered);
    let free = free.find(|name| index.join(name).symlink_metadata().is_err()).expect("there are numbers enough");
    fs::rename(index.join(name), index.join(&free))?;
    Ok(format!("{name} was not a file of an index; it is kept as {}", index.join(free).display()))
}
