//! What is assigned to a name?
//!
//! One reading serves all languages and formats: a name, something that assigns, a value in quotes or one that stands bare in
//! a place where bare values are: `KEY=value`, `key: value` on a line of its own, `--key value`, `<key>value</key>`.

use std::ops::Range;

use super::name::{keeps_meaning, loses_meaning};
use super::{behind_blanks, is_word, run};

/// A longer name is none that anybody gave.
const MOST_NAME_BYTES: usize = 80;

/// A longer value is a text, not a secret: what has a longer form has a format too.
const MOST_VALUE_BYTES: usize = 1024;

/// The type between a name and its value, as in `token: &'static str = "…"`.
const MOST_TYPE_BYTES: usize = 48;

/// Functions that only make another type of a text.
const WRAPPERS: &[&str] =
    &["from", "some", "string", "str", "bytes", "new", "text", "secretstring", "of", "just", "ok"];

/// A value with the name that it is assigned to.
pub(crate) struct Assignment<'t> {
    /// As it is written, with what qualifies it.
    pub(crate) name: &'t str,
    pub(crate) value: &'t str,
    /// Where the value stands, without quotes.
    pub(crate) span: Range<usize>,
    pub(crate) form: Form,
}

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Quoted,
    /// Without quotes, where a text may stand so.
    Bare,
}

impl Assignment<'_> {
    /// The name in lower case, without separators.
    pub(crate) fn plain_name(&self) -> String {
        self.name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    }

    /// Whether the name is one of a constant or of an environment variable.
    pub(crate) fn is_constant(&self) -> bool {
        !self.name.bytes().any(|byte| byte.is_ascii_lowercase())
    }
}

/// The assignment to the name in which a keyword stands, if that name means a secret.
pub(crate) fn assignment<'t>(text: &'t str, keyword: &Range<usize>) -> Option<Assignment<'t>> {
    let bytes = text.as_bytes();
    // Keywords that end with a separator are names up to there.
    let word_end = keyword.start + run(text, keyword.start, keyword.len(), |byte| is_word(byte) || byte == b'-');
    let name_end = word_end + run(text, word_end, MOST_NAME_BYTES, |byte| is_word(byte) || byte == b'-');
    let is_of_name = |byte: &&u8| is_word(**byte) || matches!(**byte, b'-' | b'.' | b'$' | b'@' | b':');
    let before = bytes[..keyword.start].iter().rev().take(MOST_NAME_BYTES).take_while(is_of_name).count();
    let name_start = keyword.start - before;
    if !keeps_meaning(&text[keyword.start..word_end], &text[word_end..name_end])
        || loses_meaning(&text[name_start..keyword.start])
    {
        return None;
    }
    let name = Name { text, start: name_start, end: name_end };
    let (value_at, operator) = name.operator()?;
    // In `'--password=' . value` the quote behind the name closes what one before it opened.
    let is_closing = operator == Operator::Tight && name_start > 0 && bytes.get(value_at) == bytes.get(name_start - 1);
    let (span, form) = match quoted(text, value_at).filter(|_| !is_closing) {
        Some(span) => (span, Form::Quoted),
        None => (name.bare(value_at, operator)?, Form::Bare),
    };
    let value = &text[span.clone()];
    (!value.is_empty()).then_some(Assignment { name: &text[name_start..name_end], value, span, form })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    /// `=` without a blank on either side.
    Tight,
    /// `=`, `:=`, `=>` and their like with blanks.
    Loose,
    Colon,
    /// An opening bracket or a comma: a call with the value as its argument.
    Call,
    /// The end of a tag.
    Tag,
    /// A blank behind an option of a command.
    Flag,
}

struct Name<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

