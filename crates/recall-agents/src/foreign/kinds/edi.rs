//! The folder `.edi`: agents, the profile, and the history of sessions.

use std::path::Path;

use recall_core::{ForeignKind, MEMORY_BYTES, Timestamp};

use super::serena::{check_folder, unreadable};
use crate::foreign::front_matter::Note;
use crate::foreign::item::{Belonging, ForeignFile, ForeignOrigin, ForeignSession};
use crate::foreign::moment;
use crate::foreign::text_file::{self, Found, files_below};
use crate::foreign::{Item, LeftOut, LeftOutReason, ReadError, Sink};

/// What recall has no place for, with what to do instead.
const NO_PLACE: [(&str, &str); 6] = [
    ("config.yaml", "its settings have other names here: see `recall config show`"),
    ("status.md", "`recall briefing` says what is open"),
    ("active.yaml", "it is the state of a running session"),
    ("codex.db", "`recall import codex` imports it"),
    ("recall/global.db", "`recall import recall-v0 --scope global` imports it"),
    ("recall/project.db", "`recall import recall-v0` imports it"),
];

pub(super) fn read(path: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    check_folder(path, ForeignKind::Edi)?;
    let folder = if path.join(".edi").is_dir() { path.join(".edi") } else { path.to_owned() };
    let mut items = Vec::new();
    let profile = folder.join("profile.md");
    if profile.is_file() {
        items.push(file(&profile, "profile.md"));
    }
    for found in files_in(&folder, "agents")? {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if found.below.chars().all(is_plain) {
            items.push(file(&found.path, &format!("agents/{}", found.below)));
        } else {
            let why = "its name is not made of letters, digits, `.`, `_` and `-`".to_owned();
            items.push(Item::LeftOut(LeftOut::one(found.below, LeftOutReason::Unreadable { why })));
        }
    }
    for found in files_in(&folder, "history")? {
        items.push(match text_file::read(&found.path, MEMORY_BYTES as u64) {
            Ok(text) => Item::Session(Box::new(session(&text, &found))),
            Err(error) => Item::LeftOut(unreadable(&found.below, &error)),
        });
    }
    for (name, instead) in NO_PLACE {
        if folder.join(name).exists() {
            items.push(Item::LeftOut(LeftOut::one(name, LeftOutReason::NoPlace { instead })));
        }
    }
    if items.is_empty() {
        let found = "it has no agents, no profile, no history and no configuration".to_owned();
        return Err(ReadError::Unexpected { path: folder, expected: "a folder `.edi`", found });
    }
    for item in items {
        if sink(item).is_break() {
            break;
        }
    }
    Ok(())
}

fn files_in(folder: &Path, name: &str) -> Result<Vec<Found>, ReadError> {
    let folder = folder.join(name);
    if folder.is_dir() { files_below(&folder, "md") } else { Ok(Vec::new()) }
}

fn file(path: &Path, below: &str) -> Item {
    match text_file::read(path, MEMORY_BYTES as u64) {
        Ok(content) => Item::File(ForeignFile { below: below.to_owned(), content, from: path.to_owned() }),
        Err(error) => Item::LeftOut(unreadable(below, &error)),
    }
}

fn session(text: &str, found: &Found) -> ForeignSession {
    let note = Note::split(text);
    let stem = found.below.trim_end_matches(".md");
    let first = |names: &[&str]| names.iter().find_map(|name| note.text_of(name));
    let time = |names: &[&str]| names.iter().find_map(|name| moment::from_json(note.field(name)?));
    let id = first(&["session_id", "session", "id"]).unwrap_or_else(|| format!("edi-{}", stem.replace('/', "-")));
    let started = time(&["started_at", "started", "start", "date"]).or_else(|| date_of(stem)).or(found.modified);
    let started = started.unwrap_or_default();
    ForeignSession {
        started,
        ended: time(&["ended_at", "ended", "end"]).unwrap_or(started).max(started),
        goal: first(&["goal", "title"]),
        summary: Some(note.text.trim().to_owned()),
        belongs: Belonging::default(),
        origin: ForeignOrigin {
            agent: Some("edi".to_owned()),
            mode: first(&["agent", "mode"]),
            session: Some(id.clone()),
            branch: first(&["branch"]),
            commit: first(&["commit"]),
        },
        id,
        events: Vec::new(),
        further: 0,
    }
}

/// Returns the day that a file name begins with.
fn date_of(stem: &str) -> Option<Timestamp> {
    moment::from_text(stem.rsplit('/').next()?.get(..10)?)
}
