//! The files that a backup copies, in the order of copying.

use std::cmp::Reverse;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use recall_journal::{Day, EVENTS_FILE, JOURNAL_FILE};
use recall_os::{Access, Folder, OpenError};
use recall_text::PROJECT_FOLDER;

use super::archive::FILE_BYTES;
use super::error::BackupError;
use super::layout::{Area, CONFIRMED, RETURNED, ROOT, SELECTION};
use crate::memory::verify::PROFILE;

/// A file of a store. It may be missing, or not be a file.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) area: Area,
    pub(super) root: PathBuf,
    /// The path below the root, with `/` between names.
    pub(super) path: String,
}

/// Returns the files of an area, which is in the folder `root`.
///
/// # Errors
/// A folder cannot be read.
pub(super) fn list_files(area: &Area, root: &Path) -> Result<Vec<Source>, BackupError> {
    let paths = match area {
        Area::Project | Area::Domain(_) => list_root_files(root)?,
        Area::Global => {
            let mut paths = list_root_files(root)?;
            below(root, "", &mut paths)?;
            paths
        }
        Area::ProjectData | Area::DomainData(_) | Area::GlobalData => {
            let mut paths = list_store_files(root, "")?;
            paths.extend(summaries(root)?);
            paths
        }
        Area::Written => list_written_files(root)?,
    };
    let source = |path| Source { area: area.clone(), root: root.to_owned(), path };
    Ok(paths.into_iter().map(source).collect())
}

/// Reads a file. The inner error is the reason for leaving the file out; `None` if it does not exist.
///
/// # Errors
/// The file is too large or cannot be read.
pub(super) fn read(source: &Source) -> Result<Result<Vec<u8>, Option<String>>, BackupError> {
    let path = source.root.join(&source.path);
    let opened = Folder::open(&source.root).and_then(|root| root.file(&source.path, Access::Read));
    let file = match opened {
        Ok(file) => file,
        Err(OpenError::Missing { .. } | OpenError::NotAFolder { .. }) => return Ok(Err(None)),
        Err(OpenError::Io { source, .. }) => return Err(BackupError::Read { path, source }),
        Err(error) => return Ok(Err(Some(error.to_string()))),
    };
    let mut bytes = Vec::new();
    let read = file.take(FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|source| BackupError::Read { path: path.clone(), source })?;
    if bytes.len() as u64 > FILE_BYTES {
        return Err(BackupError::TooLarge { path, bytes: bytes.len() as u64, limit: FILE_BYTES });
    }
    Ok(Ok(bytes))
}

fn list_root_files(root: &Path) -> Result<Vec<String>, BackupError> {
    let mut paths = list_store_files(root, PROJECT_FOLDER)?;
    let names = names(root, PROJECT_FOLDER)?;
    let mut days: Vec<Day> = names.iter().filter_map(|name| Day::from_name(name)).collect();
    days.sort_unstable_by_key(|day| Reverse(*day));
    paths.extend(days.into_iter().map(|day| format!("{PROJECT_FOLDER}/{day}/{JOURNAL_FILE}")));
    paths.extend(summaries(root)?);
    paths.extend([PROFILE, "recall.toml"].map(|name| format!("{PROJECT_FOLDER}/{name}")));
    Ok(paths)
}

/// Returns the summaries of sessions in a project, or those in a store's folder.
fn summaries(root: &Path) -> Result<Vec<String>, BackupError> {
    let history = format!("{PROJECT_FOLDER}/history");
    // A name with a dot is a file that is being written.
    let names = names(root, &history)?.into_iter().filter(|name| !name.starts_with('.'));
    Ok(names.map(|name| format!("{history}/{name}")).collect())
}

/// Returns the files that are in a store's folder, or in a project's folder of recall.
fn list_store_files(root: &Path, folder: &str) -> Result<Vec<String>, BackupError> {
    let sessions = join(folder, "sessions");
    let events = names(root, &sessions)?.into_iter().map(|name| format!("{sessions}/{name}/{EVENTS_FILE}"));
    Ok(events.chain([join(folder, SELECTION)]).collect())
}

fn list_written_files(root: &Path) -> Result<Vec<String>, BackupError> {
    let mut paths = Vec::new();
    for log in names(root, "")? {
        let days = names(root, &log)?.into_iter().filter(|name| Day::from_name(name).is_some());
        paths.extend(days.map(|day| format!("{log}/{day}/{JOURNAL_FILE}")));
        if log != CONFIRMED {
            paths.extend([RETURNED, ROOT].map(|name| format!("{log}/{name}")));
        }
    }
    paths.push(CONFIRMED.to_owned());
    Ok(paths)
}

/// Adds the visible files below a folder.
fn below(root: &Path, folder: &str, paths: &mut Vec<String>) -> Result<(), BackupError> {
    for name in names(root, folder)?.into_iter().filter(|name| !name.starts_with('.')) {
        let path = join(folder, &name);
        let found = Folder::open(root).and_then(|root| root.metadata(&path));
        match found {
            Ok(Some(found)) if found.is_dir() => below(root, &path, paths)?,
            _ => paths.push(path),
        }
    }
    Ok(())
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Lists the names in a folder below a root, in order. What is not a folder has none. A name that is not UTF-8 is given with
/// replaced characters, and its file is not found.
fn names(root: &Path, below: &str) -> Result<Vec<String>, BackupError> {
    let failed = |source| BackupError::Read { path: root.join(below), source };
    let folder = match Folder::open(root).and_then(|root| root.folder(below)) {
        Ok(folder) => folder,
        Err(OpenError::Io { source, .. }) => return Err(failed(source)),
        Err(_) => return Ok(Vec::new()),
    };
    let names = folder.names().map_err(failed)?;
    let mut names: Vec<String> =
        names.iter().map(OsString::as_os_str).map(|name| name.to_string_lossy().into()).collect();
    names.sort_unstable();
    Ok(names)
}
