//! Edits of TOML.
//!
//! An edit of the text is tried first, because it keeps every byte of the rest. If it does not fit, for example because the
//! section is an inline table, the parsed document is edited, which keeps comments and order.

use std::fmt::Write as _;
use std::ops::Range;

use serde_json::Value;
use toml_edit::{Document, DocumentMut, Item, Table};

use crate::error::DocumentError;

pub(super) fn value(text: &str) -> Result<Value, DocumentError> {
    toml_edit::de::from_str(text)
        .map_err(|error| DocumentError::Syntax { format: "TOML", message: error.to_string().trim_end().to_owned() })
}

/// Returns texts with the entry, the better first.
pub(super) fn with(text: &str, section: &str, name: &str, entry: &Value) -> Vec<String> {
    let mut edited = Vec::new();
    let Some(entry) = table_of(entry) else { return edited };
    let mut appended = text.to_owned();
    if !appended.is_empty() && !appended.ends_with('\n') {
        appended.push('\n');
    }
    if !appended.trim().is_empty() {
        appended.push('\n');
    }
    let _ = write!(appended, "[{section}.{name}]\n{entry}");
    edited.push(appended);
    if let Ok(mut document) = text.parse::<DocumentMut>() {
        let place = document.entry(section).or_insert(Item::Table(Table::new()));
        let item =
            if place.is_inline_table() { toml_edit::value(entry.into_inline_table()) } else { Item::Table(entry) };
        if let Some(section) = place.as_table_like_mut() {
            section.insert(name, item);
            edited.push(document.to_string());
        }
    }
    edited
}

/// Returns texts without the entry, the better first.
pub(super) fn without(text: &str, section: &str, name: &str, drops_section: bool) -> Vec<String> {
    let mut edited = Vec::new();
    if let Ok(document) = Document::parse(text) {
        let table = document.get(section).and_then(|section| section.get(name)).and_then(Item::as_table);
        edited.extend(table.map(|table| cut(text, lines_of(table, text))));
    }
    if let Ok(mut document) = text.parse::<DocumentMut>() {
        if drops_section {
            document.remove(section);
        } else if let Some(section) = document.get_mut(section).and_then(Item::as_table_like_mut) {
            section.remove(name);
        }
        edited.push(document.to_string());
    }
    edited
}

/// Converts an entry to a table. Null has no counterpart.
fn table_of(entry: &Value) -> Option<Table> {
    let document = toml_edit::ser::to_document(entry).ok()?;
    Some(document.as_table().clone())
}

/// Returns the ranges of whole lines that a table and the tables below it take.
fn lines_of(table: &Table, text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    if let Some(header) = table.span() {
        let mut end = header.end;
        for (_, item) in table {
            match item {
                Item::Table(below) => ranges.extend(lines_of(below, text)),
                item => end = end.max(item.span().map_or(0, |span| span.end)),
            }
        }
        let start = text[..header.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        ranges.push(start..end);
    }
    ranges
}

/// Cuts ranges out, each with one blank line before it.
fn cut(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| range.start);
    let mut rest = String::new();
    let mut from = 0;
    for range in ranges {
        rest += text.get(from..range.start).unwrap_or_default();
        if rest.ends_with("\n\n") || rest == "\n" {
            rest.pop();
        }
        from = range.end;
    }
    rest + text.get(from..).unwrap_or_default()
}
