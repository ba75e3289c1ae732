//! The password of a URL.

use std::ops::Range;

use super::run;
use crate::value;

/// The longest part of a URL before its host that is looked at.
const MOST_BYTES: usize = 512;

/// The password, or the token in the place of a user, of the URL whose `://` stands there.
pub(crate) fn url(text: &str, marks: &Range<usize>) -> Option<Range<usize>> {
    let scheme_ends = text.as_bytes()[..marks.start].last().is_some_and(u8::is_ascii_alphanumeric);
    let length = run(text, marks.end, MOST_BYTES, |byte| {
        !byte.is_ascii_whitespace() && !byte.is_ascii_control() && !b"/?#\"'`<>\\|(){}".contains(&byte)
    });
    // The run may end within a character, but not where an `@` does.
    let user_end = text.as_bytes()[marks.end..marks.end + length].iter().rposition(|&byte| byte == b'@')? + marks.end;
    if !scheme_ends {
        return None;
    }
    let user = &text[marks.end..user_end];
    match user.split_once(':') {
        Some((name, password)) => {
            let is_secret = password != name && value::is_password(password, value::Certainty::Place);
            is_secret.then(|| user_end - password.len()..user_end)
        }
        None => value::is_key(user).then_some(marks.end..user_end),
    }
}
