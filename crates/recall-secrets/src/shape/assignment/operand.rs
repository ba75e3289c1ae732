//! The value of an assignment, quoted or bare.

use std::ops::Range;

use super::Form;
use super::operator::{Name, Operator};
use crate::shape::{after_blanks, floor, is_word, run};

/// The longest value. A longer one is text; longer secrets have formats of their own.
const MOST_VALUE_BYTES: usize = 1024;

/// Functions that only convert the type of a string.
const WRAPPERS: &[&str] =
    &["from", "some", "string", "str", "bytes", "new", "text", "secretstring", "of", "just", "ok"];

/// Returns the unquoted value at a position, if this is a position for one.
pub(super) fn bare(name: &Name<'_>, at: usize, operator: Operator) -> Option<(Range<usize>, Form)> {
    let text = name.text;
    let literal = |length: usize| Some((at..at + length, Form::Literal));
    match operator {
        Operator::Call => return None,
        Operator::Tag => {
            let length = run(text, at, MOST_VALUE_BYTES, |byte| !matches!(byte, b'<' | b'\n' | b'\r' | b' '));
            let is_closed = text[text.floor_char_boundary(at + length)..].starts_with("</");
            return if is_closed && length > 0 { literal(length) } else { None };
        }
        Operator::Flag => {
            let length = run(text, at, MOST_VALUE_BYTES, is_argument_byte);
            return if ends_argument(text, at + length) { literal(length) } else { None };
        }
        Operator::Cell => {
            let length = run(text, at, MOST_VALUE_BYTES, |byte| byte.is_ascii_graphic() && !b"|`\"'".contains(&byte));
            let end = after_blanks(text, at + length);
            let is_bold = text[..at].ends_with('*');
            let length = text[at..at + length].trim_end_matches(if is_bold { "*" } else { "|" }).len();
            let is_whole = text[end..].is_empty() || text[end..].starts_with(['|', '\n', '\r']);
            return (is_whole && length > 0).then_some((at..at + length, Form::Bare));
        }
        Operator::Default => {
            let length = run(text, at, MOST_VALUE_BYTES, |byte| is_argument_byte(byte) && byte != b'}');
            return if text[at + length..].starts_with('}') && length > 0 { literal(length) } else { None };
        }
        Operator::Entry => return rest_of_line(text, at, Specials::Excluded).map(|span| (span, Form::Literal)),
        Operator::Tight | Operator::Loose | Operator::Colon | Operator::Word | Operator::Verb => {}
    }
    if operator != Operator::Verb && name.begins_line() {
        let is_constant = !text[name.start..name.end].bytes().any(|byte| byte.is_ascii_lowercase());
        let specials = if is_constant && operator == Operator::Tight { Specials::Included } else { Specials::Excluded };
        if let Some(span) = rest_of_line(text, at, specials) {
            return Some((span, Form::Bare));
        }
    }
    if operator == Operator::Word {
        return None;
    }
    if operator == Operator::Tight {
        if let Some(length) = part_of_list(name, at) {
            return literal(length);
        }
    } else if let Some(quote @ (b'"' | b'\'')) = name.before() {
        // `-H "X-Api-Key: …"`
        let length = run(text, at, MOST_VALUE_BYTES, is_argument_byte);
        if length > 0 && text.as_bytes().get(at + length) == Some(&quote) {
            return Some((at..at + length, Form::Bare));
        }
    }
    in_expression(text, at, operator)
}

/// Returns the value of an option, a query, a connection string or a quoted assignment, which ends where that kind of
/// list continues.
fn part_of_list(name: &Name<'_>, at: usize) -> Option<usize> {
    let text = name.text;
    let before = name.before();
    let is_option = text[name.start..].starts_with("--");
    let plain = run(text, at, MOST_VALUE_BYTES, |byte| !byte.is_ascii_whitespace() && !b";\"'`&<>".contains(&byte));
    let is_connection = before == Some(b';')
        || (text[at + floor(text, at, plain)..].starts_with(';') && is_followed_by_pair(text, at + plain + 1));
    let length = match before {
        _ if is_connection => {
            run(text, at, MOST_VALUE_BYTES, |byte| !byte.is_ascii_control() && !b";\"'` ".contains(&byte))
        }
        _ if is_option => run(text, at, MOST_VALUE_BYTES, is_argument_byte),
        Some(b'?' | b'&') => run(text, at, plain, |byte| !b"()[]{}|,\\#".contains(&byte)),
        Some(b'=') => run(text, at, MOST_VALUE_BYTES, |byte| is_argument_byte(byte) && byte != b','),
        Some(quote @ (b'"' | b'\'')) => {
            let length = run(text, at, MOST_VALUE_BYTES, is_argument_byte);
            if text.as_bytes().get(at + length) != Some(&quote) || text[at..at + length].contains(['&', ';']) {
                return None;
            }
            length
        }
        _ => return None,
    };
    (length > 0 && text.is_char_boundary(at + length)).then_some(length)
}

