//! Does what stands around a keyword have the shape of a secret?
//!
//! Each function looks at a bounded part of the text, so that a text costs time by its length, whatever is in it.

mod assignment;
mod block;
mod call;
mod command;
mod entry;
mod file;
mod header;
mod kubernetes;
mod name;
mod token;
mod url;

pub(crate) use assignment::{Assignment, Form, assignment};
pub(crate) use block::{block, has_key_lines};
pub(crate) use call::call;
pub(crate) use command::{KEYWORDS as COMMANDS, command, piped};
pub(crate) use entry::{cookies, data_source, password_hash, pgpass, web_key};
pub(crate) use file::{is_of_secrets, of_file};
pub(crate) use header::{docker_auth, header};
pub(crate) use kubernetes::{is_of_manifest, secret_manifest};
pub(crate) use token::{token, token_around};
pub(crate) use url::url;

/// Whether a byte is a letter, a digit or an underscore.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// How many bytes of the text from a place on are ones that the condition holds for, at most that many.
fn run(text: &str, from: usize, most: usize, holds: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[from..].iter().take(most).take_while(|&&byte| holds(byte)).count()
}

/// Where the spaces and tabs from a place on end.
fn behind_blanks(text: &str, from: usize) -> usize {
    from + run(text, from, MOST_BLANKS, |byte| matches!(byte, b' ' | b'\t'))
}

/// Columns are aligned with fewer blanks than these.
const MOST_BLANKS: usize = 64;
