//! The notes of Basic Memory: a folder of Markdown files, or the database that indexes them.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use recall_core::{ForeignKind, MEMORY_BYTES, Timestamp};

use super::serena::{title, unreadable};
use crate::foreign::database::{Database, expected_tables};
use crate::foreign::front_matter::Note;
use crate::foreign::item::{ForeignMemory, ForeignOrigin, memory_type};
use crate::foreign::moment;
use crate::foreign::text_file::{self, Found, files_below};
use crate::foreign::{Item, LeftOut, LeftOutReason, ReadError, Sink};

pub(super) fn read(path: &Path, scratch: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    if text_file::metadata(path)?.is_dir() { read_notes(path, sink) } else { read_database(path, scratch, sink) }
}

fn read_notes(folder: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    for found in files_below(folder, "md")? {
        let item = match text_file::read(&found.path, MEMORY_BYTES as u64 * 2) {
            Ok(text) => Item::Memory(Box::new(note(&text, &found))),
            Err(error) => Item::LeftOut(unreadable(&found.below, &error)),
        };
        if sink(item).is_break() {
            break;
        }
    }
    Ok(())
}

fn note(text: &str, found: &Found) -> ForeignMemory {
    let note = Note::split(text);
    let (memory_type, label) = memory_type(&note.text_of("type").unwrap_or_default());
    let mut tags = note.list_of("tags");
    tags.extend(label);
    let written = ["created", "created_at", "date"].into_iter().find_map(|name| moment::from_json(note.field(name)?));
    ForeignMemory {
        id: note.text_of("permalink").unwrap_or_else(|| found.below.clone()),
        memory_type,
        title: note.text_of("title").unwrap_or_else(|| title(note.text, &found.below)),
        content: note.text.trim().to_owned(),
        tags,
        created: written.or(found.modified),
        origin: origin(),
        ..ForeignMemory::default()
    }
}

/// A note as the database has it.
struct NoteEntity {
    number: i64,
    title: String,
    note_type: String,
    id: String,
    created: Option<Timestamp>,
}

fn read_database(path: &Path, scratch: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let database = Database::open(path, scratch)?;
    database.require(
        expected_tables(ForeignKind::BasicMemory),
        "entity",
        &["id", "title", "permalink", "file_path", "created_at"],
    )?;
    let mut entities = Vec::new();
    let mut others = 0;
    // Older versions have `entity_type` in place of `note_type`.
    let columns = ["id", "title", "note_type", "entity_type", "permalink", "file_path", "created_at", "content_type"];
    let _ = database.rows("entity", &columns, None, "id", &mut |row| {
        if row.text(7).is_some_and(|of| of != "text/markdown") {
            others += 1;
            return ControlFlow::Continue(());
        }
        entities.push(NoteEntity {
            number: row.number(0).unwrap_or_default(),
            title: row.text(1).unwrap_or_default(),
            note_type: row.text(2).or_else(|| row.text(3)).unwrap_or_default(),
            id: row.text(4).or_else(|| row.text(5)).unwrap_or_default(),
            created: row.moment(6),
        });
        ControlFlow::Continue(())
    })?;
    let has_content = !database.columns("note_content")?.is_empty();
    for entity in entities {
        let whole = if has_content { markdown(&database, entity.number)? } else { None };
        let (content, mut tags) = match whole {
            Some(text) => {
                let note = Note::split(&text);
                (note.text.trim().to_owned(), note.list_of("tags"))
            }
            None => (statements(&database, entity.number)?, Vec::new()),
        };
        let (memory_type, label) = memory_type(&entity.note_type);
        tags.extend(label);
        let memory = ForeignMemory {
            id: entity.id,
            memory_type,
            title: entity.title,
            content,
            tags,
            created: entity.created,
            origin: origin(),
            ..ForeignMemory::default()
        };
        if sink(Item::Memory(Box::new(memory))).is_break() {
            return Ok(());
        }
    }
    if others > 0 {
        let reason = LeftOutReason::NoPlace { instead: "it is not a note; `recall include` indexes files" };
        let _ = sink(Item::LeftOut(LeftOut { item: "other files".to_owned(), count: others, reason }));
    }
    Ok(())
}

fn markdown(database: &Database, entity: i64) -> Result<Option<String>, ReadError> {
    let mut text = None;
    let only = Some(("entity_id", &entity as &dyn rusqlite::ToSql));
    let _ = database.rows("note_content", &["markdown_content"], only, "entity_id", &mut |row| {
        text = row.text(0);
        ControlFlow::Break(())
    })?;
    Ok(text)
}

/// Puts the observations and relations of a note together, as its Markdown lists them.
fn statements(database: &Database, entity: i64) -> Result<String, ReadError> {
    let mut text = String::new();
    if !database.columns("observation")?.is_empty() {
        let only = Some(("entity_id", &entity as &dyn rusqlite::ToSql));
        let _ = database.rows("observation", &["category", "content", "context"], only, "id", &mut |row| {
            let category = row.text(0).unwrap_or_else(|| "note".to_owned());
            let context = row.text(2).map(|context| format!(" ({context})")).unwrap_or_default();
            let _ = writeln!(text, "- [{category}] {}{context}", row.text(1).unwrap_or_default());
            ControlFlow::Continue(())
        })?;
    }
    if !database.columns("relation")?.is_empty() {
        let only = Some(("from_id", &entity as &dyn rusqlite::ToSql));
        let _ = database.rows("relation", &["relation_type", "to_name"], only, "id", &mut |row| {
            let relation = row.text(0).unwrap_or_default();
            let _ = writeln!(text, "- {relation} [[{}]]", row.text(1).unwrap_or_default());
            ControlFlow::Continue(())
        })?;
    }
    Ok(text)
}

fn origin() -> ForeignOrigin {
    ForeignOrigin { agent: Some("basic-memory".to_owned()), ..ForeignOrigin::default() }
}
