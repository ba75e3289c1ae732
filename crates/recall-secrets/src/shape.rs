//! Recognition of secrets around a keyword.
//!
//! Each function looks at a bounded part of the text, so the total time is linear in the length of the text.

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

/// Returns whether a byte is a letter, a digit or an underscore.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Counts the bytes from a position on for which a condition holds, up to a maximum.
fn run(text: &str, from: usize, most: usize, holds: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[from..].iter().take(most).take_while(|&&byte| holds(byte)).count()
}

/// Returns the position after the spaces and tabs at a position.
fn behind_blanks(text: &str, from: usize) -> usize {
    from + run(text, from, MOST_BLANKS, |byte| matches!(byte, b' ' | b'\t'))
}

/// The maximum number of blanks. Aligned columns have fewer.
const MOST_BLANKS: usize = 64;
