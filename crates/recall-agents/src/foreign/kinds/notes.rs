//! Memories in Markdown files: those of Serena in `.serena/memories`, the notes of Basic Memory or the database that indexes
//! them, and those of `OpenAI` Codex in `~/.codex/memories`.
//!
//! A block of `MEMORY.md` is a memory of the working directory that it names, and so is the summary of a rollout. What Codex knows of
//! the user, and blocks that name no directory, are global.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use recall_core::{ForeignKind, MEMORY_BYTES, MemoryType, StoreScope, Timestamp};

use crate::codex_memory::{CodexBlock, codex_blocks, codex_index_lines, codex_rollout_directory, is_below};
use crate::foreign::database::{Database, expected_tables};
use crate::foreign::item::{Belonging, ForeignMemory, ForeignOrigin, memory_type};
use crate::foreign::text_file::{Found, Note, files_below};
use crate::foreign::{Item, LeftOut, LeftOutReason, ReadError, Sink, moment, text_file};

pub(super) fn read_serena(path: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    check_folder(path, ForeignKind::Serena)?;
    // A project's root or its `.serena` folder stand for the memories in it.
    let inside = [path.join("memories"), path.join(".serena/memories")].into_iter().find(|inside| inside.is_dir());
    for found in files_below(inside.as_deref().unwrap_or(path), "md")? {
        let item = match text_file::read(&found.path, MEMORY_BYTES as u64 * 2) {
            Ok(text) => Item::Memory(Box::new(ForeignMemory {
                id: found.below.clone(),
                title: title(Note::split(&text).text, &found.below),
                content: Note::split(&text).text.trim().to_owned(),
                tags: vec!["serena".to_owned()],
                created: found.modified,
                origin: ForeignOrigin { agent: Some("serena".to_owned()), ..ForeignOrigin::default() },
                ..ForeignMemory::default()
            })),
            Err(error) => Item::LeftOut(unreadable(&found.below, &error)),
        };
        if sink(item).is_break() {
            break;
        }
    }
    Ok(())
}

pub(super) fn check_folder(path: &Path, kind: ForeignKind) -> Result<(), ReadError> {
    if text_file::metadata(path)?.is_dir() {
        return Ok(());
    }
    Err(ReadError::Unexpected {
        path: path.to_owned(),
        expected: expected_tables(kind),
        found: "it is a file".to_owned(),
    })
}

/// Returns the first heading of a note, or its file name in words.
pub(super) fn title(text: &str, below: &str) -> String {
    let heading = text.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim).filter(|it| !it.is_empty());
    let stem = || {
        let name = below.rsplit('/').next().unwrap_or(below);
        name.trim_end_matches(".md").replace(['_', '-'], " ")
    };
    heading.map_or_else(stem, str::to_owned)
}

/// Returns an item that cannot be read, as left out.
pub(super) fn unreadable(item: &str, error: &ReadError) -> LeftOut {
    LeftOut::one(item, LeftOutReason::Unreadable { why: recall_text::error_chain(error) })
}

pub(super) fn read_basic_memory(path: &Path, scratch: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
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
        origin: basic_memory_origin(),
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
            origin: basic_memory_origin(),
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

fn basic_memory_origin() -> ForeignOrigin {
    ForeignOrigin { agent: Some("basic-memory".to_owned()), ..ForeignOrigin::default() }
}

/// The most bytes of a file: `MEMORY.md` has the blocks of all projects.
const FILE_BYTES: u64 = 8 * MEMORY_BYTES as u64;

/// The folder of summaries.
const ROLLOUTS: &str = "rollout_summaries/";

pub(super) fn read_codex(path: &Path, root: Option<&Path>, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    check_folder(path, ForeignKind::OpenAiCodex)?;
    // The folder of Codex means the memories below it.
    let inside = path.join("memories");
    let folder = if inside.is_dir() { inside } else { path.to_owned() };
    for found in files_below(&folder, "md")? {
        let is_rollout = found.below.starts_with(ROLLOUTS);
        // What is left is derived from the others or an input of Codex.
        if !is_rollout && !matches!(&*found.below, "MEMORY.md" | "memory_summary.md") {
            continue;
        }
        let text = match text_file::read(&found.path, FILE_BYTES) {
            Ok(text) => text,
            Err(error) => {
                if sink(Item::LeftOut(unreadable(&found.below, &error))).is_break() {
                    break;
                }
                continue;
            }
        };
        let memories = match &*found.below {
            "MEMORY.md" => codex_blocks(&text).iter().map(|block| block_memory(block, found.modified, root)).collect(),
            "memory_summary.md" => vec![summary_memory(&text, found.modified)],
            below => vec![rollout_memory(below, &text, found.modified)],
        };
        let empty = |memory: &ForeignMemory| memory.content.is_empty();
        if memories.into_iter().filter(|memory| !empty(memory)).any(|memory| sink(item(memory)).is_break()) {
            break;
        }
    }
    Ok(())
}

fn block_memory(block: &CodexBlock<'_>, modified: Option<Timestamp>, root: Option<&Path>) -> ForeignMemory {
    let directories = block.directories();
    let own = directories.iter().find(|written| root.is_some_and(|root| is_below(written, root, None)));
    let project = own.or(directories.first()).map(|written| (*written).to_owned());
    ForeignMemory {
        id: format!("MEMORY.md {}", block.heading),
        title: block.heading.to_owned(),
        content: block.text.trim().to_owned(),
        belongs: belonging(project, block.is_general()),
        ..empty_memory(modified)
    }
}

fn summary_memory(text: &str, modified: Option<Timestamp>) -> ForeignMemory {
    let index = codex_index_lines(text);
    let lines = text.lines().enumerate().filter(|(at, line)| !index.contains(at) && *line != "v1");
    let content: Vec<&str> = lines.map(|(_, line)| line).collect();
    ForeignMemory {
        id: "memory_summary.md".to_owned(),
        title: "What Codex knows of the user".to_owned(),
        content: content.join("\n").trim().to_owned(),
        belongs: belonging(None, true),
        ..empty_memory(modified)
    }
}

fn rollout_memory(below: &str, text: &str, modified: Option<Timestamp>) -> ForeignMemory {
    let body = text.split_once("\n\n").map_or(text, |(_, body)| body);
    ForeignMemory {
        id: below.to_owned(),
        memory_type: Some(MemoryType::Context),
        title: title(body, below),
        content: body.trim().to_owned(),
        belongs: belonging(codex_rollout_directory(text).map(str::to_owned), false),
        ..empty_memory(modified)
    }
}

/// Returns a memory of Codex without its text.
fn empty_memory(modified: Option<Timestamp>) -> ForeignMemory {
    ForeignMemory {
        tags: vec![ForeignKind::OpenAiCodex.as_str().to_owned()],
        created: modified,
        origin: ForeignOrigin { agent: Some("codex".to_owned()), ..ForeignOrigin::default() },
        ..ForeignMemory::default()
    }
}

/// Describes where a memory applies. One that names no directory, and is not general either, belongs to no project that is known.
fn belonging(project: Option<String>, is_general: bool) -> Belonging {
    let scope = if is_general { StoreScope::Global } else { StoreScope::Project };
    Belonging {
        scope: Some(scope),
        project: project.or_else(|| (!is_general).then(|| "a project without a path".to_owned())),
    }
}

fn item(memory: ForeignMemory) -> Item {
    Item::Memory(Box::new(memory))
}
