//! The JSON form of a session's event.
//!
//! One object per line: texts as in the domain types, timestamps in RFC 3339, ids in hexadecimal. Unknown fields are
//! ignored.

use recall_core::{EventDetails, Metadata, MetadataValue, Provenance, SessionEvent, Timestamp, exact_integer};
use recall_text::DocPath;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::day::{moment_of, rfc_3339};
use crate::line::{ProvenanceFields, parser_message};

/// The fields of an event. The event's type determines which ones are present.
///
/// `event` must be the first field: a torn last line is recognized by it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct EventLine {
    event: String,
    event_id: String,
    timestamp: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rationale: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolution: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    from_agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to_agent: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_files: Vec<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    metadata: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    provenance: Option<ProvenanceFields>,
}

/// Appends an event's line, with its newline, to `lines`.
pub(super) fn write(event: &SessionEvent, lines: &mut Vec<u8>) {
    let SessionEvent { id, timestamp, details, provenance } = event;
    let EventDetails { event_type, content, rationale, resolution, from_agent, to_agent, related_files, metadata } =
        details.clone();
    let line = EventLine {
        event: event_type.as_str().to_owned(),
        event_id: id.to_string(),
        timestamp: rfc_3339(*timestamp),
        content,
        rationale,
        resolution,
        from_agent,
        to_agent,
        related_files: related_files.iter().map(|path| path.as_str().to_owned()).collect(),
        metadata: to_json(metadata),
        provenance: (*provenance != Provenance::default()).then(|| provenance.into()),
    };
    serde_json::to_writer(&mut *lines, &line).expect("all keys are strings, and writing to a `Vec` cannot fail");
    lines.push(b'\n');
}

/// Parses a line without its newline. Returns `None` if it is blank.
///
/// # Errors
/// A description of what is wrong with the line.
pub(super) fn read(bytes: &[u8]) -> Result<Option<SessionEvent>, String> {
    let bytes = bytes.trim_ascii();
    if bytes.is_empty() {
        return Ok(None);
    }
    let line: EventLine = serde_json::from_slice(bytes).map_err(|error| parser_message(&error))?;
    let wrong = |what: &dyn std::fmt::Display| what.to_string();
    let timestamp: Timestamp =
        moment_of(&line.timestamp).ok_or_else(|| format!("`{}` is not an RFC 3339 timestamp", line.timestamp))?;
    let details = EventDetails {
        event_type: line.event.parse().map_err(|error| wrong(&error))?,
        content: line.content,
        rationale: line.rationale,
        resolution: line.resolution,
        from_agent: line.from_agent,
        to_agent: line.to_agent,
        // A path outside the project was not written by this crate. The event is read without it.
        related_files: line.related_files.iter().filter_map(|path| DocPath::new(path).ok()).collect(),
        metadata: from_json(line.metadata),
    };
    let id = line.event_id.parse().map_err(|error| wrong(&error))?;
    let provenance = line.provenance.map(Provenance::from).unwrap_or_default();
    Ok(Some(SessionEvent { id, timestamp, details, provenance }))
}

fn to_json(metadata: Metadata) -> Map<String, Value> {
    metadata.into_iter().map(|(name, value)| (name, value_to_json(value))).collect()
}

fn value_to_json(value: MetadataValue) -> Value {
    match value {
        MetadataValue::Null => Value::Null,
        MetadataValue::Bool(is) => Value::Bool(is),
        MetadataValue::Number(number) => number_to_json(number),
        MetadataValue::Text(text) => Value::String(text),
        MetadataValue::List(values) => Value::Array(values.into_iter().map(value_to_json).collect()),
        MetadataValue::Map(values) => Value::Object(to_json(values)),
    }
}

fn number_to_json(number: f64) -> Value {
    exact_integer(number).map_or_else(|| Value::from(number), Value::from)
}

fn from_json(values: Map<String, Value>) -> Metadata {
    values.into_iter().map(|(name, value)| (name, value_from_json(value))).collect()
}

fn value_from_json(value: Value) -> MetadataValue {
    match value {
        Value::Null => MetadataValue::Null,
        Value::Bool(is) => MetadataValue::Bool(is),
        Value::Number(number) => number.as_f64().map_or(MetadataValue::Null, MetadataValue::Number),
        Value::String(text) => MetadataValue::Text(text),
        Value::Array(values) => MetadataValue::List(values.into_iter().map(value_from_json).collect()),
        Value::Object(values) => MetadataValue::Map(from_json(values)),
    }
}
