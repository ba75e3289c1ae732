//! Edits of YAML, line by line at the places that the parser reports.

use std::fmt::Write as _;

use saphyr::{LoadableYamlNode as _, MarkedYaml, Scalar, YamlData};
use serde_json::{Map, Number, Value};

use crate::error::{DocumentError, not_an_object};

/// The largest text. The parser recurses, and each level of nesting takes a line with one more space: some thousand levels.
const LIMIT_BYTES: usize = 1 << 20;

/// The most lists that begin on one line. The parser limits nesting in brackets itself.
const NESTING: usize = 100;

/// The indentation of an entry in a section that has none yet.
const INDENT: &str = "  ";

pub(super) fn value(text: &str) -> Result<Value, DocumentError> {
    let Some(root) = load(text)? else { return Ok(Value::Null) };
    Ok(convert(&root))
}

pub(super) fn with(text: &str, section: &str, name: &str, entry: &Value) -> Result<String, DocumentError> {
    let root = load(text)?;
    let Some(root) = root.as_ref().filter(|root| !root.data.is_null()) else {
        return Ok(format!("{}{section}:\n{}", end_with_newline(text), block(name, entry, INDENT)));
    };
    let Some((first, place)) = first_key(root).map(|first| (first, pair(root, section))) else {
        // The document is `{}`.
        return Err(DocumentError::Unclear);
    };
    let Some((key, value)) = place else {
        // Before the first key of the document, where no end of a value has to be found.
        let indent = margin(text, first)?;
        let inner = format!("{indent}{INDENT}");
        return Ok(insert(
            text,
            line_start(text, first),
            &format!("{indent}{section}:\n{}", block(name, entry, &inner)),
        ));
    };
    match &value.data {
        YamlData::Mapping(entries) if !entries.is_empty() => {
            let first = first_key(value).ok_or(DocumentError::Unclear)?;
            let indent = margin(text, first)?;
            // Right after the line of the section's key, so that comments stay with what they are about.
            Ok(insert(text, line_end(text, line_start(text, key)), &block(name, entry, &indent)))
        }
        // `section: {}` or `section:` becomes a block on its own lines.
        YamlData::Mapping(_) | YamlData::Value(Scalar::Null) => {
            let indent = margin(text, key)?;
            let line = line_start(text, key);
            let end = line_end(text, line);
            let inner = format!("{indent}{INDENT}");
            let comment = text[line..end].find(" #").map_or("", |at| text[line + at..end].trim_end());
            let lines = format!("{indent}{section}:{comment}\n{}", block(name, entry, &inner));
            Ok(format!("{}{lines}{}", &text[..line], &text[end..]))
        }
        _ => Err(not_an_object(section)),
    }
}

pub(super) fn without(text: &str, section: &str, name: &str, drops_section: bool) -> Result<String, DocumentError> {
    let root = load(text)?;
    let (section_key, value) = root.as_ref().and_then(|root| pair(root, section)).ok_or(DocumentError::Unclear)?;
    let (key, entry) = pair(value, name).ok_or(DocumentError::Unclear)?;
    let start = line_start(text, if drops_section { section_key } else { key });
    let end = line_end(text, last_offset(text, entry));
    let mut rest = format!("{}{}", &text[..start], &text[end..]);
    let is_last = value.data.as_mapping().is_some_and(|entries| entries.len() == 1);
    if is_last && !drops_section {
        // A key without a value is null, and the section was an object.
        let line = line_start(&rest, section_key);
        let key: usize = rest[line..].chars().take(section_key.span.end.col()).map(char::len_utf8).sum();
        if let Some(colon) = rest[line + key..].find(':') {
            rest.insert_str(line + key + colon + 1, " {}");
        }
    }
    Ok(rest)
}

fn load(text: &str) -> Result<Option<MarkedYaml<'_>>, DocumentError> {
    let syntax = |message: String| DocumentError::Syntax { format: "YAML", message };
    if text.len() > LIMIT_BYTES || text.lines().any(is_deep) {
        return Err(syntax("it is larger or more deeply nested than any configuration".to_owned()));
    }
    let mut documents = MarkedYaml::load_from_str(text).map_err(|error| syntax(error.to_string()))?;
    if documents.len() > 1 {
        return Err(syntax("it holds more than one document".to_owned()));
    }
    Ok(documents.pop())
}

