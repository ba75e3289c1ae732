//! The knowledge graph of the MCP reference server `memory`: one entity or relation a line, in JSON.
//!
//! An entity becomes a memory with its observations and the relations from it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use recall_core::{ForeignKind, Timestamp};
use serde::Deserialize;

use crate::foreign::database::expected_tables;
use crate::foreign::item::{ForeignMemory, ForeignOrigin, memory_type};
use crate::foreign::text_file::{self, BoundedLines, FILE_BYTES};
use crate::foreign::{Item, LeftOut, LeftOutReason, ReadError, Sink};

/// The longest line: an entity with all its observations.
const LINE_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum GraphLine {
    Entity {
        name: String,
        #[serde(rename = "entityType")]
        entity_type: String,
        observations: Vec<String>,
    },
    Relation {
        from: String,
        to: String,
        #[serde(rename = "relationType")]
        relation_type: String,
    },
}

struct Entity {
    of: String,
    observations: Vec<String>,
    relations: Vec<String>,
}

pub(super) fn read(path: &Path, sink: &mut Sink<'_>) -> Result<(), ReadError> {
    let metadata = text_file::metadata(path)?;
    let unexpected = |found: &str| ReadError::Unexpected {
        path: path.to_owned(),
        expected: expected_tables(ForeignKind::MemoryServer),
        found: found.to_owned(),
    };
    let file = text_file::open(path)?;
    if metadata.len() > FILE_BYTES {
        return Err(ReadError::TooLarge { path: path.to_owned(), bytes: metadata.len(), limit: FILE_BYTES });
    }
    let mut entities: BTreeMap<String, Entity> = BTreeMap::new();
    let mut relations = Vec::new();
    let mut unread = Vec::new();
    let (mut number, mut records) = (0_u64, 0_u64);
    let mut lines = BoundedLines::new(file, LINE_BYTES);
    while let Some(line) = lines.next().map_err(|source| text_file::read_error(path, source))? {
        number += 1;
        let why = match line {
            Some([]) => continue,
            None => format!("it has more than {LINE_BYTES} bytes"),
            Some(line) => match serde_json::from_slice(line) {
                Ok(GraphLine::Entity { name, entity_type, observations }) => {
                    records += 1;
                    entities.insert(name, Entity { of: entity_type, observations, relations: Vec::new() });
                    continue;
                }
                Ok(GraphLine::Relation { from, to, relation_type }) => {
                    records += 1;
                    relations.push((from, relation_type, to));
                    continue;
                }
                Err(error) => error.to_string(),
            },
        };
        unread.push(LeftOut::one(format!("line {number}"), LeftOutReason::Unreadable { why }));
    }
    if records == 0 && number > 0 {
        return Err(unexpected("none of its lines is an entity or a relation"));
    }
    for (from, relation, to) in relations {
        match entities.get_mut(&from) {
            Some(entity) => entity.relations.push(format!("{relation} {to}")),
            None => unread.push(LeftOut::one(
                format!("{from} {relation} {to}"),
                LeftOutReason::Unreadable { why: format!("there is no entity `{from}`") },
            )),
        }
    }
    let modified = metadata.modified().ok().map(Timestamp::from);
    let memories = entities.into_iter().map(|(name, entity)| Item::Memory(Box::new(memory(name, entity, modified))));
    for item in memories.chain(unread.into_iter().map(Item::LeftOut)) {
        if sink(item).is_break() {
            break;
        }
    }
    Ok(())
}

fn memory(name: String, entity: Entity, created: Option<Timestamp>) -> ForeignMemory {
    let Entity { of, observations, relations } = entity;
    let mut content = String::new();
    for line in observations.iter().chain(&relations) {
        let _ = writeln!(content, "- {}", line.trim());
    }
    let (memory_type, label) = memory_type(&of);
    ForeignMemory {
        memory_type,
        title: if of.is_empty() { name.clone() } else { format!("{name} ({of})") },
        id: name,
        content,
        tags: label.into_iter().collect(),
        created,
        origin: ForeignOrigin { agent: Some("memory-server".to_owned()), ..ForeignOrigin::default() },
        ..ForeignMemory::default()
    }
}
