//! A token of a known format.

use std::ops::Range;

use super::is_word;
use crate::pattern::Pattern;
use crate::rule::Format;
use crate::value;

/// The longest token that a pattern is tried on. A JWT with many claims has some 2,000 bytes.
const MOST_BYTES: usize = 4096;

/// The token that begins where a keyword does.
pub(crate) fn token(text: &str, keyword_at: usize, format: &Format, pattern: &Pattern) -> Option<Range<usize>> {
    if !begins_word(text.as_bytes(), keyword_at) {
        return None;
    }
    let end = text.floor_char_boundary(keyword_at + MOST_BYTES);
    let window = &text[keyword_at..end];
    let mut found = pattern.match_at_start(window)?;
    let is_within_word =
        |at: usize| text.as_bytes().get(keyword_at + at).is_some_and(|&byte| is_word(byte) && byte != b'_');
    // A secret that ends where the window does goes on after it.
    let rest = if found.whole.end == window.len() { rest_of_token(text, end) } else { 0 };
    if rest == 0 && is_within_word(found.whole.end) {
        // A hyphen or an underscore joins it to other words, as in the name of a file.
        let cut = window[..found.whole.end].rfind(['-', '_'])?;
        found = pattern.match_at_start(&window[..cut]).filter(|found| found.whole.end == cut)?;
    }
    let secret = keyword_at + found.secret.start..keyword_at + found.secret.end + rest;
    let body = &text[secret.clone()];
    let is_secret = value::entropy(body) >= format.entropy && !value::is_placeholder(body);
    is_secret.then_some(secret)
}

/// The token in which a keyword stands, up to that many bytes behind its beginning.
pub(crate) fn token_around(
    text: &str,
    keyword_at: usize,
    behind: usize,
    format: &Format,
    pattern: &Pattern,
) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_of_token = |byte: &u8| is_word(*byte) || matches!(byte, b'-' | b'.' | b'~');
    let before =
        bytes[keyword_at.saturating_sub(behind)..keyword_at].iter().rev().take_while(|b| is_of_token(b)).count();
    let starts = keyword_at - before..keyword_at;
    starts.filter_map(|start| token(text, start, format, pattern)).find(|found| found.end > keyword_at)
}

/// How many bytes of a token stand behind a place in it.
fn rest_of_token(text: &str, from: usize) -> usize {
    let is_of_token = |byte: &u8| is_word(*byte) || matches!(byte, b'-' | b'.' | b'+' | b'/' | b'=' | b'~');
    text.as_bytes()[from..].iter().take_while(|byte| is_of_token(byte)).count()
}

/// Whether a word may begin there: no letter or digit stands before, unless as the end of `\n` or of `%20`.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    match &bytes[at.saturating_sub(3)..at] {
        [] | [.., b'\\', b'n' | b'r' | b't'] => true,
        [b'%', first, second] if first.is_ascii_hexdigit() && second.is_ascii_hexdigit() => true,
        [.., last] => !is_word(*last) || *last == b'_',
    }
}
