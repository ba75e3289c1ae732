//! Conversion of lines written by other programs, `{type, source, content, timestamp}`.

use recall_core::{EventId, MemoryId, MemoryType};
use serde_json::Value;

use super::{Line, Texts, missing};
use crate::{Day, FaultKind};

/// Adds the missing ids to a foreign line.
///
/// The memory's id is derived from type and content, so that the same text always gives the same memory. The event's id
/// is derived from the whole line. An unknown type becomes a note tagged with the type's name.
pub(super) fn adopt(line: Line, day: Day) -> Result<Line, FaultKind> {
    let content = line.content.as_deref().filter(|content| !content.trim().is_empty());
    let content = content.ok_or_else(|| missing("content"))?;
    let named = line.r#type.as_deref().unwrap_or_default();
    let known = named.trim().to_lowercase().parse::<MemoryType>();
    let memory_type = *known.as_ref().unwrap_or(&MemoryType::Note);
    let id = MemoryId::from_parts(memory_type, &[content.as_bytes()]);
    let source = line.source.clone().and_then(text).unwrap_or_default();
    let moment = line.timestamp.clone().and_then(text).unwrap_or_else(|| day.to_string());
    let parts = [named, &source, content, &moment];
    let event_id = EventId::from_parts(&parts.map(str::as_bytes));
    let tag = known.is_err().then(|| named.trim().to_owned()).filter(|tag| !tag.is_empty());
    let tags = tag.map_or(line.tags.clone(), |tag| Some(with(line.tags.clone(), tag)));
    Ok(Line {
        event_id: Some(event_id.to_string()),
        id: Some(Value::String(id.to_string())),
        r#type: Some(memory_type.to_string()),
        // The values that other programs give these fields may mean something else.
        scope: line.scope.clone().filter(|scope| scope.parse::<recall_core::StoreScope>().is_ok()),
        origin: line.origin.clone().filter(|origin| origin.parse::<recall_core::MemoryOrigin>().is_ok()),
        supersedes: line.supersedes.clone().filter(|id| id.parse::<MemoryId>().is_ok()),
        tags,
        ..line
    })
}

fn with(tags: Option<Texts>, tag: String) -> Texts {
    match tags {
        None => Texts::Many(vec![tag]),
        Some(Texts::Many(tags)) => Texts::Many([tags, vec![tag]].concat()),
        Some(Texts::One(tags)) => Texts::One(format!("{tags},{tag}")),
    }
}

/// Converts a value to text: a string as it is, null to `None`, any other value to its JSON.
pub(super) fn text(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}
