//! The text between the markers of a private key.

use std::ops::Range;

use super::run;
use crate::value;

/// The longest key. A 16,384-bit RSA key in PEM has 12,800 bytes, and a PGP key can be larger.
const MOST_BYTES: usize = 32 * 1024;

/// The longest label between the dashes of a marker, such as `ENCRYPTED PRIVATE KEY`.
const MOST_LABEL_BYTES: usize = 48;

/// The least number of base64 digits of a key. The smallest key, Ed25519, has 64; truncated examples have fewer.
const LEAST_DIGITS: usize = 40;

/// The least length of a line of a key, except its last. Shorter runs may be words next to the key.
const LEAST_RUN: usize = 16;

/// The least entropy of a key. Repetitive base64 such as `MII…AAAA` is below it.
const LEAST_ENTROPY: f64 = 3.5;

const DASHES: &str = "-----";

/// Returns the content of the key whose first marker begins at the keyword, without markers, headers and quotes.
///
/// The lines of a key may be quoted and joined by operators, as in source code, or have `\n` for line breaks. A key
/// without an end marker ends with its last complete line.
pub(crate) fn block(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    let body_at = if text[keyword.clone()].starts_with(DASHES) {
        after_marker(text, keyword.end)?
    } else {
        after_putty_header(text, keyword.end)?
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

/// Returns whether a line may belong to a key whose markers are elsewhere: nothing but base64, quotes and joining
/// characters.
pub(crate) fn has_key_lines(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim().trim_end_matches("\\n\"").trim_matches(['"', '\'', '+', ' ', ',', '\\']);
        let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\\');
        line.len() >= LEAST_LINE && line.bytes().all(is_digit)
    })
}

/// The least length of such a line. All lines of a key except its last are longer.
const LEAST_LINE: usize = 24;

/// Returns the position after the marker of a private key whose label begins at a position.
fn after_marker(text: &str, label_at: usize) -> Option<usize> {
    let length = run(text, label_at, MOST_LABEL_BYTES, |b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ');
    let label = &text[label_at..label_at + length];
    let is_private = label.contains("PRIVATE KEY") && text[label_at + length..].starts_with(DASHES);
    is_private.then_some(label_at + length + DASHES.len())
}

/// Returns the position of the private part of a `PuTTY` key file, after its public part and its line count.
fn after_putty_header(text: &str, from: usize) -> Option<usize> {
    let head = "Private-Lines:";
    let window = &text[from..text.floor_char_boundary(from + MOST_BYTES / 8)];
    let length = window.find(head)?;
    // If another key begins before it, the private part belongs to that one.
    if window[..length].contains("PuTTY-User-Key-File-") {
        return None;
    }
    let at = from + length + head.len();
    Some(at + run(text, at, 8, |byte| byte == b' ' || byte.is_ascii_digit()))
}

/// Iterates over the runs of base64 in a text. The letter of an escape sequence is excluded.
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
