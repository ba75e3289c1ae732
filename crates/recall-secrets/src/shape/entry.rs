//! Secrets in lines with unnamed fields (data source names, password files, cookies), secrets recognized only by the name of
//! their file, and the values of a Kubernetes Secret.

use std::ops::Range;

use super::{after_blanks, is_word, run};
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

/// Returns the password in `credentials: user:password` or `login: user / password`, whose first word is the keyword.
pub(crate) fn pair(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    let is_quote = |byte: u8| matches!(byte, b'"' | b'\'' | b'`' | b'*' | b'(');
    let mut at = keyword.end + run(text, keyword.end, 3, is_quote);
    at = after_blanks(text, at);
    if !text[keyword.clone()].ends_with(':') {
        at += text[at..].strip_prefix([':', '=']).map(|_| 1)?;
        at += run(text, at, 2, |byte| byte == b'*');
        at = after_blanks(text, at);
    }
    at += run(text, at, 3, is_quote);
    let user = run(text, at, MOST_USER_BYTES, |byte| is_word(byte) || b"-.@+\\".contains(&byte));
    let between = after_blanks(text, at + user);
    let separator = between + text[between..].strip_prefix([':', '/']).map(|_| 1)?;
    let start = after_blanks(text, separator);
    // With a blank on one side only, the first word is a name.
    if user == 0 || (between > at + user) != (start > separator) {
        return None;
    }
    let start = start + run(text, start, 1, is_quote);
    let length = run(text, start, MOST_BYTES, |byte| byte.is_ascii_graphic() && !b"\"'`,;<>|".contains(&byte));
    let password = text[start..start + length].trim_end_matches([')', '.', '*']);
    let is_secret = password != &text[at..at + user] && value::is_password(password, Certainty::BareName);
    is_secret.then(|| start..start + password.len())
}

/// The longest name of a user.
const MOST_USER_BYTES: usize = 64;

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

/// The longest file that holds a single secret.
const MOST_FILE_BYTES: usize = 4096;

/// Parts of the names of files that hold a single secret and nothing else, in lower case.
const SINGLE: &[&str] = &[
    "password",
    "passwd",
    "token",
    "secret",
    "api_key",
    "apikey",
    "api-key",
    "vault_pass",
    "vault-pass",
    "credential",
    "passphrase",
    "erlang.cookie",
    "master.key",
];

/// Names of files with lines of the form `user:hash`.
const HASHES: &[&str] = &["shadow", "gshadow", ".htpasswd", "htpasswd", "master.passwd"];

/// Returns the secrets of a text that follow from the name of its file.
pub(crate) fn in_file(name: &str, text: &str) -> Vec<Range<usize>> {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    if name == ".pgpass" || name == "pgpass.conf" {
        return lines(text).filter_map(|line| pgpass_file(text, line)).collect();
    }
    if HASHES.contains(&name.trim_end_matches('-')) {
        return lines(text).filter_map(|line| hash(text, &line)).collect();
    }
    if matches!(name.as_str(), "chap-secrets" | "pap-secrets") {
        return lines(text).filter_map(|line| third_word(text, &line)).collect();
    }
    let stem = name.strip_suffix(".txt").unwrap_or(&name);
    let is_single =
        text.len() <= MOST_FILE_BYTES && SINGLE.iter().any(|part| stem.contains(part)) && !stem.contains(".md");
    let word = text.trim();
    let is_secret = || value::is_key(word) || value::is_password(word, Certainty::Place);
    if is_single && !word.is_empty() && !word.contains(char::is_whitespace) && is_secret() {
        let start = text.find(word).unwrap_or_default();
        return std::iter::once(start..start + word.len()).collect();
    }
    Vec::new()
}

/// Returns whether [`in_file`] may find something in a file of that name.
pub(crate) fn is_secret_file(name: &str) -> bool {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_ascii_lowercase();
    name.contains("pass")
        || HASHES.contains(&name.trim_end_matches('-'))
        || SINGLE.iter().any(|part| name.contains(part))
        || name.ends_with("-secrets")
}

fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        start..start + line.trim_end().len()
    })
}

fn pgpass_file(text: &str, line: Range<usize>) -> Option<Range<usize>> {
    let fields: Vec<&str> = text[line.clone()].splitn(5, ':').collect();
    let password = fields.get(4).filter(|_| !text[line.clone()].starts_with('#'))?;
    value::is_password(password, Certainty::Place).then(|| line.end - password.len()..line.end)
}

fn hash(text: &str, line: &Range<usize>) -> Option<Range<usize>> {
    let (user, rest) = text[line.clone()].split_once(':')?;
    let hash = rest.split(':').next().unwrap_or_default();
    let start = line.start + user.len() + 1;
    let marked = password_hash(text, &(start - 1..start));
    // Traditional DES hashes have 13 digits and no prefix.
    let is_old = hash.len() == 13 && value::entropy(hash) >= 2.7;
    marked.or_else(|| is_old.then(|| start..start + hash.len()))
}

fn third_word(text: &str, line: &Range<usize>) -> Option<Range<usize>> {
    let mut words = text[line.clone()].split_whitespace();
    let word = words.nth(2).filter(|_| !text[line.clone()].starts_with('#'))?;
    let plain = word.trim_matches(['"', '\'']);
    let start = plain.as_ptr().addr() - text.as_ptr().addr();
    value::is_password(plain, Certainty::Place).then(|| start..start + plain.len())
}

/// The number of bytes of a manifest that are examined on either side of its kind.
const MOST_MANIFEST_BYTES: usize = 64 * 1024;

