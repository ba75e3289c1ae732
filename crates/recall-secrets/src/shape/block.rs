//! The text between the marks of a private key.

use std::ops::Range;

use super::run;
use crate::value;

/// The longest key: one of RSA with 16,384 bits, in PEM, has 12,800 bytes, and one in PGP can be larger.
const MOST_BYTES: usize = 32 * 1024;

/// What stands between the dashes of a mark is at most `ENCRYPTED PRIVATE KEY` and the like.
const MOST_LABEL_BYTES: usize = 48;

/// The least base64 of a key: the smallest, of Ed25519, has 64 digits; what an example cuts short has fewer.
const LEAST_DIGITS: usize = 40;

/// A line of a key is longer, its last one aside. What is shorter may be a word beside it.
const LEAST_RUN: usize = 16;

/// Base64 of a key spreads over 64 digits; what repeats `MII…AAAA` does not.
const LEAST_ENTROPY: f64 = 3.5;

const DASHES: &str = "-----";

/// The content of the key whose first mark begins there, without marks, headers and quotes around it.
///
/// The lines of a key may be quoted and joined by operators, as in source code, or have `\n` for line breaks. One whose
/// second mark is missing ends with its last whole line.
pub(crate) fn block(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    let body_at = if text[keyword.clone()].starts_with(DASHES) {
        behind_mark(text, keyword.end)?
    } else {
        behind_putty_head(text, keyword.end)?
    };
    let window = &text[body_at..text.floor_char_boundary(body_at + MOST_BYTES)];
    let end_mark = window.find(DASHES).or_else(|| window.find("Private-MAC"));
    let window = &window[..end_mark.unwrap_or(window.len())];
    let is_foreign = |c: char| matches!(c, '[' | ']' | '{' | '}' | '<' | '$' | '%' | '&' | '@' | '!' | '?' | '~' | '^');
    let window = &window[..window.find(is_foreign).unwrap_or(window.len())];

    let mut digits = 0;
    let mut span: Option<Range<usize>> = None;
    for line in runs(window) {
        if line.len() >= LEAST_RUN || (span.is_some() && end_mark.is_some()) {
            digits += line.len();
            span = Some(span.map_or(line.start, |span| span.start)..line.end);
        }
    }
    let span = span.filter(|_| digits >= LEAST_DIGITS)?;
    let is_key = value::entropy(&window[span.clone()]) >= LEAST_ENTROPY;
    is_key.then(|| body_at + span.start..body_at + span.end)
}

/// Whether a line of a text may be one of a key whose marks stand elsewhere: nothing but base64, quotes and what joins them.
pub(crate) fn has_key_lines(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim().trim_end_matches("\\n\"").trim_matches(['"', '\'', '+', ' ', ',', '\\']);
        let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\\');
        line.len() >= LEAST_LINE && line.bytes().all(is_digit)
    })
}

/// The lines of a key, its last one aside, are longer.
const LEAST_LINE: usize = 24;

/// Where the mark of a private key ends whose label begins there.
fn behind_mark(text: &str, label_at: usize) -> Option<usize> {
    let length = run(text, label_at, MOST_LABEL_BYTES, |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ');
    let label = &text[label_at..label_at + length];
    let is_private = label.contains("PRIVATE KEY") && text[label_at + length..].starts_with(DASHES);
    is_private.then_some(label_at + length + DASHES.len())
}

/// Where the private part of a key file of `PuTTY` begins: behind the public one, and behind its number of lines.
fn behind_putty_head(text: &str, from: usize) -> Option<usize> {
    let head = "Private-Lines:";
    let window = &text[from..text.floor_char_boundary(from + MOST_BYTES / 8)];
    let length = window.find(head)?;
    // Of several beginnings, only the last may be the one of this key.
    if window[..length].contains("PuTTY-User-Key-File-") {
        return None;
    }
    let at = from + length + head.len();
    Some(at + run(text, at, 8, |byte| byte == b' ' || byte.is_ascii_digit()))
}

/// The runs of base64 in a text; the letter of an escape sequence is none of it.
fn runs(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += text.as_bytes()[at..].iter().take_while(|&&byte| !is_digit(byte)).count();
            let is_escaped = at > 0 && text.as_bytes()[at - 1] == b'\\';
            let start = at + usize::from(is_escaped);
            at += text.as_bytes()[at..].iter().take_while(|&&byte| is_digit(byte)).count();
            if at == text.len() && start >= at {
                return None;
            }
            if start < at {
                return Some(start..at);
            }
        }
    })
}
