//! Edits of JSON with comments.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use crate::error::{DocumentError, not_an_object};

/// Comments and commas before a closing bracket are what editors write; the parser's other liberties are not accepted.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses a text. Its byte order mark is not part of the tree.
pub(crate) fn parse(text: &str) -> Result<CstRootNode, DocumentError> {
    CstRootNode::parse(text, &OPTIONS)
        .map_err(|error| DocumentError::Syntax { format: "JSON", message: error.to_string() })
}

pub(super) fn value(text: &str) -> Result<Value, DocumentError> {
    let root = parse(text)?;
    if let Some(object) = root.object_value() {
        no_duplicates(&object)?;
    }
    Ok(root.to_serde_value().unwrap_or(Value::Null))
}

pub(super) fn with(text: &str, section: &str, name: &str, entry: &Value) -> Result<String, DocumentError> {
    let root = parse(text)?;
    let entries = object_in(&root_object(&root)?, section)?;
    entries.append(name, input(entry));
    Ok(finish(&root, text))
}

pub(super) fn without(text: &str, section: &str, name: &str, drops_section: bool) -> Result<String, DocumentError> {
    let root = parse(text)?;
    let Some(place) = root.object_value().and_then(|object| object.get(section)) else { return Ok(text.to_owned()) };
    if drops_section {
        place.remove();
    } else if let Some(entry) = place.object_value().and_then(|entries| entries.get(name)) {
        entry.remove();
    }
    Ok(finish(&root, text))
}

/// Sets a member of an object in a list; see [`set_json_member`](super::set_json_member).
pub(super) fn with_member(
    text: &str,
    list: Option<&str>,
    place: usize,
    name: &str,
    value: &Value,
) -> Result<String, DocumentError> {
    let root = parse(text)?;
    let entries = match list {
        Some(list) => root.object_value().and_then(|object| object.array_value(list)),
        None => root.array_value(),
    };
    let entry = entries.and_then(|entries| entries.elements().into_iter().nth(place)?.as_object());
    let entry = entry.ok_or_else(|| DocumentError::NotAnObject { what: format!("entry {}", place + 1) })?;
    match entry.get(name) {
        Some(member) => member.set_value(input(value)),
        // The tree writes each member of the object on a line of its own.
        None if !entry.to_string().contains('\n') => return Ok(with_inline_member(&root, &entry, name, value)),
        None => _ = entry.append(name, input(value)),
    }
    Ok(root.to_string())
}

/// Adds a member to an object on one line, spaced as the others.
fn with_inline_member(root: &CstRootNode, object: &CstObject, name: &str, value: &Value) -> String {
    let bytes = |nodes: &mut dyn Iterator<Item = CstNode>| nodes.map(|node| node.to_string().len()).sum::<usize>();
    let before = bytes(&mut object.previous_siblings());
    let begin = object.ancestors().map(|node| bytes(&mut node.previous_siblings())).sum::<usize>() + before;
    let own = object.to_string();
    let inner = own.strip_suffix('}').unwrap_or(&own).trim_end();
    let (colon, comma) = (if own.contains("\": ") { ": " } else { ":" }, if own.contains(", ") { ", " } else { "," });
    let comma = if inner.ends_with(['{', ',']) { "" } else { comma };
    let (mut text, name) = (root.to_string(), Value::from(name));
    text.insert_str(begin + inner.len(), &format!("{comma}{name}{colon}{value}"));
    text
}

/// Returns the object of a document; an empty document gets one.
pub(crate) fn root_object(root: &CstRootNode) -> Result<CstObject, DocumentError> {
    match root.value() {
        None => Ok(root.object_value_or_set()),
        Some(_) => root.object_value().ok_or_else(|| DocumentError::NotAnObject { what: "the document".to_owned() }),
    }
}

/// Returns the object at a key; a missing one is added.
pub(crate) fn object_in(object: &CstObject, key: &str) -> Result<CstObject, DocumentError> {
    object.object_value_or_create(key).ok_or_else(|| not_an_object(key))
}

/// Returns the text of a changed tree. A text that was empty ends with a line feed.
pub(crate) fn finish(root: &CstRootNode, before: &str) -> String {
    let mut text = root.to_string();
    if before.trim().is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Converts a value for the tree.
pub(crate) fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(object) => {
            CstInputValue::Object(object.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

/// Rejects an object with a key that occurs twice, down to the entries.
fn no_duplicates(object: &CstObject) -> Result<(), DocumentError> {
    let mut keys = Vec::new();
    for property in object.properties() {
        let Some(key) = property.decoded_name() else { continue };
        if keys.contains(&key) {
            return Err(DocumentError::Duplicate { key });
        }
        if let Some(below) = property.object_value() {
            no_duplicates(&below)?;
        }
        keys.push(key);
    }
    Ok(())
}
