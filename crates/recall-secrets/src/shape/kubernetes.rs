//! The values of a Kubernetes Secret.

use std::ops::Range;

use crate::value::{self, Certainty};

/// The number of bytes of a manifest that are examined on either side of its kind.
const MOST_BYTES: usize = 64 * 1024;

/// The length from which a decoded value is a secret even if it consists of words.
const LEAST_LONG: usize = 24;

/// The least length of a decoded value that is not text. Shorter ones may be base64 by chance.
const LEAST_BINARY: usize = 6;

/// Returns whether a part of a file may belong to a manifest whose kind is elsewhere: YAML or JSON with base64 values.
pub(crate) fn may_be_manifest(name: &str, part: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default();
    let is_manifest = ["yaml", "yml", "json", "tpl"].iter().any(|known| ending.eq_ignore_ascii_case(known));
    let is_digit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let is_value = |line: &str| {
        let value = line.trim_end_matches(['\r', ',', ' ']).trim_end_matches('"');
        let digits = value.len() - value.trim_end_matches(is_digit).len();
        digits >= 8 || value.ends_with('=') || line.trim_start().starts_with("stringData")
    };
    is_manifest && part.lines().any(is_value)
}

/// Returns the values under `data` and `stringData` of the manifest whose kind is at the keyword, in YAML or JSON.
pub(crate) fn secret_manifest(text: &str, keyword: &Range<usize>) -> Vec<Range<usize>> {
    let is_word = text.as_bytes().get(keyword.end).is_some_and(|&byte| super::is_word(byte));
    if is_word {
        return Vec::new();
    }
    let from = text.floor_char_boundary(keyword.start.saturating_sub(MOST_BYTES));
    let to = text.floor_char_boundary(keyword.end + MOST_BYTES);
    let before = &text[from..keyword.start];
    let after = &text[keyword.end..to];
    if text[keyword.clone()].starts_with('"') {
        let from = from + before.rfind("\"kind\"").map_or(0, |at| at);
        let to = keyword.end + after.find("\"kind\"").unwrap_or(after.len());
        return in_json(text, from..to);
    }
    let from = from + before.rfind("\n---").map_or(0, |at| at + 1);
    let to = keyword.end + after.find("\n---").unwrap_or(after.len());
    let line = text[from..keyword.start].rsplit('\n').next().unwrap_or_default();
    // In a list, the indentation of `- kind` includes the dash, like that of `data`.
    let indent = line.len();
    if line.trim_start_matches([' ', '-']).is_empty() { in_yaml(text, from..to, indent) } else { Vec::new() }
}

fn in_yaml(text: &str, manifest: Range<usize>, indent: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut encoding = None;
    // The indentation of the key whose block follows.
    let mut block: Option<usize> = None;
    let mut at = manifest.start;
    for line in text[manifest].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_start_matches([' ', '-']);
        let column = line.len() - content.len();
        let content = content.trim_end();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if column <= indent {
            encoding = ["data:", "stringData:"].iter().position(|key| column == indent && content == *key);
            block = None;
            continue;
        }
        let Some(encoding) = encoding else { continue };
        let is_base64 = encoding == 0;
        let begin = start + column;
        if block.is_some_and(|key| column > key) {
            found.extend(secret(text, begin..begin + content.len(), is_base64, Place::Block));
            continue;
        }
        block = None;
        let Some((key, value)) = content.split_once(':') else { continue };
        let value_at = begin + key.len() + 1 + (value.len() - value.trim_start().len());
        let value = value.trim();
        if matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+") {
            block = Some(column);
            continue;
        }
        let value = value.split(" #").next().unwrap_or_default().trim_end();
        let quotes = usize::from(value.len() >= 2 && value.starts_with(['"', '\'']));
        let span = value_at + quotes..value_at + value.len() - quotes;
        found.extend(text.get(span.clone()).and_then(|_| secret(text, span, is_base64, Place::Value)));
    }
    found
}

fn in_json(text: &str, manifest: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (name, is_base64) in [("\"data\"", true), ("\"stringData\"", false)] {
        for (at, _) in text[manifest.clone()].match_indices(name) {
            let from = manifest.start + at + name.len();
            let Some(open) = text[from..manifest.end].find('{') else { continue };
            if !text[from..from + open].bytes().all(|byte| byte.is_ascii_whitespace() || byte == b':') {
                continue;
            }
            let body = from + open..from + text[from..manifest.end].find('}').unwrap_or(manifest.end - from).max(open);
            // Every second quoted string is a value. None has escaped quotes, since base64 has no quotes.
            let mut quotes = text[body.clone()].match_indices('"').map(|(place, _)| body.start + place);
            while let (Some(_), Some(_), Some(open), Some(close)) =
                (quotes.next(), quotes.next(), quotes.next(), quotes.next())
            {
                found.extend(secret(text, open + 1..close, is_base64, Place::Value));
            }
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Value,
    /// A line of a multi-line text.
    Block,
}

/// Returns the span if its text is a secret and not a reference or placeholder.
fn secret(text: &str, span: Range<usize>, is_base64: bool, place: Place) -> Option<Range<usize>> {
    let value = &text[span.clone()];
    let is_secret = |plain: &str| {
        let is_long = plain.len() >= LEAST_LONG && !value::is_placeholder(plain) && !value::names_secret(plain);
        is_long || value::is_password(plain, Certainty::Place)
    };
    let is_secret = match value::decode_base64(value).map(String::from_utf8) {
        _ if !is_base64 => is_secret(value),
        None => false,
        Some(_) if place == Place::Block => value.len() >= LEAST_LONG,
        Some(Ok(plain)) => is_secret(plain.trim()) || plain.trim().contains('\n'),
        Some(Err(error)) => error.as_bytes().len() >= LEAST_BINARY,
    };
    is_secret.then_some(span)
}
