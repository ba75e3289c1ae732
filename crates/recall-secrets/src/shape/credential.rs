//! Private keys between their markers, tokens of known formats, and credentials in URLs, HTTP headers and the configuration of
//! container tools.

use std::ops::Range;

use super::{after_blanks, is_word, run};
use crate::rule::{Format, Pattern};
use crate::value::{self, Certainty};

/// The number of bytes a pattern is matched against. A JWT with many claims has about 2,000.
const MOST_TOKEN_BYTES: usize = 4096;

/// Returns the token that begins at a keyword.
pub(crate) fn token(text: &str, keyword_at: usize, format: &Format, pattern: &Pattern) -> Option<Range<usize>> {
    if !begins_word(text.as_bytes(), keyword_at) {
        return None;
    }
    let end = text.floor_char_boundary(keyword_at + MOST_TOKEN_BYTES);
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
    offset: usize,
    format: &Format,
    pattern: &Pattern,
) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_token_byte = |byte: &u8| is_word(*byte) || matches!(byte, b'-' | b'.' | b'~');
    let before =
        bytes[keyword_at.saturating_sub(offset)..keyword_at].iter().rev().take_while(|b| is_token_byte(b)).count();
    let starts = keyword_at - before..keyword_at;
    starts.filter_map(|start| token(text, start, format, pattern)).find(|found| found.end > keyword_at)
}

/// Counts the bytes of a token from a position on.
fn rest_of_token(text: &str, from: usize) -> usize {
    let is_token_byte = |byte: &u8| is_word(*byte) || matches!(byte, b'-' | b'.' | b'+' | b'/' | b'=' | b'~');
    text.as_bytes()[from..].iter().take_while(|byte| is_token_byte(byte)).count()
}

/// Returns whether a word may begin at a position: no letter or digit precedes it, except as the end of `\n` or `%20`.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    match &bytes[at.saturating_sub(3)..at] {
        [] | [.., b'\\', b'n' | b'r' | b't'] => true,
        [b'%', first, second] if first.is_ascii_hexdigit() && second.is_ascii_hexdigit() => true,
        [.., last] => !is_word(*last) || *last == b'_',
    }
}

/// The number of bytes before a URL's host that are examined.
const MOST_URL_BYTES: usize = 512;

/// Returns the password, or a token in place of the user, of the URL whose `://` is at the given range.
pub(crate) fn url(text: &str, marks: &Range<usize>) -> Option<Range<usize>> {
    let scheme_ends = text.as_bytes()[..marks.start].last().is_some_and(u8::is_ascii_alphanumeric);
    let length = run(text, marks.end, MOST_URL_BYTES, |byte| {
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
            let is_secret = password != name && value::is_password(password, Certainty::Place);
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

/// The number of bytes of credentials that are examined.
const MOST_HEADER_BYTES: usize = 8 * 1024;

/// The longest run of quotes, colons and brackets between a header's name and its value.
const MOST_SEPARATOR_BYTES: usize = 16;

/// Authorization schemes whose credentials are a secret as a whole.
const SCHEMES: &[&str] =
    &["bearer", "token", "basic", "bot", "apikey", "api-key", "key", "jwt", "sso-key", "genie-key"];

/// Returns the credentials after the name `Authorization` or the word `Bearer`.
pub(crate) fn header(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    let mut at = keyword.end;
    let mut is_basic = false;
    if !text[keyword.clone()].ends_with(' ') {
        let between = run(text, at, MOST_SEPARATOR_BYTES, |byte| b"\"'`:=>,()[] \t\\".contains(&byte));
        if !text[at..at + between].contains([':', '=', ',']) {
            return None;
        }
        at += between;
        let scheme = &text[at..at + run(text, at, 16, |byte| byte.is_ascii_alphabetic() || byte == b'-')];
        if SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            is_basic = scheme.eq_ignore_ascii_case("basic");
            at = after_blanks(text, at + scheme.len());
        }
    }
    at = after_concatenation(text, at).unwrap_or(at);
    let length = run(text, at, MOST_HEADER_BYTES, |byte| byte.is_ascii_alphanumeric() || b"-._~+/=:".contains(&byte));
    let value = text[at..at + length].trim_end_matches(['.', ':']);
    let is_secret = if is_basic { is_secret_basic(value) } else { value::is_key(value) || value::is_short_key(value) };
    is_secret.then(|| at..at + value.len())
}

/// Returns the beginning of a string that is joined to the one which ends at a position: `'Bearer ' + 'value'`.
fn after_concatenation(text: &str, at: usize) -> Option<usize> {
    let is_quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'`');
    let closing = run(text, at, 2, |byte| is_quote(byte) || byte == b'\\');
    let operator = after_blanks(text, at + closing);
    let length = run(text, operator, 2, |byte| b"+.&~,".contains(&byte));
    let opening =
        operator + length + run(text, operator + length, MOST_SEPARATOR_BYTES, |byte| byte.is_ascii_whitespace());
    let quotes = run(text, opening, 2, |byte| is_quote(byte) || byte == b'\\');
    (closing > 0 && length > 0 && quotes > 0).then_some(opening + quotes)
}

/// Returns the base64 after the key `"auth"`, if it encodes a user and a password.
pub(crate) fn docker_auth(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    let operator = after_blanks(text, keyword.end);
    let rest = text[operator..].strip_prefix([':', '='])?;
    let quote = after_blanks(text, text.len() - rest.len());
    let start = quote + usize::from(text[quote..].starts_with('"'));
    let length = run(text, start, MOST_HEADER_BYTES, |byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
    let is_closed = start == quote || text[start + length..].starts_with('"');
    (is_closed && is_secret_basic(&text[start..start + length])).then_some(start..start + length)
}

fn is_secret_basic(value: &str) -> bool {
    value::credentials(value).is_some_and(|(user, password)| {
        let is_key = password.is_empty() && value::is_key(&user);
        is_key || (password != user && value::is_password(&password, Certainty::Place))
    })
}

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

/// The dashes of a marker: five, or four and a blank in a key of SSH2.
const DASHES: &str = "-----";
const SHORT_DASHES: &str = "----";

/// Returns the content of the key whose first marker begins at the keyword, without markers, headers and quotes.
///
/// The lines of a key may be quoted and joined by operators, as in source code, or have `\n` for line breaks. A key
/// without an end marker ends with its last complete line.
pub(crate) fn block(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    let body_at = if text[keyword.clone()].starts_with("----") {
        after_marker(text, keyword.end)?
    } else {
        after_putty_header(text, keyword.end)?
    };
    let window = &text[body_at..text.floor_char_boundary(body_at + MOST_BYTES)];
    let end_mark = window.find(SHORT_DASHES).or_else(|| window.find("Private-MAC"));
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
    let dashes = [DASHES, SHORT_DASHES].into_iter().find(|dashes| text[label_at + length..].starts_with(dashes))?;
    label.contains("PRIVATE KEY").then_some(label_at + length + dashes.len())
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
