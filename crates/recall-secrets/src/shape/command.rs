//! Passwords among the arguments of a command, and of a function that takes a user and a password.

mod table;

use std::ops::Range;

use super::{is_word, run};
use crate::value::{self, Certainty};
use table::Argument::{self, After, Attached, Last, Nth, Whole};
use table::{COMMANDS, Command};

pub(crate) use table::KEYWORDS;

/// The number of bytes of a command line that are examined.
const MOST_BYTES: usize = 1024;

/// The number of arguments that are examined.
const MOST_WORDS: usize = 48;

/// Returns the secret among the arguments of the command at the keyword.
pub(crate) fn command(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    let name = text[keyword.clone()].trim_end();
    let end = keyword.start + name.len();
    let before = text.as_bytes()[..keyword.start].last();
    if before.is_some_and(|&byte| is_word(byte) || byte == b'-' || byte == b'.')
        || !matches!(text.as_bytes().get(end), Some(b' ' | b'\t' | b'"' | b'\'' | b'='))
    {
        return None;
    }
    let is_named = |(names, _): &&Command| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let (_, options) = COMMANDS.iter().find(is_named)?;
    // A command name inside a string literal may be followed by the closing quote.
    let end = end + run(text, end, 1, |byte| matches!(byte, b'"' | b'\''));
    let words: Vec<Range<usize>> = words(text, end).take(MOST_WORDS).collect();
    options.iter().find_map(|&(option, argument)| {
        words.iter().enumerate().find_map(|(nth, word)| {
            let found = argument_of(text, &words, (nth, word), (option, argument))?;
            is_secret(text, &found, argument).then_some(found)
        })
    })
}

/// Returns whether an argument is a secret, and neither a reference to one nor an address in place of a user.
fn is_secret(text: &str, found: &Range<usize>, argument: Argument) -> bool {
    let value = &text[found.clone()];
    let is_user = matches!(argument, After(_)) && text[..found.start].ends_with("://");
    !is_user && value::is_password(value, Certainty::Place)
}

/// Returns the secret of an option, if the word is that option.
fn argument_of(
    text: &str,
    words: &[Range<usize>],
    (nth, word): (usize, &Range<usize>),
    (option, argument): (&str, Argument),
) -> Option<Range<usize>> {
    let written = &text[word.clone()];
    let attached = || {
        let rest = written.strip_prefix(option)?;
        let value = unquote(text, word.end - rest.trim_start_matches('=').len()..word.end);
        let is_short = option.len() == 2;
        (!value.is_empty() && (is_short || option.is_empty() || rest.starts_with('=') || option.ends_with(':')))
            .then_some(value)
    };
    let is_option = written == option || option.is_empty() || is_cluster(written, option) || is_suffix(written, option);
    let following = |count: usize| is_option.then(|| words.get(nth + count).cloned()).flatten();
    match argument {
        Attached => attached(),
        Whole => attached().or_else(|| following(1)),
        After(mark) => {
            let whole = if option.is_empty() { attached() } else { attached().or_else(|| following(1)) }?;
            let value = &text[whole.clone()];
            let at = value.find(char::from(mark))?;
            let end = if mark == b'/' {
                value.rfind('@').filter(|end| *end > at).unwrap_or(value.len())
            } else {
                value.len()
            };
            let is_first = !option.is_empty() || nth == 0;
            let is_user = |byte: u8| is_word(byte) || b"-.@+\\%".contains(&byte);
            let is_named = mark != b'/' || value[..at].bytes().all(is_user) && !value.contains(['<', '>']);
            (is_first && is_named && at > 0 && !value.contains("://"))
                .then_some(whole.start + at + 1..whole.start + end)
        }
        Nth(count) if option.is_empty() => (nth == 0).then(|| words.get(count - 1).cloned()).flatten(),
        Nth(count) if option.ends_with(':') => (written.len() > option.len()
            && written.to_ascii_lowercase().starts_with(option))
        .then(|| words.get(nth + count).cloned())
        .flatten(),
        Nth(count) => (written == option).then(|| words.get(nth + count).cloned()).flatten(),
        Last => {
            let last = words.iter().rfind(|word| !text[(*word).clone()].starts_with('-'))?;
            (is_option && last.start > word.start).then(|| last.clone())
        }
    }
}

/// Returns whether a word is a cluster of one-letter options that ends with the option.
fn is_cluster(word: &str, option: &str) -> bool {
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    let cluster =
        word.strip_prefix('-').filter(|word| word.len() <= 6 && word.bytes().all(|byte| byte.is_ascii_alphabetic()));
    letter.zip(cluster).is_some_and(|(letter, cluster)| cluster.ends_with(letter))
}

/// Returns whether a word is a registry key such as `//registry.npmjs.org/:_authToken`.
fn is_suffix(word: &str, option: &str) -> bool {
    option.starts_with('_') && word.ends_with(option)
}

