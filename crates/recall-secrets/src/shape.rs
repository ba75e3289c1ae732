//! Recognition of secrets around a keyword.
//!
//! Each function looks at a bounded part of the text, so the total time is linear in the length of the text.

mod assignment;
mod command;
mod credential;
mod entry;
mod name;
mod table;

pub(crate) use assignment::{Assignment, Form, assignment};
pub(crate) use command::{KEYWORDS as COMMANDS, call, command, pipe_source};
pub(crate) use credential::{block, docker_auth, has_key_lines, header, token, token_around, url};
pub(crate) use entry::{
    cookies, data_source, in_file, is_secret_file, may_be_manifest, pair, password_hash, pgpass, secret_manifest,
    web_key,
};
pub(crate) use table::column;

/// Returns whether a byte is a letter, a digit or an underscore.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Counts the bytes from a position on for which a condition holds, up to a maximum.
fn run(text: &str, from: usize, most: usize, holds: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[from..].iter().take(most).take_while(|&&byte| holds(byte)).count()
}

/// Returns the position after the spaces and tabs at a position.
fn after_blanks(text: &str, from: usize) -> usize {
    from + run(text, from, MOST_BLANKS, |byte| matches!(byte, b' ' | b'\t'))
}

/// The maximum number of blanks. Aligned columns have fewer.
const MOST_BLANKS: usize = 64;

/// Returns the largest length up to `length` that ends on a character boundary.
fn floor(text: &str, at: usize, length: usize) -> usize {
    text.floor_char_boundary(at + length) - at
}
