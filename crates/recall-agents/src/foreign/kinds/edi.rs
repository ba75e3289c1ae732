//! EDI: the folder `.edi` with agents, the profile and the history of sessions, and the databases RECALL v0 and Codex, whose
//! tables are alike.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use recall_core::{EventDetails, ForeignKind, MEMORY_BYTES, StoreScope, Timestamp};
use serde_json::{Map, Value};

use super::notes::{check_folder, unreadable};
use crate::foreign::database::{Database, Values, expected_tables};
use crate::foreign::item::{
    Belonging, ForeignEvent, ForeignFeedback, ForeignFile, ForeignMemory, ForeignOrigin, ForeignSession, event_type,
    memory_type,
};
use crate::foreign::text_file::{Found, Note, files_below};
use crate::foreign::{Item, LeftOut, LeftOutReason, ReadError, Sink, moment, text_file};

/// The newest version of Codex's schema.
const CODEX_VERSION: i64 = 1;

/// The types of items that were cut out of files.
const DERIVED: [&str; 2] = ["code", "doc"];

/// The most events of one session; further ones are counted.
const SESSION_EVENTS: usize = 1000;

pub(super) fn read_database(
    kind: ForeignKind,
    path: &Path,
    scratch: &Path,
    sink: &mut Sink<'_>,
) -> Result<(), ReadError> {
    let database = Database::open(path, scratch)?;
    let expected = expected_tables(kind);
    if kind == ForeignKind::RecallV0
        && database.columns("items")?.is_empty()
        && !database.columns("knowledge")?.is_empty()
    {
        return read_knowledge(&database, expected, sink);
    }
    database.require(expected, "items", &["id", "type", "title", "content", "tags", "scope", "created_at"])?;
    let is_codex = database.columns("items")?.contains("metadata");
    if is_codex != (kind == ForeignKind::EdiCodex) {
        let found =
            if is_codex { "it is a database of EDI's Codex" } else { "its table `items` has no column `metadata`" };
        return Err(database.unexpected_error(expected, found.to_owned()));
    }
    if let Some(version) = database.greatest("schema_version", "version")?.filter(|version| *version > CODEX_VERSION) {
        return Err(database.newer(version, CODEX_VERSION));
    }
    let mut derived = 0;
    let columns =
        ["id", "type", "title", "content", "tags", "scope", "project_path", "metadata", "source", "created_at"];
    let mut failed = None;
    let done = database.rows("items", &columns, None, "rowid", &mut |row| {
        if row.text(1).is_some_and(|of| DERIVED.contains(&&*of)) {
            derived += 1;
            return ControlFlow::Continue(());
        }
        let mut memory = item(row);
        match feedback(&database, &memory.id) {
            Ok(feedback) => memory.feedback = feedback,
            Err(error) => {
                failed = Some(error);
                return ControlFlow::Break(());
            }
        }
        sink(Item::Memory(Box::new(memory)))
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    if done.is_break() {
        return Ok(());
    }
    if derived > 0 {
        let left =
            LeftOut { item: "items of type code and doc".to_owned(), count: derived, reason: LeftOutReason::Derived };
        if sink(Item::LeftOut(left)).is_break() {
            return Ok(());
        }
    }
    read_recorder(&database, sink)
}

fn item(row: &Values<'_>) -> ForeignMemory {
    let metadata: Map<String, Value> =
        row.text(7).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let field = |name: &str| {
        let text = metadata.get(name).and_then(Value::as_str).map(str::trim);
        text.filter(|text| !text.is_empty() && *text != "unknown").map(str::to_owned)
    };
    let (memory_type, label) = memory_type(&row.text(1).unwrap_or_default());
    let mut tags = row.list(4);
    tags.extend(label);
    let source = row.text(8).filter(|source| source != "manual");
    ForeignMemory {
        id: row.text(0).unwrap_or_default(),
        memory_type,
        title: row.text(2).unwrap_or_default(),
        content: row.text(3).unwrap_or_default(),
        tags,
        files: source.into_iter().collect(),
        created: row.moment(9),
        belongs: Belonging {
            scope: row.text(5).and_then(|scope| scope_of(&scope)),
            project: row.text(6).or_else(|| field("edi_project_path")).or_else(|| field("edi_project_name")),
        },
        origin: ForeignOrigin {
            agent: Some("edi".to_owned()),
            mode: field("edi_agent_mode"),
            session: field("edi_session_id"),
            branch: field("edi_git_branch"),
            commit: field("edi_git_sha"),
        },
        feedback: Vec::new(),
    }
}

fn scope_of(scope: &str) -> Option<StoreScope> {
    match scope {
        "global" => Some(StoreScope::Global),
        "project" => Some(StoreScope::Project),
        _ => None,
    }
}

fn feedback(database: &Database, item: &str) -> Result<Vec<ForeignFeedback>, ReadError> {
    let mut all = Vec::new();
    if database.columns("feedback")?.is_empty() {
        return Ok(all);
    }
    let columns = ["id", "useful", "context", "created_at", "timestamp", "session_id"];
    let _ = database.rows("feedback", &columns, Some(("item_id", &item)), "rowid", &mut |row| {
        all.push(ForeignFeedback {
            id: row.text(0).unwrap_or_default(),
            useful: row.number(1).is_some_and(|useful| useful != 0),
            note: row.text(2),
            created: row.moment(3).or_else(|| row.moment(4)),
            session: row.text(5),
        });
        ControlFlow::Continue(())
    })?;
    Ok(all)
}

/// Reads the flight recorder: its entries by session, each session once.
fn read_recorder(database: &Database, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    if database.columns("flight_recorder")?.is_empty() {
        return Ok(());
    }
    let mut sessions: BTreeMap<String, ForeignSession> = BTreeMap::new();
    let columns = ["session_id", "type", "content", "rationale", "timestamp"];
    let _ = database.rows("flight_recorder", &columns, None, "rowid", &mut |row| {
        let (Some(id), Some(content), Some(timestamp)) = (row.text(0), row.text(2), row.moment(4)) else {
            return ControlFlow::Continue(());
        };
        let session = sessions.entry(id).or_insert_with_key(|id| empty_session(id, timestamp));
        session.started = session.started.min(timestamp);
        session.ended = session.ended.max(timestamp);
        if session.events.len() >= SESSION_EVENTS {
            session.further += 1;
            return ControlFlow::Continue(());
        }
        let details = EventDetails::new(event_type(&row.text(1).unwrap_or_default()), content);
        let details = EventDetails { rationale: row.text(3), ..details };
        session.events.push(ForeignEvent { timestamp, details, files: Vec::new() });
        ControlFlow::Continue(())
    })?;
    for session in sessions.into_values() {
        if sink(Item::Session(Box::new(session))).is_break() {
            break;
        }
    }
    Ok(())
}

fn empty_session(id: &str, at: Timestamp) -> ForeignSession {
    ForeignSession {
        id: id.to_owned(),
        started: at,
        ended: at,
        goal: None,
        summary: None,
        belongs: Belonging::default(),
        origin: ForeignOrigin {
            agent: Some("edi".to_owned()),
            session: Some(id.to_owned()),
            ..ForeignOrigin::default()
        },
        events: Vec::new(),
        further: 0,
    }
}

/// Reads the form of RECALL v0 that keeps captured knowledge apart from indexed documents.
fn read_knowledge(database: &Database, expected: &'static str, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    database.require(expected, "knowledge", &["id", "type", "title", "content", "scope"])?;
    let columns = ["id", "type", "title", "content", "scope", "session_id", "tags", "related_files", "created_at"];
    let done = database.rows("knowledge", &columns, None, "rowid", &mut |row| {
        let (memory_type, label) = memory_type(&row.text(1).unwrap_or_default());
        let mut tags = row.list(6);
        tags.extend(label);
        sink(Item::Memory(Box::new(ForeignMemory {
            id: row.text(0).unwrap_or_default(),
            memory_type,
            title: row.text(2).unwrap_or_default(),
            content: row.text(3).unwrap_or_default(),
            tags,
            files: row.list(7),
            created: row.moment(8),
            belongs: Belonging { scope: row.text(4).and_then(|scope| scope_of(&scope)), project: None },
            origin: ForeignOrigin { agent: Some("edi".to_owned()), session: row.text(5), ..ForeignOrigin::default() },
            feedback: Vec::new(),
        })))
    })?;
    if done.is_break() {
        return Ok(());
    }
    let documents = database.count("documents")?;
    if documents > 0 {
        let left = LeftOut { item: "documents".to_owned(), count: documents, reason: LeftOutReason::Derived };
        if sink(Item::LeftOut(left)).is_break() {
            return Ok(());
        }
    }
    if database.columns("sessions")?.is_empty() {
        return Ok(());
    }
    let columns = ["id", "started_at", "ended_at", "summary", "agent"];
    let _ = database.rows("sessions", &columns, None, "rowid", &mut |row| {
        let (Some(id), Some(started)) = (row.text(0), row.moment(1)) else { return ControlFlow::Continue(()) };
        let mut session = empty_session(&id, started);
        session.ended = row.moment(2).unwrap_or(started).max(started);
        session.summary = row.text(3);
        session.origin.mode = row.text(4);
        sink(Item::Session(Box::new(session)))
    })?;
    Ok(())
}

/// What recall has no place for, with what to do instead.
const NO_PLACE: [(&str, &str); 6] = [
    ("config.yaml", "its settings have other names here: see `recall config show`"),
    ("status.md", "`recall briefing` says what is open"),
    ("active.yaml", "it is the state of a running session"),
    ("codex.db", "`recall import codex` imports it"),
    ("recall/global.db", "`recall import recall-v0 --scope global` imports it"),
    ("recall/project.db", "`recall import recall-v0` imports it"),
];

pub(super) fn read_folder(path: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
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
