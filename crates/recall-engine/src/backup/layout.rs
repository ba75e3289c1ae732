//! The files that a backup holds, by the folder that they are in, and those that it copies, in the order of copying.

use std::cmp::Reverse;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use recall_core::{Scope, StoreScope};
use recall_journal::{Day, EVENTS_FILE, JOURNAL_FILE};
use recall_os::{Access, Folder, OpenError};
use recall_text::PROJECT_FOLDER;
use serde::{Deserialize, Serialize};

use super::error::BackupError;
use crate::memory::verify::PROFILE;

/// The largest file of a backup. One at a time is held in memory. A day with ten thousand long memories takes 40 MB.
pub(super) const FILE_BYTES: u64 = 128 * 1024 * 1024;

/// The name of a file of decisions about paths.
pub(super) const SELECTION: &str = "selection.jsonl";

/// The name of the file of confirmations.
const CONFIRMED: &str = "confirmed.jsonl";

/// The name of the record next to an own log.
const RETURNED: &str = "returned.jsonl";

/// The file that names the root of an own log.
const ROOT: &str = "root";

/// The folder that the paths of a file in a backup are relative to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Area {
    /// The root of the project.
    Project,
    /// The folder of the project's store in the data home.
    ProjectData,
    /// The root of the domain with that name.
    Domain(String),
    /// The folder of a domain's store in the data home.
    DomainData(String),
    /// The root of the global store.
    Global,
    /// The folder of the global store in the data home.
    GlobalData,
    /// The folder of the own logs and the confirmations.
    Written,
}

/// What a file consists of, which decides how it is restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Lines that may be repeated and come in any order, in a file of that name.
    Lines(&'static str),
    /// Decisions about paths, of which the last one about a path wins.
    Decisions,
    Whole,
}

/// A file that was left out of a backup, or not restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    /// The path in the backup, or of the file in its store.
    pub path: String,
    /// The reason, as a clause to follow the path.
    pub reason: String,
}

impl Area {
    /// Returns whether a request of a scope concerns this folder. The own logs are about projects and domains.
    pub(super) fn is_seen(&self, scope: Scope) -> bool {
        match self {
            Self::Project | Self::ProjectData => scope.sees(StoreScope::Project),
            Self::Domain(_) | Self::DomainData(_) => scope.sees(StoreScope::Domain),
            Self::Global | Self::GlobalData => scope.sees(StoreScope::Global),
            Self::Written => scope != Scope::Global,
        }
    }

    /// Returns whether what is in this folder counts as written by this user: see ADR 18.
    pub(super) fn is_trusted(&self) -> bool {
        matches!(self, Self::Global | Self::GlobalData | Self::Written)
    }

    /// Returns the name of the folder in the archive.
    pub(super) fn label(&self) -> String {
        match self {
            Self::Project => "project".to_owned(),
            Self::ProjectData => "project-data".to_owned(),
            Self::Domain(name) => format!("domain-{name}"),
            Self::DomainData(name) => format!("domain-data-{name}"),
            Self::Global => "global".to_owned(),
            Self::GlobalData => "global-data".to_owned(),
            Self::Written => "written".to_owned(),
        }
    }

    /// Returns what the file at a path consists of; `None` if a backup holds no file at that path.
    ///
    /// The path is relative and has `/` between its names.
    pub(super) fn content(&self, path: &str) -> Option<Content> {
        let names: Vec<&str> = path.split('/').collect();
        if !names.iter().all(|name| is_plain(name)) {
            return None;
        }
        match self {
            Self::Project | Self::Domain(_) => root_content(&names),
            Self::Global => root_content(&names).or_else(|| {
                let is_hidden = names.iter().any(|name| name.starts_with('.'));
                (!is_hidden).then_some(Content::Whole)
            }),
            Self::ProjectData | Self::DomainData(_) | Self::GlobalData => match names[..] {
                [PROJECT_FOLDER, "history", name] if !name.starts_with('.') => Some(Content::Whole),
                _ => store_content(&names),
            },
            Self::Written => match names[..] {
                [CONFIRMED] => Some(Content::Lines(CONFIRMED)),
                [log, RETURNED] if !log.starts_with('.') => Some(Content::Lines(RETURNED)),
                [log, ROOT] if !log.starts_with('.') => Some(Content::Whole),
                [log, day, JOURNAL_FILE] if !log.starts_with('.') && is_day(day) => Some(Content::Lines(JOURNAL_FILE)),
                _ => None,
            },
        }
    }
}

fn root_content(names: &[&str]) -> Option<Content> {
    match names {
        [PROJECT_FOLDER, day, JOURNAL_FILE] if is_day(day) => Some(Content::Lines(JOURNAL_FILE)),
        [PROJECT_FOLDER, "history", name] if !name.starts_with('.') => Some(Content::Whole),
        [PROJECT_FOLDER, "recall.toml" | PROFILE] => Some(Content::Whole),
        [PROJECT_FOLDER, inner @ ..] => store_content(inner),
        _ => None,
    }
}

fn store_content(names: &[&str]) -> Option<Content> {
    match names {
        [SELECTION] => Some(Content::Decisions),
        ["sessions", session, EVENTS_FILE] if !session.starts_with('.') => Some(Content::Lines(EVENTS_FILE)),
        _ => None,
    }
}

fn is_day(name: &str) -> bool {
    Day::from_name(name).is_some()
}

/// Returns whether a name is one name on every platform, and leads nowhere else.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['\\', ':', '\0'])
}

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
pub(super) fn read_source(source: &Source) -> Result<Result<Vec<u8>, Option<String>>, BackupError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_paths_of_recalls_own_files_are_accepted() {
        let check = |area: &Area, path: &str, expected: Option<Content>| {
            assert_eq!(area.content(path), expected, "{area:?} {path}");
        };
        let journal = Some(Content::Lines("memories.jsonl"));
        check(&Area::Project, ".recall/2026-11-20/memories.jsonl", journal);
        check(&Area::Project, ".recall/sessions/s/events.jsonl", Some(Content::Lines("events.jsonl")));
        check(&Area::Project, ".recall/history/a.md", Some(Content::Whole));
        check(&Area::Project, ".recall/recall.toml", Some(Content::Whole));
        check(&Area::Project, ".recall/selection.jsonl", Some(Content::Decisions));
        check(&Area::ProjectData, "selection.jsonl", Some(Content::Decisions));
        check(&Area::Global, "notes/a.md", Some(Content::Whole));
        check(&Area::Written, "0a-1b/2026-11-20/memories.jsonl", journal);
        check(&Area::Written, "confirmed.jsonl", Some(Content::Lines("confirmed.jsonl")));
        let hostile = [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../x",
            ".recall/../x",
            ".recall/history/../../x",
            ".git/hooks/pre-commit",
            ".recall/.gitattributes",
            ".recall/history/..",
            "src/lib.rs",
            "a//b",
            "C:/x",
            "a\\b",
            ".ssh/authorized_keys",
            ".recall/2026-11-20/../memories.jsonl",
            ".recall/2026-13-20/memories.jsonl",
            "index/catalog.db",
        ];
        for path in hostile {
            check(&Area::Project, path, None);
            check(&Area::Domain("d".to_owned()), path, None);
            check(&Area::ProjectData, path, None);
            check(&Area::Written, path, None);
        }
        for path in ["../x", "/x", ".git/config", "notes/../../x", "notes/.env", ".recall/x"] {
            check(&Area::Global, path, None);
        }
    }
}
