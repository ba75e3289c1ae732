//! Tokens of known formats.

use std::ops::Range;

use super::is_word;
use crate::pattern::Pattern;
use crate::rule::Format;
use crate::value;

/// The number of bytes a pattern is matched against. A JWT with many claims has about 2,000.
const MOST_BYTES: usize = 4096;

/// Returns the token that begins at a keyword.
pub(crate) fn token(text: &str, keyword_at: usize, format: &Format, pattern: &Pattern) -> Option<Range<usize>> {
    if !begins_word(text.as_bytes(), keyword_at) {
        return None;
    }
    let end = text.floor_char_boundary(keyword_at + MOST_BYTES);
    let window = &text[keyword_at..end];
    let mut found = pattern.match_at_start(window)?;
    let is_within_word =
        |at: usize| text.as_bytes().get(keyword_at + at).is_some_and(|&byte| is_word(byte) && byte != b'_');
    // A secret that fills the window extends beyond it.
    let rest = if found.whole.end == window.len() { rest_of_token(text, end) } else { 0 };
    if rest == 0 && is_within_word(found.whole.end) {
        // A hyphen or an underscore joins the token to other words, as in a file name.
        let cut = window[..found.whole.end].rfind(['-', '_'])?;
        found = pattern.match_at_start(&window[..cut]).filter(|found| found.whole.end == cut)?;
    }
    let secret = keyword_at + found.secret.start..keyword_at + found.secret.end + rest;
    let body = &text[secret.clone()];
    let is_secret = value::entropy(body) >= format.entropy && !value::is_placeholder(body);
    is_secret.then_some(secret)
}

/// Returns the token around a keyword. It begins up to that many bytes before the keyword.
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

/// Counts the bytes of a token from a position on.
fn rest_of_token(text: &str, from: usize) -> usize {
    let is_of_token = |byte: &u8| is_word(*byte) || matches!(byte, b'-' | b'.' | b'+' | b'/' | b'=' | b'~');
    text.as_bytes()[from..].iter().take_while(|byte| is_of_token(byte)).count()
}

/// Returns whether a word may begin at a position: no letter or digit precedes it, except as the end of `\n` or `%20`.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    match &bytes[at.saturating_sub(3)..at] {
        [] | [.., b'\\', b'n' | b'r' | b't'] => true,
        [b'%', first, second] if first.is_ascii_hexdigit() && second.is_ascii_hexdigit() => true,
        [.., last] => !is_word(*last) || *last == b'_',
    }
}
