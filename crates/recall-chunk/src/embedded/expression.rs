//! Names in the expressions of templates.
//!
//! Reads tokens, not a grammar: the expressions of a dozen template languages differ in everything but names, calls and strings.

use std::ops::Range;

/// A name in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    pub(super) name: Range<usize>,
    pub(super) role: MentionRole,
}

/// What an expression does with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MentionRole {
    /// Calls it: `open(row)`, `row.open()`.
    Called,
    /// Filters a value by it: `row | money`.
    Filter,
    /// Anything else, except for a member of another value.
    Value,
}

/// Words before a parenthesis that are not called.
const KEYWORDS: &[&str] = &[
    "and",
    "async",
    "await",
    "case",
    "catch",
    "do",
    "elif",
    "elseif",
    "elsif",
    "fn",
    "foreach",
    "function",
    "import",
    "in",
    "instanceof",
    "is",
    "new",
    "not",
    "or",
    "typeof",
    "unless",
    "until",
    "when",
    "with",
    "yield",
];

/// Appends the names in a part of a text. Strings end with their line, because an apostrophe in prose opens one too.
pub(super) fn mentions(text: &str, part: Range<usize>, found: &mut Vec<Mention>) {
    let bytes = text.as_bytes();
    let mut at = part.start;
    let mut before = 0_u8;
    while at < part.end {
        let byte = bytes[at];
        if matches!(byte, b'"' | b'\'') {
            at = string_end(bytes, at, part.end);
            before = byte;
        } else if is_name_byte(byte) && !byte.is_ascii_digit() {
            let start = at;
            while at < part.end && is_name_byte(bytes[at]) {
                at += 1;
            }
            // In Ruby and Elixir such a mark belongs to the name, but definitions are written without it in other places.
            let after = bytes[at..part.end].iter().copied().find(|byte| !byte.is_ascii_whitespace());
            let is_spread = before == b'.' && text[..start].ends_with("...");
            let role = match (after, before) {
                (Some(b'('), _) if bytes.get(at) == Some(&b'(') => Some(MentionRole::Called),
                (_, b'|') if !text[..start].trim_end().ends_with("||") => Some(MentionRole::Filter),
                (_, b'.') if !is_spread => None,
                // A label, a key or a symbol.
                (Some(b':'), _) if bytes.get(at) == Some(&b':') => None,
                (_, b':' | b'@') if bytes[start - 1] == before => None,
                _ => Some(MentionRole::Value),
            };
            let name = start + usize::from(bytes[start] == b'$')..at;
            if let Some(role) = role
                && !KEYWORDS.contains(&&text[name.clone()])
            {
                found.push(Mention { name, role });
            }
            before = b'a';
        } else if byte.is_ascii_digit() {
            while at < part.end && is_name_byte(bytes[at]) {
                at += 1;
            }
            before = b'0';
        } else {
            if !byte.is_ascii_whitespace() {
                before = byte;
            }
            at += 1;
        }
    }
}

/// The end of a string, after its closing quote. The end of the line if it is not closed before.
fn string_end(bytes: &[u8], open: usize, end: usize) -> usize {
    let mut at = open + 1;
    while at < end && bytes[at] != b'\n' {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == bytes[open] => return at + 1,
            _ => at += 1,
        }
    }
    at.min(end)
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, MentionRole)]) {
        let mut found = Vec::new();
        mentions(text, 0..text.len(), &mut found);
        let found: Vec<(&str, MentionRole)> =
            found.iter().map(|mention| (&text[mention.name.clone()], mention.role)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn calls_filters_and_values_are_told_apart() {
        use MentionRole::{Called, Filter, Value};
        check("openHeron(row.id)", &[("openHeron", Called), ("row", Value)]);
        check("store.open('a(b)')", &[("store", Value), ("open", Called)]);
        check("price | money | upper", &[("price", Value), ("money", Filter), ("upper", Filter)]);
        check("a || b", &[("a", Value), ("b", Value)]);
        check("{ ...rest, key: 1 }", &[("rest", Value)]);
        check("render partial: :form, x: @user", &[("render", Value)]);
        check("not (a) and größe(1)", &[("a", Value), ("größe", Called)]);
        check("$count + 3px", &[("count", Value)]);
        check("don't call(", &[("don", Value)]);
        check("'\\", &[]);
    }
}