impl Name<'_> {
    /// What assigns, and where that which is assigned begins.
    fn operator(&self) -> Option<(usize, Operator)> {
        let text = self.text;
        let mut at = self.end;
        let quote = quote_at(text, at);
        at = quote.map_or(at, |(end, _)| end);
        if text[at..].starts_with(']') {
            at += 1;
        } else if text[at..].starts_with('[') {
            at += run(text, at, 8, |byte| matches!(byte, b'[' | b']') || byte.is_ascii_digit());
        }
        let behind_name = at;
        at = behind_blanks(text, at);
        let has_blank = at > behind_name;
        let rest = &text.as_bytes()[at..];
        let (length, operator) = match rest {
            [b'=', b'~' | b'<', ..] | [b':', b':', ..] => return None,
            [b'=', b'=', b'=', ..] | [b'|', b'|', b'=', ..] => (3, Operator::Loose),
            [b'=', b'=' | b'>', ..] | [b':' | b'?' | b'+', b'=', ..] | [b'<', b'-', ..] => (2, Operator::Loose),
            [b'=', next, ..] if !has_blank && !next.is_ascii_whitespace() => (1, Operator::Tight),
            [b'=', ..] => (1, Operator::Loose),
            [b':', ..] => (1, Operator::Colon),
            [b'?' | b'!', b':', ..] => (2, Operator::Colon),
            [b'(', ..] => (1, Operator::Call),
            [b',', ..] if quote.is_some() => (1, Operator::Call),
            [b'>', ..] if !has_blank && self.is_behind(b'<') => (1, Operator::Tag),
            _ if has_blank && text[self.start..].starts_with("--") => (0, Operator::Flag),
            _ if quote.is_some() && text[at..].starts_with("value=") => ("value=".len(), Operator::Loose),
            _ => return None,
        };
        at = behind_blanks(text, at + length);
        if operator == Operator::Colon {
            at = self.behind_type(at);
        }
        Some((at, operator))
    }

    /// Where the value begins behind a type, if one stands there.
    fn behind_type(&self, at: usize) -> usize {
        let length = run(self.text, at, MOST_TYPE_BYTES, |b| is_word(b) || b"<>&'[], .|?*:()".contains(&b));
        let ends = self.text[at..at + length].ends_with(' ') && self.text[at + length..].starts_with("= ");
        if ends { behind_blanks(self.text, at + length + 1) } else { at }
    }

    fn is_behind(&self, byte: u8) -> bool {
        self.start > 0 && self.text.as_bytes()[self.start - 1] == byte
    }

    /// The value that stands there without quotes, if this is a place for one.
    fn bare(&self, at: usize, operator: Operator) -> Option<Range<usize>> {
        let text = self.text;
        let length =
            run(text, at, MOST_VALUE_BYTES, |byte| byte.is_ascii_graphic() && !b"\"'`,;()<>{}[]|&#\\".contains(&byte));
        let end = at + length;
        let next = text.as_bytes().get(end).copied();
        let ends_line = || {
            let rest = &text[behind_blanks(text, end)..];
            rest.is_empty() || rest.starts_with(['\n', '\r']) || (rest.starts_with('#') && next != Some(b'#'))
        };
        let is_alone = match operator {
            Operator::Tight => {
                matches!(next, None | Some(b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b';' | b'&' | b'`' | b'\\'))
            }
            Operator::Loose | Operator::Colon if self.begins_line() => ends_line(),
            // `-H "X-Api-Key: …"`
            Operator::Colon => matches!(next, Some(b'"' | b'\'')) && (self.is_behind(b'"') || self.is_behind(b'\'')),
            Operator::Flag => matches!(next, None | Some(b' ' | b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'\\')),
            Operator::Tag => text[end..].starts_with("</"),
            Operator::Loose | Operator::Call => false,
        };
        // A character outside of ASCII goes on with what is no secret.
        (is_alone && length > 0).then_some(at..end)
    }

    /// Whether nothing stands before the name on its line but what introduces an entry.
    fn begins_line(&self) -> bool {
        let from = self.text.floor_char_boundary(self.start.saturating_sub(MOST_NAME_BYTES));
        let before = &self.text[from..self.start];
        let line = before.rsplit('\n').next().unwrap_or_default();
        matches!(line.trim(), "" | "-" | "#" | "//" | "*" | "export" | "set" | "ENV" | "ARG" | "- -" | ">" | "|")
    }
}

/// Where a quote that may stand there ends, and which it is; it may be escaped, being within a text itself.
fn quote_at(text: &str, at: usize) -> Option<(usize, u8)> {
    match &text.as_bytes()[at..] {
        [b'\\', quote @ (b'"' | b'\''), ..] => Some((at + 2, *quote)),
        [quote @ (b'"' | b'\'' | b'`'), ..] => Some((at + 1, *quote)),
        _ => None,
    }
}

/// The text within quotes that begins there, perhaps behind the prefix of a kind of text or within a call that changes none.
fn quoted(text: &str, from: usize) -> Option<Range<usize>> {
    let mut at = from;
    let function = run(text, at, 32, |byte| is_word(byte) || matches!(byte, b':' | b'.' | b'!' | b' '));
    if text[at + function..].starts_with('(') {
        let called = text[at..at + function].rsplit([':', '.', ' ']).next().unwrap_or_default();
        if !WRAPPERS.contains(&called.to_ascii_lowercase().as_str()) {
            return None;
        }
        at += function + 1;
    }
    at += run(text, at, 3, |byte| byte.is_ascii_alphabetic() || matches!(byte, b'#' | b'@' | b'$'));
    let (mut start, quote) = quote_at(text, at)?;
    let is_escaped = start - at == 2;
    let bytes = text.as_bytes();
    if bytes[start..].starts_with(&[quote, quote]) {
        start += 2;
    }
    let mut end = start;
    while end - start < MOST_VALUE_BYTES {
        match bytes.get(end)? {
            b'\n' => return None,
            b'\\' if is_escaped && bytes.get(end + 1) == Some(&quote) => return Some(start..end),
            b'\\' if bytes.get(end + 1).is_some_and(u8::is_ascii) => end += 2,
            byte if *byte == quote => return Some(start..end),
            _ => end += 1,
        }
    }
    None
}