/// Whether a line begins more lists in each other than a configuration has.
fn is_deep(line: &str) -> bool {
    line.split_whitespace().take_while(|word| matches!(*word, "-" | "?")).count() > NESTING
}

/// Converts a node for comparison. Keys that are not text are written as the parser shows them.
fn convert(node: &MarkedYaml<'_>) -> Value {
    match &node.data {
        YamlData::Value(Scalar::Null) => Value::Null,
        YamlData::Value(Scalar::Boolean(value)) => Value::Bool(*value),
        YamlData::Value(Scalar::Integer(value)) => Value::Number((*value).into()),
        YamlData::Value(Scalar::FloatingPoint(value)) => {
            Number::from_f64(value.into_inner()).map_or_else(|| Value::String(value.to_string()), Value::Number)
        }
        YamlData::Value(Scalar::String(value)) => Value::String(value.to_string()),
        YamlData::Sequence(nodes) => nodes.iter().map(convert).collect(),
        YamlData::Mapping(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| (key_text(key), convert(value)));
            Value::Object(pairs.collect::<Map<String, Value>>())
        }
        YamlData::Tagged(tag, node) => Value::Array(vec![Value::String(format!("{tag:?}")), convert(node)]),
        other => Value::String(format!("{other:?}")),
    }
}

fn key_text(key: &MarkedYaml<'_>) -> String {
    match &key.data {
        YamlData::Value(Scalar::String(text)) => text.to_string(),
        other => format!("{other:?}"),
    }
}

/// Returns the key and the value of a pair of a mapping.
fn pair<'a, 'text>(node: &'a MarkedYaml<'text>, name: &str) -> Option<(&'a MarkedYaml<'text>, &'a MarkedYaml<'text>)> {
    node.data.as_mapping()?.iter().find(|(key, _)| key_text(key) == name)
}

fn first_key<'a, 'text>(node: &'a MarkedYaml<'text>) -> Option<&'a MarkedYaml<'text>> {
    node.data.as_mapping()?.keys().next()
}

/// Returns the byte offset of the first character of a node's line.
fn line_start(text: &str, node: &MarkedYaml<'_>) -> usize {
    let line = node.span.start.line().saturating_sub(1);
    text.split_inclusive('\n').take(line).map(str::len).sum()
}

/// Returns the byte offset after the line that an offset is on.
fn line_end(text: &str, offset: usize) -> usize {
    text[offset..].find('\n').map_or(text.len(), |at| offset + at + 1)
}

/// Returns the byte offset of the start of the last line that a node takes.
fn last_offset(text: &str, node: &MarkedYaml<'_>) -> usize {
    match &node.data {
        YamlData::Mapping(pairs) if !pairs.is_empty() => {
            pairs.values().map(|value| last_offset(text, value)).max().unwrap_or_default()
        }
        YamlData::Sequence(nodes) if !nodes.is_empty() => {
            nodes.iter().map(|node| last_offset(text, node)).max().unwrap_or_default()
        }
        _ => {
            let end = node.span.end;
            // A block of lines ends at the start of the line after it.
            let line = if end.col() == 0 && end.line() > node.span.start.line() { end.line() - 1 } else { end.line() };
            text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum()
        }
    }
}

/// Returns the white space before a key. A key after something else on its line is in braces.
fn margin(text: &str, key: &MarkedYaml<'_>) -> Result<String, DocumentError> {
    let line = &text[line_start(text, key)..];
    let margin = &line[..line.len() - line.trim_start_matches(' ').len()];
    if margin.len() == key.span.start.col() { Ok(margin.to_owned()) } else { Err(DocumentError::Unclear) }
}

fn insert(text: &str, at: usize, lines: &str) -> String {
    format!("{}{lines}{}", &text[..at], &text[at..])
}

/// Returns the text with a line feed at its end, unless it is empty.
fn end_with_newline(text: &str) -> String {
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}")
}

/// Writes a pair as a block. Scalars are written as JSON, which YAML contains.
fn block(key: &str, value: &Value, indent: &str) -> String {
    let mut lines = String::new();
    match value {
        Value::Object(pairs) if !pairs.is_empty() => {
            let _ = writeln!(lines, "{indent}{key}:");
            let inner = format!("{indent}{INDENT}");
            lines.extend(pairs.iter().map(|(key, value)| block(key, value, &inner)));
        }
        value => {
            let _ = writeln!(lines, "{indent}{key}: {value}");
        }
    }
    lines
}
