//! The files that a backup holds, by the folder that they are in.

use recall_core::{Scope, StoreScope};
use recall_journal::{Day, EVENTS_FILE, JOURNAL_FILE};
use recall_text::PROJECT_FOLDER;
use serde::{Deserialize, Serialize};

use crate::memory::verify::PROFILE;

/// The name of a file of decisions about paths.
pub(super) const SELECTION: &str = "selection.jsonl";

/// The name of the file of confirmations.
pub(super) const CONFIRMED: &str = "confirmed.jsonl";

/// The name of the record next to an own log.
pub(super) const RETURNED: &str = "returned.jsonl";

/// The file that names the root of an own log.
pub(super) const ROOT: &str = "root";

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