/// The length from which a decoded value is a secret even if it consists of words.
const LEAST_LONG: usize = 24;

/// The least length of a decoded value that is not text. Shorter ones may be base64 by chance.
const LEAST_BINARY: usize = 6;

/// Returns whether a part of a file may belong to a manifest whose kind is elsewhere: YAML or JSON with base64 values.
pub(crate) fn may_be_manifest(name: &str, part: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default();
    let is_manifest = ["yaml", "yml", "json", "tpl"].iter().any(|known| ending.eq_ignore_ascii_case(known));
    let is_digit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let is_value = |line: &str| {
        let value = line.trim_end_matches(['\r', ',', ' ']).trim_end_matches('"');
        let digits = value.len() - value.trim_end_matches(is_digit).len();
        digits >= 8 || value.ends_with('=') || line.trim_start().starts_with("stringData")
    };
    is_manifest && part.lines().any(is_value)
}

/// Returns the values under `data` and `stringData` of the manifest whose kind is at the keyword, in YAML or JSON.
pub(crate) fn secret_manifest(text: &str, keyword: &Range<usize>) -> Vec<Range<usize>> {
    let is_word = text.as_bytes().get(keyword.end).is_some_and(|&byte| super::is_word(byte));
    if is_word {
        return Vec::new();
    }
    let from = text.floor_char_boundary(keyword.start.saturating_sub(MOST_MANIFEST_BYTES));
    let to = text.floor_char_boundary(keyword.end + MOST_MANIFEST_BYTES);
    let before = &text[from..keyword.start];
    let after = &text[keyword.end..to];
    if text[keyword.clone()].starts_with('"') {
        let from = from + before.rfind("\"kind\"").map_or(0, |at| at);
        let to = keyword.end + after.find("\"kind\"").unwrap_or(after.len());
        return in_json(text, from..to);
    }
    let from = from + before.rfind("\n---").map_or(0, |at| at + 1);
    let to = keyword.end + after.find("\n---").unwrap_or(after.len());
    let line = text[from..keyword.start].rsplit('\n').next().unwrap_or_default();
    // In a list, the indentation of `- kind` includes the dash, like that of `data`.
    let indent = line.len();
    if line.trim_start_matches([' ', '-']).is_empty() { in_yaml(text, from..to, indent) } else { Vec::new() }
}

fn in_yaml(text: &str, manifest: Range<usize>, indent: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut encoding = None;
    // The indentation of the key whose block follows.
    let mut block: Option<usize> = None;
    let mut at = manifest.start;
    for line in text[manifest].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_start_matches([' ', '-']);
        let column = line.len() - content.len();
        let content = content.trim_end();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        if column <= indent {
            encoding = ["data:", "stringData:"].iter().position(|key| column == indent && content == *key);
            block = None;
            continue;
        }
        let Some(encoding) = encoding else { continue };
        let is_base64 = encoding == 0;
        let begin = start + column;
        if block.is_some_and(|key| column > key) {
            found.extend(secret(text, begin..begin + content.len(), is_base64, Place::Block));
            continue;
        }
        block = None;
        let Some((key, value)) = content.split_once(':') else { continue };
        let value_at = begin + key.len() + 1 + (value.len() - value.trim_start().len());
        let value = value.trim();
        if matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+") {
            block = Some(column);
            continue;
        }
        let value = value.split(" #").next().unwrap_or_default().trim_end();
        let quotes = usize::from(value.len() >= 2 && value.starts_with(['"', '\'']));
        let span = value_at + quotes..value_at + value.len() - quotes;
        found.extend(text.get(span.clone()).and_then(|_| secret(text, span, is_base64, Place::Value)));
    }
    found
}

fn in_json(text: &str, manifest: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (name, is_base64) in [("\"data\"", true), ("\"stringData\"", false)] {
        for (at, _) in text[manifest.clone()].match_indices(name) {
            let from = manifest.start + at + name.len();
            let Some(open) = text[from..manifest.end].find('{') else { continue };
            if !text[from..from + open].bytes().all(|byte| byte.is_ascii_whitespace() || byte == b':') {
                continue;
            }
            let body = from + open..from + text[from..manifest.end].find('}').unwrap_or(manifest.end - from).max(open);
            // Every second quoted string is a value. None has escaped quotes, since base64 has no quotes.
            let mut quotes = text[body.clone()].match_indices('"').map(|(place, _)| body.start + place);
            while let (Some(_), Some(_), Some(open), Some(close)) =
                (quotes.next(), quotes.next(), quotes.next(), quotes.next())
            {
                found.extend(secret(text, open + 1..close, is_base64, Place::Value));
            }
        }
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Value,
    /// A line of a multi-line text.
    Block,
}

/// Returns the span if its text is a secret and not a reference or placeholder.
fn secret(text: &str, span: Range<usize>, is_base64: bool, place: Place) -> Option<Range<usize>> {
    let value = &text[span.clone()];
    let is_secret = |plain: &str| {
        let is_long = plain.len() >= LEAST_LONG && !value::is_placeholder(plain) && !value::names_secret(plain);
        is_long || value::is_password(plain, Certainty::Place)
    };
    let is_secret = match value::decode_base64(value).map(String::from_utf8) {
        _ if !is_base64 => is_secret(value),
        None => false,
        Some(_) if place == Place::Block => value.len() >= LEAST_LONG,
        Some(Ok(plain)) => is_secret(plain.trim()) || plain.trim().contains('\n'),
        Some(Err(error)) => error.as_bytes().len() >= LEAST_BINARY,
    };
    is_secret.then_some(span)
}
