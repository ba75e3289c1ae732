//! The database of claude-mem: observations, directives, and the summaries of sessions.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use recall_core::{ForeignKind, Timestamp};

use crate::foreign::database::{Database, Values, expected_tables};
use crate::foreign::item::{Belonging, ForeignMemory, ForeignOrigin, ForeignSession, memory_type};
use crate::foreign::moment;
use crate::foreign::{Item, LeftOut, LeftOutReason, ReadError, Sink};

/// The parts of a session's summary, by column.
const SUMMARY: [(&str, &str); 6] = [
    ("request", "Request"),
    ("investigated", "Investigated"),
    ("learned", "Learned"),
    ("completed", "Completed"),
    ("next_steps", "Next steps"),
    ("notes", "Notes"),
];

struct SdkSession {
    content_id: String,
    project: Option<String>,
    goal: Option<String>,
    started: Option<Timestamp>,
    completed: Option<Timestamp>,
}

pub(super) fn read(path: &Path, scratch: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let database = Database::open(path, scratch)?;
    let expected = expected_tables(ForeignKind::ClaudeMem);
    database.require(expected, "observations", &["id", "memory_session_id", "project", "type", "created_at_epoch"])?;
    database.require(expected, "sdk_sessions", &["content_session_id", "memory_session_id", "project"])?;
    let mut sessions = HashMap::new();
    let columns =
        ["memory_session_id", "content_session_id", "project", "user_prompt", "started_at_epoch", "completed_at_epoch"];
    let _ = database.rows("sdk_sessions", &columns, None, "rowid", &mut |row| {
        if let (Some(id), Some(content_id)) = (row.text(0), row.text(1)) {
            let session = SdkSession {
                content_id,
                project: row.text(2),
                goal: row.text(3),
                started: epoch(row, 4),
                completed: epoch(row, 5),
            };
            sessions.insert(id, session);
        }
        ControlFlow::Continue(())
    })?;
    let session_of = |id: Option<&String>| id.and_then(|id| sessions.get(id)).map(|session| session.content_id.clone());
    let columns = [
        "id",
        "memory_session_id",
        "project",
        "type",
        "title",
        "subtitle",
        "narrative",
        "text",
        "facts",
        "concepts",
        "files_modified",
        "files_read",
        "created_at_epoch",
    ];
    let done = database.rows("observations", &columns, None, "id", &mut |row| {
        let session = row.text(1);
        let (memory_type, label) = memory_type(&row.text(3).unwrap_or_default());
        let mut tags = row.list(9);
        tags.extend(label);
        let mut files = row.list(10);
        files.extend(row.list(11));
        sink(Item::Memory(Box::new(ForeignMemory {
            // Numbers repeat across databases; those of a session do not.
            id: format!("{}/{}", session.as_deref().unwrap_or_default(), row.text(0).unwrap_or_default()),
            memory_type,
            title: row.text(4).unwrap_or_default(),
            content: observation(row),
            tags,
            files,
            created: epoch(row, 12),
            belongs: Belonging { scope: None, project: row.text(2) },
            origin: origin(session_of(session.as_ref())),
            feedback: Vec::new(),
        })))
    })?;
    if done.is_break() || read_directives(&database, sink)?.is_break() {
        return Ok(());
    }
    let prompts = database.count("user_prompts")?;
    if prompts > 0 {
        let reason =
            LeftOutReason::NoPlace { instead: "`recall import transcripts` imports what was asked in sessions" };
        if sink(Item::LeftOut(LeftOut { item: "prompts".to_owned(), count: prompts, reason })).is_break() {
            return Ok(());
        }
    }
    read_summaries(&database, &sessions, sink)
}

fn observation(row: &Values<'_>) -> String {
    let mut parts: Vec<String> = [5, 6].into_iter().filter_map(|at| row.text(at)).collect();
    if parts.is_empty() {
        parts.extend(row.text(7));
    }
    let facts: Vec<String> = row.list(8).iter().map(|fact| format!("- {fact}")).collect();
    if !facts.is_empty() {
        parts.push(facts.join("\n"));
    }
    parts.join("\n\n")
}

fn read_directives(database: &Database, sink: &mut Sink<'_>) -> Result<ControlFlow<()>, ReadError> {
    if database.columns("directives")?.is_empty() {
        return Ok(ControlFlow::Continue(()));
    }
    let columns = ["id", "scope", "project", "content", "status", "created_at_epoch"];
    database.rows("directives", &columns, None, "id", &mut |row| {
        let created = epoch(row, 5);
        let id = format!("directive/{}/{}", row.text(0).unwrap_or_default(), created.unwrap_or_default().0);
        if row.text(4).is_some_and(|status| status != "active") {
            return sink(Item::LeftOut(LeftOut::one(id, LeftOutReason::Deleted)));
        }
        let is_global = row.text(1).is_none_or(|scope| scope == "global");
        let scope = is_global.then_some(recall_core::StoreScope::Global);
        sink(Item::Memory(Box::new(ForeignMemory {
            id,
            content: row.text(3).unwrap_or_default(),
            tags: vec!["directive".to_owned()],
            created,
            belongs: Belonging { scope, project: row.text(2) },
            origin: origin(None),
            ..ForeignMemory::default()
        })))
    })
}

/// Reads the summaries; those of one session become one session.
fn read_summaries(
    database: &Database,
    sessions: &HashMap<String, SdkSession>,
    sink: &mut Sink<'_>,
) -> Result<(), ReadError> {
    if database.columns("session_summaries")?.is_empty() {
        return Ok(());
    }
    let mut columns = vec!["memory_session_id", "project", "created_at_epoch"];
    columns.extend(SUMMARY.map(|(column, _)| column));
    let mut current: Option<(String, ForeignSession)> = None;
    let done = database.rows("session_summaries", &columns, None, "memory_session_id, id", &mut |row| {
        let (Some(id), Some(created)) = (row.text(0), epoch(row, 2)) else { return ControlFlow::Continue(()) };
        let mut text = String::new();
        for (at, (_, heading)) in SUMMARY.iter().enumerate() {
            if let Some(part) = row.text(at + 3) {
                let _ = write!(text, "## {heading}\n\n{}\n\n", part.trim());
            }
        }
        if let Some((known, session)) = &mut current
            && *known == id
        {
            session.ended = session.ended.max(created);
            session.summary.get_or_insert_default().push_str(&text);
            return ControlFlow::Continue(());
        }
        let known = sessions.get(&id);
        let content_id = known.map_or_else(|| id.clone(), |session| session.content_id.clone());
        let started = known.and_then(|session| session.started).unwrap_or(created);
        let session = ForeignSession {
            started,
            ended: known.and_then(|session| session.completed).unwrap_or(created).max(started),
            goal: known.and_then(|session| session.goal.clone()),
            summary: Some(text),
            belongs: Belonging { scope: None, project: row.text(1).or_else(|| known?.project.clone()) },
            origin: origin(Some(content_id.clone())),
            id: content_id,
            events: Vec::new(),
            further: 0,
        };
        match current.replace((id, session)) {
            Some((_, before)) => sink(Item::Session(Box::new(before))),
            None => ControlFlow::Continue(()),
        }
    })?;
    if let Some((_, last)) = current
        && done.is_continue()
    {
        let _ = sink(Item::Session(Box::new(last)));
    }
    Ok(())
}

fn origin(session: Option<String>) -> ForeignOrigin {
    ForeignOrigin { agent: Some("claude-mem".to_owned()), session, ..ForeignOrigin::default() }
}

fn epoch(row: &Values<'_>, at: usize) -> Option<Timestamp> {
    moment::from_number(row.number(at)? as f64)
}
