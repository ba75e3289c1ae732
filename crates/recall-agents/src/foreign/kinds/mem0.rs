//! The memories of mem0: its history, the database of its app, or an export in JSON.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::path::Path;

use recall_core::{ForeignKind, Timestamp};
use serde_json::Value;

use crate::foreign::database::{Database, expected_tables};
use crate::foreign::item::{ForeignMemory, ForeignOrigin};
use crate::foreign::moment;
use crate::foreign::text_file::{self, FILE_BYTES};
use crate::foreign::{Item, LeftOut, LeftOutReason, ReadError, Sink};

pub(super) fn read(path: &Path, scratch: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    if path.extension().is_some_and(|extension| extension == "json") {
        return read_export(path, sink);
    }
    let database = Database::open(path, scratch)?;
    let expected = expected_tables(ForeignKind::Mem0);
    if !database.columns("memories")?.is_empty() {
        database.require(expected, "memories", &["id", "content", "state", "created_at"])?;
        return read_open_memory(&database, sink);
    }
    database.require(expected, "history", &["memory_id", "new_memory", "event"])?;
    read_history(&database, sink)
}

/// Reads `OpenMemory`: its memories with their categories and apps.
fn read_open_memory(database: &Database, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let names = |table: &str| -> Result<HashMap<String, String>, ReadError> {
        let mut names = HashMap::new();
        if !database.columns(table)?.is_empty() {
            let _ = database.rows(table, &["id", "name"], None, "rowid", &mut |row| {
                names.extend(row.text(0).zip(row.text(1)));
                ControlFlow::Continue(())
            })?;
        }
        Ok(names)
    };
    let (apps, categories) = (names("apps")?, names("categories")?);
    let mut labels: HashMap<String, Vec<String>> = HashMap::new();
    if !database.columns("memory_categories")?.is_empty() {
        let columns = ["memory_id", "category_id"];
        let _ = database.rows("memory_categories", &columns, None, "rowid", &mut |row| {
            if let (Some(memory), Some(name)) = (row.text(0), row.text(1).and_then(|id| categories.get(&id))) {
                labels.entry(memory).or_default().push(name.clone());
            }
            ControlFlow::Continue(())
        })?;
    }
    let columns = ["id", "content", "state", "created_at", "app_id"];
    let _ = database.rows("memories", &columns, None, "rowid", &mut |row| {
        let id = row.text(0).unwrap_or_default();
        if row.text(2).is_some_and(|state| matches!(&*state, "deleted" | "archived")) {
            return sink(Item::LeftOut(LeftOut::one(id, LeftOutReason::Deleted)));
        }
        let app = row.text(4).and_then(|app| apps.get(&app));
        sink(Item::Memory(Box::new(ForeignMemory {
            content: row.text(1).unwrap_or_default(),
            tags: labels.remove(&id).unwrap_or_default(),
            id,
            created: row.moment(3),
            origin: ForeignOrigin { agent: Some(app.map_or("mem0", |app| app).to_owned()), ..ForeignOrigin::default() },
            ..ForeignMemory::default()
        })))
    })?;
    Ok(())
}

/// The state of a memory after its changes so far.
#[derive(Default)]
struct Latest {
    text: Option<String>,
    created: Option<Timestamp>,
    agent: Option<String>,
}

/// Reads the history of changes: the last text of each memory.
fn read_history(database: &Database, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let mut latest: BTreeMap<String, Latest> = BTreeMap::new();
    let columns = ["memory_id", "new_memory", "event", "created_at", "is_deleted", "actor_id"];
    let _ = database.rows("history", &columns, None, "rowid", &mut |row| {
        let Some(id) = row.text(0) else { return ControlFlow::Continue(()) };
        let known = latest.entry(id).or_default();
        let is_deleted = row.text(2).is_some_and(|event| event.eq_ignore_ascii_case("delete"))
            || row.number(4).is_some_and(|deleted| deleted != 0);
        known.text = if is_deleted { None } else { row.text(1).or_else(|| known.text.take()) };
        known.created = known.created.or_else(|| row.moment(3));
        known.agent = row.text(5).or_else(|| known.agent.take());
        ControlFlow::Continue(())
    })?;
    for (id, Latest { text, created, agent }) in latest {
        let item = match text {
            Some(content) => Item::Memory(Box::new(ForeignMemory {
                id,
                content,
                created,
                origin: ForeignOrigin {
                    agent: Some(agent.unwrap_or_else(|| "mem0".to_owned())),
                    ..ForeignOrigin::default()
                },
                ..ForeignMemory::default()
            })),
            None => Item::LeftOut(LeftOut::one(id, LeftOutReason::Deleted)),
        };
        if sink(item).is_break() {
            break;
        }
    }
    Ok(())
}

/// Reads an export: a list of memories, or an object with such a list under `results` or `memories`.
fn read_export(path: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let text = text_file::read(path, FILE_BYTES)?;
    let unexpected = |found: String| ReadError::Unexpected {
        path: path.to_owned(),
        expected: "an export of mem0 or OpenMemory",
        found,
    };
    let value: Value = serde_json::from_str(&text).map_err(|error| unexpected(format!("it is not JSON: {error}")))?;
    let list = match value {
        Value::Array(list) => Some(list),
        Value::Object(mut fields) => ["results", "memories"].into_iter().find_map(|name| match fields.remove(name) {
            Some(Value::Array(list)) => Some(list),
            _ => None,
        }),
        _ => None,
    };
    let list = list.ok_or_else(|| unexpected("it has no list of memories".to_owned()))?;
    for (number, entry) in list.iter().enumerate() {
        let field =
            |names: &[&str]| names.iter().find_map(|name| entry.get(name)).and_then(Value::as_str).map(str::to_owned);
        let item = if let (Some(id), Some(content)) = (field(&["id"]), field(&["memory", "content", "text"])) {
            Item::Memory(Box::new(ForeignMemory {
                // OpenMemory's database writes ids without hyphens.
                id: id.replace('-', ""),
                content,
                tags: entry
                    .get("categories")
                    .and_then(Value::as_array)
                    .map(|tags| tags.iter().filter_map(Value::as_str).map(str::to_owned).collect())
                    .unwrap_or_default(),
                created: entry.get("created_at").and_then(moment::from_json),
                origin: ForeignOrigin {
                    agent: Some(field(&["app_name", "agent_id"]).unwrap_or_else(|| "mem0".to_owned())),
                    session: field(&["run_id"]),
                    ..ForeignOrigin::default()
                },
                ..ForeignMemory::default()
            }))
        } else {
            let why = "it has no `id` or no `memory`".to_owned();
            Item::LeftOut(LeftOut::one(format!("entry {}", number + 1), LeftOutReason::Unreadable { why }))
        };
        if sink(item).is_break() {
            break;
        }
    }
    Ok(())
}
