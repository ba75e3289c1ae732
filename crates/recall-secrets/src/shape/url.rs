//! Passwords in URLs.

use std::ops::Range;

use super::{is_word, run};
use crate::value;

/// The number of bytes before a URL's host that are examined.
const MOST_BYTES: usize = 512;

/// Returns the password, or a token in place of the user, of the URL whose `://` is at the given range.
pub(crate) fn url(text: &str, marks: &Range<usize>) -> Option<Range<usize>> {
    let scheme_ends = text.as_bytes()[..marks.start].last().is_some_and(u8::is_ascii_alphanumeric);
    let length = run(text, marks.end, MOST_BYTES, |byte| {
        !byte.is_ascii_whitespace() && !byte.is_ascii_control() && !b"/?#\"'`<>\\|(){}".contains(&byte)
    });
    // The run may end inside a character, but never at an `@`.
    if !scheme_ends {
        return None;
    }
    let plain = text.as_bytes()[marks.end..marks.end + length].iter().rposition(|&byte| byte == b'@');
    let written_out = || end_of_written_out(text, marks.end).and_then(|end| credentials(text, marks.end..end));
    plain.and_then(|at| credentials(text, marks.end..marks.end + at)).or_else(written_out)
}

/// Returns the user's password, or a token in its place.
fn credentials(text: &str, span: Range<usize>) -> Option<Range<usize>> {
    let user = &text[span.clone()];
    match user.split_once(':') {
        Some((name, password)) => {
            let is_secret = password != name && value::is_password(password, value::Certainty::Place);
            is_secret.then(|| span.end - password.len()..span.end)
        }
        None => value::is_key(user).then_some(span),
    }
}

/// Returns the end of a user and password with characters that should have been escaped, as in `user:a?b#c@host`.
fn end_of_written_out(text: &str, at: usize) -> Option<usize> {
    let colon = at + run(text, at, MOST_USER_BYTES, |byte| is_word(byte) || matches!(byte, b'-' | b'.'));
    if !text[colon..].starts_with(':') {
        return None;
    }
    let length =
        run(text, colon + 1, MOST_PASSWORD_BYTES, |byte| byte.is_ascii_graphic() && !b"\"'`<>\\".contains(&byte));
    let written = &text[colon + 1..colon + 1 + length];
    // If a port comes first, the text before it is a host.
    let is_port = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let first = written.split(['/', '?', '#']).next().unwrap_or_default();
    let end = written.rfind('@').filter(|end| written[end + 1..].starts_with(|c: char| c.is_ascii_alphanumeric()))?;
    (!is_port(first) && !written[..end].contains("://")).then_some(colon + 1 + end)
}

/// The longest user name.
const MOST_USER_BYTES: usize = 64;

/// The longest password. Longer text is more likely a path.
const MOST_PASSWORD_BYTES: usize = 96;
