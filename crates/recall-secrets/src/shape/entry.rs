//! Secrets in lines with unnamed fields: data source names, password files, cookies.

use std::ops::Range;

use super::{is_word, run};
use crate::value::{self, Certainty};

/// The number of bytes that are examined on either side of a keyword.
const MOST_BYTES: usize = 512;

/// The number of bytes of a cookie header that are examined.
const MOST_COOKIE_BYTES: usize = 4096;

/// Returns the password in a Go data source name, `user:password@tcp(host)/database`, whose `@` begins the keyword.
///
/// In an Oracle one, `thin:user/password@host`, the keyword precedes the user.
pub(crate) fn data_source(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    if text[keyword.clone()].ends_with(':') {
        let user = run(text, keyword.end, MOST_BYTES, |byte| is_word(byte) || byte == b'$');
        let start = keyword.end + user + text[keyword.end + user..].strip_prefix('/').map(|_| 1)?;
        let length = run(text, start, MOST_BYTES, |byte| byte.is_ascii_graphic() && !b"\"'`".contains(&byte));
        let secret = start..start + text[start..start + length].rfind('@')?;
        return value::is_password(&text[secret.clone()], Certainty::Place).then_some(secret);
    }
    let from = text.floor_char_boundary(keyword.start.saturating_sub(MOST_BYTES / 2));
    let before = &text[from..keyword.start];
    let start = before.rfind([' ', '"', '\'', '`', '\n', '\t']).map_or(0, |at| at + 1);
    let user = &before[start..];
    let name = user.find('=').filter(|name| user.find(':').is_none_or(|colon| *name < colon));
    let user = &user[name.map_or(0, |name| name + 1)..];
    let at = user.find(':').filter(|at| *at > 0)?;
    let secret = keyword.start - user.len() + at + 1..keyword.start;
    value::is_password(&text[secret.clone()], Certainty::Place).then_some(secret)
}

/// Returns the last field of a `.pgpass` line, `host:port:database:user:password`. The keyword is the port's field.
pub(crate) fn pgpass(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    let from = text.floor_char_boundary(keyword.start.saturating_sub(MOST_BYTES / 2));
    let host = text[from..keyword.start].rsplit('\n').next()?.trim_start_matches(['#', ' ']);
    let length = run(text, keyword.end, MOST_BYTES, |byte| !byte.is_ascii_control());
    let line = text.get(keyword.end..keyword.end + length)?;
    let mut fields = line.splitn(3, ':');
    let (database, user, password) = (fields.next()?, fields.next()?, fields.next()?);
    let is_plain =
        |field: &str| !field.is_empty() && field.bytes().all(|byte| is_word(byte) || b"-.*@".contains(&byte));
    let password = password.split([' ', '"', '\'', '`']).next()?;
    let secret = keyword.end + database.len() + user.len() + 2;
    let is_entry = [host.rsplit([' ', '"', '\'', '`']).next()?, database, user].into_iter().all(is_plain);
    (is_entry && value::is_password(password, Certainty::Place)).then(|| secret..secret + password.len())
}

/// Returns the hash in a line of `shadow` or `.htpasswd`, `user:hash`. The keyword is the beginning of the hash.
pub(crate) fn password_hash(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    let from = text.floor_char_boundary(keyword.start.saturating_sub(MOST_BYTES / 4));
    let user = text[from..keyword.start].rsplit(['\n', ' ', '"', '\'', '`']).next()?;
    let is_user =
        !user.is_empty() && user.len() <= 64 && user.bytes().all(|byte| is_word(byte) || b"-.@+".contains(&byte));
    let start = keyword.start + 1;
    let length = run(text, start, MOST_BYTES, |byte| byte.is_ascii_alphanumeric() || b"$./+=,-_{}".contains(&byte));
    let hash = &text[start..start + length];
    (is_user && length >= LEAST_HASH && value::entropy(hash) >= LEAST_HASH_ENTROPY && !hash.contains("..."))
        .then_some(start..start + length)
}

/// The least length of a hash. The shortest one, `{SHA}` with 28 base64 digits, has 33 characters.
const LEAST_HASH: usize = 30;

/// The least entropy of a hash. Placeholders have less.
const LEAST_HASH_ENTROPY: f64 = 3.3;

/// Returns the random-looking values of session cookies in a header.
pub(crate) fn cookies(text: &str, keyword: &Range<usize>) -> Vec<Range<usize>> {
    let from = keyword.end + run(text, keyword.end, 4, |byte| matches!(byte, b' ' | b'"' | b'\'' | b':' | b','));
    let length = run(text, from, MOST_COOKIE_BYTES, |byte| {
        byte.is_ascii_graphic() && !b"\"'`<>".contains(&byte) || byte == b' '
    });
    let mut at = from;
    let mut found = Vec::new();
    for pair in text[from..from + length].split_inclusive([';', ' ', ',']) {
        let (name, value) = pair.trim_end_matches([';', ' ', ',']).split_once('=').unwrap_or_default();
        let start = at + name.len() + 1;
        let lower = name.to_ascii_lowercase();
        let is_session =
            ["sess", "sid", "token", "auth", "jwt", "remember", "login"].iter().any(|part| lower.contains(part));
        if is_session && (value::is_key(value) || value::is_short_key(value)) {
            found.push(start..start + value.len());
        }
        at += pair.len();
    }
    found
}

/// Returns the private members of a JSON Web Key, around its `kty` member.
pub(crate) fn web_key(text: &str, keyword: &Range<usize>) -> Vec<Range<usize>> {
    let from = text.floor_char_boundary(keyword.start.saturating_sub(MOST_COOKIE_BYTES));
    let to = text.floor_char_boundary(keyword.end + MOST_COOKIE_BYTES);
    let Some(open) = text[from..keyword.start].rfind('{') else { return Vec::new() };
    let end = text[keyword.end..to].find('}').map_or(to, |end| keyword.end + end);
    let key = &text[from + open..end];
    let secret = |member: &&str| {
        let quoted = format!("\"{member}\"");
        let at = key.find(&quoted)? + quoted.len();
        let start = at + run(key, at, 8, |byte| matches!(byte, b' ' | b':' | b'\n'));
        let start = start + key[start..].strip_prefix('"').map(|_| 1)?;
        let length = run(key, start, MOST_COOKIE_BYTES, |byte| is_word(byte) || matches!(byte, b'-' | b'='));
        let is_random = length >= 20 && value::entropy(&key[start..start + length]) >= LEAST_HASH_ENTROPY;
        is_random.then_some(from + open + start..from + open + start + length)
    };
    ["d", "p", "q", "dp", "dq", "qi", "k"].iter().filter_map(secret).collect()
}
