//! Secrets in lines whose fields have no names: data source names, files of passwords, cookies.

use std::ops::Range;

use super::{is_word, run};
use crate::value::{self, Certainty};

/// The longest line that is looked at, on either side of a keyword.
const MOST_BYTES: usize = 512;

/// The longest header of cookies that is looked at.
const MOST_COOKIE_BYTES: usize = 4096;

/// The password of a data source name of Go's drivers, `user:password@tcp(host)/database`, whose `@` begins the keyword.
///
/// Of Oracle's, `thin:user/password@host`, the keyword stands before the user.
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

/// The last field of a line of `.pgpass`, `host:port:database:user:password`, in which the port's field is the keyword.
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

/// The hash in a line of `shadow` or `.htpasswd`, `user:hash`, whose beginning is the keyword.
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

/// `{SHA}` and 28 digits of base64.
const LEAST_HASH: usize = 30;

/// Base64 of a hash; what stands for one has less.
const LEAST_HASH_ENTROPY: f64 = 3.3;

/// The values of the cookies of a header that look random.
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

/// The secret members of a JSON Web Key, around its type.
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