/// Returns whether another `name=` follows the separator of a list.
fn is_followed_by_pair(text: &str, at: usize) -> bool {
    let length = run(text, at, 40, |byte| is_word(byte) || byte == b' ');
    matches!(text.as_bytes().get(at + length), Some(b'=')) && length > 0
}

/// Returns the value up to the first character that belongs to the surrounding expression.
fn in_expression(text: &str, at: usize, operator: Operator) -> Option<(Range<usize>, Form)> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"'`,;()<>{}[]|&#\\".contains(&byte);
    let mut length = run(text, at, MOST_VALUE_BYTES, is_plain);
    let next = text.as_bytes().get(at + length).copied();
    if operator == Operator::Tight
        && matches!(next, None | Some(b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b';' | b'&' | b'`' | b'\\'))
    {
        return (length > 0).then_some((at..at + length, Form::Bare));
    }
    length = text[at..at + length].trim_end_matches(['.', ':']).len();
    let ends = matches!(
        next,
        None | Some(
            b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b',' | b';' | b'`' | b')' | b']' | b'}' | b'\\' | b'<'
        )
    );
    (ends && length > 0).then_some((at..at + length, Form::Prose))
}

/// Whether brackets and quotes belong to a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Specials {
    Included,
    Excluded,
}

/// Returns the rest of the line if it is a single word. A comma, a semicolon or a comment may follow.
fn rest_of_line(text: &str, at: usize, specials: Specials) -> Option<Range<usize>> {
    let mut length = run(text, at, MOST_VALUE_BYTES, |byte| byte.is_ascii_graphic() || byte >= 0x80);
    let end = at + length;
    let rest = &text[after_blanks(text, text.ceil_char_boundary(end))..];
    let ends_line = rest.is_empty() || rest.starts_with(['\n', '\r']) || (rest.starts_with('#') && length > 0);
    let word = text.get(at..end)?;
    // A query or a form continues with its next pair.
    if let Some(next) = word.match_indices('&').find(|(place, _)| is_followed_by_pair(text, at + place + 1)) {
        length = next.0;
    }
    let word = word[..length].trim_end_matches([',', ';']);
    let of_expressions: &[char] = match specials {
        Specials::Included => &['"', '`'],
        Specials::Excluded => &['"', '\'', '`', '(', ')', '<', '>', '{', '}', '[', ']', '\\'],
    };
    (ends_line && !word.is_empty() && !word.contains(of_expressions)).then_some(at..at + word.len())
}

/// Returns whether a byte may occur in an unquoted argument.
fn is_argument_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`".contains(&byte)
}

fn ends_argument(text: &str, at: usize) -> bool {
    matches!(text.as_bytes().get(at), None | Some(b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'`'))
}

/// Returns the end and the kind of a quote at a position. The quote may be escaped, inside another string.
pub(super) fn quote_at(text: &str, at: usize) -> Option<(usize, u8)> {
    match &text.as_bytes()[at..] {
        [b'\\', quote @ (b'"' | b'\''), ..] => Some((at + 2, *quote)),
        [quote @ (b'"' | b'\'' | b'`'), ..] => Some((at + 1, *quote)),
        _ => None,
    }
}
/// Returns the quoted text at a position. A string prefix or a call that only converts the string may precede it.
pub(super) fn quotation(text: &str, from: usize) -> Option<Range<usize>> {
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

/// The longest expression before the value that is used in its place.
const MOST_EXPRESSION_BYTES: usize = 120;

/// Returns the quoted value that is used if the expression at a position has none: `process.env.X || "value"`,
/// `env("X").orElse("value")`.
pub(super) fn fallback(text: &str, at: usize) -> Option<Range<usize>> {
    let is_of_expression = |byte: u8| is_word(byte) || b".[](){}$:>-!\"'?|&, ".contains(&byte);
    let length = run(text, at, MOST_EXPRESSION_BYTES, is_of_expression);
    let window = &text[at..at + length];
    // The expression is a variable or a call, and not a sentence.
    let first = run(window, 0, window.len(), |byte| is_word(byte) || b".:$\\".contains(&byte));
    if first == 0 || !window[first..].starts_with(['[', '(', ' ']) {
        return None;
    }
    let operators = [" || ", " ?? ", " ?: ", " or ", ".orElse(", ".unwrap_or(", ".getOrElse(", ".unwrap_or_else(|_| "];
    let (place, operator) = operators.iter().find_map(|operator| Some((window.find(operator)?, operator)))?;
    let is_sentence = window[..place].contains(' ') && !window[..place].contains(['(', '[']);
    if is_sentence { None } else { quotation(text, at + place + operator.len()) }
}
