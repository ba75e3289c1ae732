//! Credentials in HTTP headers and in the configuration of container tools.

use std::ops::Range;

use super::{behind_blanks, run};
use crate::{base64, value};

/// The number of bytes of credentials that are examined.
const MOST_BYTES: usize = 8 * 1024;

/// The longest run of quotes, colons and brackets between a header's name and its value.
const MOST_BETWEEN: usize = 16;

/// Authorization schemes whose credentials are a secret as a whole.
const SCHEMES: &[&str] =
    &["bearer", "token", "basic", "bot", "apikey", "api-key", "key", "jwt", "sso-key", "genie-key"];

/// Returns the credentials after the name `Authorization` or the word `Bearer`.
pub(crate) fn header(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    let mut at = keyword.end;
    let mut is_basic = false;
    if !text[keyword.clone()].ends_with(' ') {
        let between = run(text, at, MOST_BETWEEN, |byte| b"\"'`:=>,()[] \t\\".contains(&byte));
        if !text[at..at + between].contains([':', '=', ',']) {
            return None;
        }
        at += between;
        let scheme = &text[at..at + run(text, at, 16, |byte| byte.is_ascii_alphabetic() || byte == b'-')];
        if SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            is_basic = scheme.eq_ignore_ascii_case("basic");
            at = behind_blanks(text, at + scheme.len());
        }
    }
    let length = run(text, at, MOST_BYTES, |byte| byte.is_ascii_alphanumeric() || b"-._~+/=:".contains(&byte));
    let value = text[at..at + length].trim_end_matches(['.', ':']);
    let is_secret = if is_basic { is_secret_basic(value) } else { value::is_key(value) || value::is_short_key(value) };
    is_secret.then(|| at..at + value.len())
}

/// Returns the base64 after the key `"auth"`, if it encodes a user and a password.
pub(crate) fn docker_auth(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    let operator = behind_blanks(text, keyword.end);
    let rest = text[operator..].strip_prefix([':', '='])?;
    let quote = behind_blanks(text, text.len() - rest.len());
    let start = quote + usize::from(text[quote..].starts_with('"'));
    let length = run(text, start, MOST_BYTES, |byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    let is_closed = start == quote || text[start + length..].starts_with('"');
    (is_closed && is_secret_basic(&text[start..start + length])).then_some(start..start + length)
}

fn is_secret_basic(value: &str) -> bool {
    base64::credentials(value).is_some_and(|(user, password)| {
        let is_key = password.is_empty() && value::is_key(&user);
        is_key || (password != user && value::is_password(&password, value::Certainty::Place))
    })
}
