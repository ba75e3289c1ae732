//! Passwords among the arguments of a function that takes a user and a password.

use std::ops::Range;

use super::run;
use crate::value::{self, Certainty};

/// The number of bytes within which the arguments must be.
const MOST_BYTES: usize = 320;

/// The number of string arguments: host, user, password and database.
const MOST_LITERALS: usize = 4;

/// Returns the password among the quoted arguments after the keyword.
pub(crate) fn call(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    let written = &text[keyword.clone()];
    let is_only = written.ends_with([' ', '"', '\'']);
    let from = keyword.end - usize::from(written.ends_with(['"', '\'']));
    // A string sent by an expect script ends with a line break.
    let is_sent = |literal: &Range<usize>| {
        !written.to_ascii_lowercase().starts_with("send") || text[literal.end..].starts_with('\\')
    };
    if is_only && !text[from..].starts_with(['"', '\'']) {
        return None;
    }
    // In an SQL statement nothing but the password can follow.
    let certainty = if written.starts_with("IDENTIFIED") { Certainty::Place } else { Certainty::Name };
    let most = if is_only { 1 } else { MOST_LITERALS };
    literals(text, from)
        .take(most)
        .skip(usize::from(!is_only))
        .filter(is_sent)
        .find(|literal| value::is_password(&text[literal.clone()], certainty))
}

/// Iterates over the quoted strings up to the end of the arguments or of the line.
fn literals(text: &str, from: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = &text.as_bytes()[..text.floor_char_boundary(from + MOST_BYTES)];
    let mut at = from;
    std::iter::from_fn(move || {
        loop {
            match bytes.get(at)? {
                quote @ (b'"' | b'\'') => {
                    let start = at + 1;
                    let length = run(text, start, MOST_BYTES, |byte| byte != *quote && byte != b'\n');
                    at = start + length + 1;
                    let is_closed = text.as_bytes().get(start + length) == Some(quote);
                    let end =
                        start + text.get(start..start + length)?.trim_end_matches("\\r").trim_end_matches("\\n").len();
                    return is_closed.then_some(start..end);
                }
                b';' | b'{' | b'}' => return None,
                b')' if bytes.get(at + 1) != Some(&b',') && bytes.get(at + 1) != Some(&b')') => return None,
                _ => at += 1,
            }
        }
    })
}