/// Iterates over the words of a command line, without their quotes. It is a shell line or an array of strings in source
/// code.
fn words(text: &str, from: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = &text.as_bytes()[..text.floor_char_boundary(from + MOST_BYTES)];
    let mut at = from;
    std::iter::from_fn(move || {
        loop {
            match bytes.get(at..) {
                Some([b' ' | b'\t' | b',' | b'=', ..]) => at += 1,
                Some([b'\\', b'\n', ..]) => at += 2,
                Some([b'\\', b'\r', b'\n', ..]) => at += 3,
                None | Some([] | [b'\n' | b'\r' | b'|' | b';' | b')' | b'`', ..] | [b'&', b'&', ..]) => return None,
                Some(_) => break,
            }
        }
        let start = at;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'"' | b'\'' => {
                    let closing = bytes[at + 1..].iter().position(|&next| next == byte || next == b'\n')?;
                    at += closing + 1;
                    if bytes[at] == b'\n' {
                        return None;
                    }
                    at += 1;
                }
                b' ' | b'\t' | b'\n' | b'\r' | b'`' => break,
                b'|' | b';' | b')' if matches!(bytes.get(at + 1), None | Some(b' ' | b'\n')) => break,
                _ => at += 1,
            }
        }
        let word = unquote(text, start..at);
        Some(word)
    })
}

/// Strips the quotes around a word, and a comma after it.
fn unquote(text: &str, word: Range<usize>) -> Range<usize> {
    let written = text[word.clone()].trim_end_matches([',', ']']);
    let inner = ['"', '\''].iter().find_map(|&quote| {
        let inner = written.strip_prefix(quote)?.strip_suffix(quote)?;
        (!inner.contains(quote)).then_some(inner)
    });
    match inner {
        Some(inner) => word.start + 1..word.start + 1 + inner.len(),
        None => word.start..word.start + written.len(),
    }
}

/// Returns the password piped into a command: `echo PASSWORD | docker login --password-stdin`.
pub(crate) fn pipe_source(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    if let Some(word) = here_string(text, keyword.end) {
        return value::is_password(&text[word.clone()], Certainty::Place).then_some(word);
    }
    let from = text.floor_char_boundary(keyword.start.saturating_sub(MOST_BYTES / 4));
    let line = &text[from..keyword.start];
    let line = &line[line.rfind('\n').map_or(0, |end| end + 1)..];
    let line_at = keyword.start - line.len();
    let after = ["echo ", "printf "].iter().filter_map(|word| Some(line.rfind(word)? + word.len())).max()?;
    line[after..].contains('|').then_some(())?;
    let word = words(text, line_at + after).find(|word| {
        let word = &text[word.clone()];
        !word.starts_with('-') && !word.starts_with('%')
    })?;
    let value = text[word.clone()].trim_end_matches("\\n");
    let at = if text[keyword.clone()].eq_ignore_ascii_case("chpasswd") { value.find(':')? + 1 } else { 0 };
    let secret = word.start + at..word.start + value.len();
    value::is_password(&text[secret.clone()], Certainty::Place).then_some(secret)
}

/// Returns the word after `<<<` among the arguments of a command.
fn here_string(text: &str, from: usize) -> Option<Range<usize>> {
    let length = run(text, from, MOST_BYTES / 8, |byte| !matches!(byte, b'\n' | b'|' | b';'));
    let at = from + text.get(from..from + length)?.find("<<<")? + "<<<".len();
    words(text, at).next()
}

/// The number of bytes within which the arguments must be.
const MOST_CALL_BYTES: usize = 320;

/// The number of string arguments: host, user, password and database.
const MOST_LITERALS: usize = 4;

/// Returns the password among the quoted arguments after the keyword.
pub(crate) fn call(text: &str, keyword: &Range<usize>) -> Option<Range<usize>> {
    let written = &text[keyword.clone()];
    let is_only = written.ends_with([' ', '"', '\'']);
    let from = keyword.end - usize::from(written.ends_with(['"', '\'']));
    // A string sent by an expect script ends with a line break.
    let is_sent = |literal: &Range<usize>| {
        !written.to_ascii_lowercase().starts_with("send") || text[literal.end..].starts_with('\\')
    };
    if is_only && !text[from..].starts_with(['"', '\'']) {
        return None;
    }
    // In an SQL statement nothing but the password can follow.
    let certainty = if written.starts_with("IDENTIFIED") { Certainty::Place } else { Certainty::Name };
    let most = if is_only { 1 } else { MOST_LITERALS };
    literals(text, from)
        .take(most)
        .skip(usize::from(!is_only))
        .filter(is_sent)
        .find(|literal| value::is_password(&text[literal.clone()], certainty))
}

/// Iterates over the quoted strings up to the end of the arguments or of the line.
fn literals(text: &str, from: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = &text.as_bytes()[..text.floor_char_boundary(from + MOST_CALL_BYTES)];
    let mut at = from;
    std::iter::from_fn(move || {
        loop {
            match bytes.get(at)? {
                quote @ (b'"' | b'\'') => {
                    let start = at + 1;
                    let length = run(text, start, MOST_CALL_BYTES, |byte| byte != *quote && byte != b'\n');
                    at = start + length + 1;
                    let is_closed = text.as_bytes().get(start + length) == Some(quote);
                    let end =
                        start + text.get(start..start + length)?.trim_end_matches("\\r").trim_end_matches("\\n").len();
                    return is_closed.then_some(start..end);
                }
                b';' | b'{' | b'}' => return None,
                b')' if bytes.get(at + 1) != Some(&b',') && bytes.get(at + 1) != Some(&b')') => return None,
                _ => at += 1,
            }
        }
    })
}
