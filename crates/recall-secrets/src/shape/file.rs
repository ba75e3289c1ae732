//! Secrets recognized only by the name of their file.

use std::ops::Range;

use super::entry;
use crate::value::{self, Certainty};

/// The longest file that holds a single secret.
const MOST_BYTES: usize = 4096;

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
        return lines(text).filter_map(|line| pgpass(text, line)).collect();
    }
    if HASHES.contains(&name.trim_end_matches('-')) {
        return lines(text).filter_map(|line| hash(text, &line)).collect();
    }
    if matches!(name.as_str(), "chap-secrets" | "pap-secrets") {
        return lines(text).filter_map(|line| third_word(text, &line)).collect();
    }
    let stem = name.strip_suffix(".txt").unwrap_or(&name);
    let is_single = text.len() <= MOST_BYTES && SINGLE.iter().any(|part| stem.contains(part)) && !stem.contains(".md");
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

fn pgpass(text: &str, line: Range<usize>) -> Option<Range<usize>> {
    let fields: Vec<&str> = text[line.clone()].splitn(5, ':').collect();
    let password = fields.get(4).filter(|_| !text[line.clone()].starts_with('#'))?;
    value::is_password(password, Certainty::Place).then(|| line.end - password.len()..line.end)
}

fn hash(text: &str, line: &Range<usize>) -> Option<Range<usize>> {
    let (user, rest) = text[line.clone()].split_once(':')?;
    let hash = rest.split(':').next().unwrap_or_default();
    let start = line.start + user.len() + 1;
    let marked = entry::password_hash(text, &(start - 1..start));
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
