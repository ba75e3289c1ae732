//! Values assigned to names.
//!
//! One parser serves all languages and formats: a name, an operator, and a value that is quoted or bare:
//! `KEY=value`, `key: value`, `--key value`, `<key>value</key>`, `name="key" value="value"`.

mod operand;
mod operator;

use std::ops::Range;

use super::name::{keeps_secret, makes_public};
use super::{is_word, run};
use operand::{bare, fallback, quotation};
use operator::{Name, Operator};

/// The longest name. A longer one was not chosen by a person.
const MOST_NAME_BYTES: usize = 80;

/// A value with the name that it is assigned to.
pub(crate) struct Assignment<'t> {
    /// The name as written, with its qualifiers.
    pub(crate) name: &'t str,
    pub(crate) value: &'t str,
    /// The byte range of the value, without quotes.
    pub(crate) span: Range<usize>,
    pub(crate) form: Form,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// In quotes, or in a position that holds only literals: an element, a query, an option, a connection string.
    Literal,
    /// Without quotes, in a position where a literal may be unquoted.
    Bare,
    /// Without quotes, within a sentence or an expression.
    Prose,
}

impl Assignment<'_> {
    /// Returns the name in lower case, without separators.
    pub(crate) fn plain_name(&self) -> String {
        self.name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    }

    /// Returns whether the name is that of a constant or an environment variable.
    pub(crate) fn is_constant(&self) -> bool {
        !self.name.bytes().any(|byte| byte.is_ascii_lowercase())
    }
}

/// Returns the assignment to the name that contains a keyword, if that name denotes a secret.
pub(crate) fn assignment<'t>(text: &'t str, keyword: &Range<usize>) -> Option<Assignment<'t>> {
    let bytes = text.as_bytes();
    // For a keyword that ends with a separator, the name ends before the separator.
    let is_in_name = |byte: u8| is_word(byte) || byte == b'-';
    // Words of other languages have letters beyond ASCII, and blanks.
    let is_plain = text[keyword.clone()].bytes().all(|byte| byte.is_ascii_graphic());
    let word_end =
        if is_plain { keyword.start + run(text, keyword.start, keyword.len(), is_in_name) } else { keyword.end };
    let name_end = word_end + run(text, word_end, MOST_NAME_BYTES, is_in_name);
    let is_name_byte = |byte: &&u8| is_word(**byte) || matches!(**byte, b'-' | b'.' | b'$' | b'@' | b':');
    let before = bytes[..keyword.start].iter().rev().take(MOST_NAME_BYTES).take_while(is_name_byte).count();
    let name_start = keyword.start - before;
    if is_within_word(text, keyword) {
        return None;
    }
    if !keeps_secret(&text[keyword.start..word_end], &text[word_end..name_end])
        || makes_public(&text[name_start..keyword.start])
    {
        return None;
    }
    let name = Name { text, start: name_start, end: name_end };
    let (value_at, operator) = name.operator()?;
    // In `'--password=' . value` the quote after the name closes what one before it opened.
    let is_closing = operator == Operator::Tight && name_start > 0 && bytes.get(value_at) == bytes.get(name_start - 1);
    let is_quoted = !is_closing && !matches!(operator, Operator::Word | Operator::Default);
    let quoted = quotation(text, value_at).filter(|_| is_quoted);
    let (span, form) = match quoted.or_else(|| fallback(text, value_at).filter(|_| is_quoted)) {
        Some(span) => (span, Form::Literal),
        None => bare(&name, value_at, operator)?,
    };
    let value = &text[span.clone()];
    (!value.is_empty()).then_some(Assignment { name: &text[name_start..name_end], value, span, form })
}

/// Returns whether a short keyword is the end of another word, as in `bypass` and `compass`.
fn is_within_word(text: &str, keyword: &Range<usize>) -> bool {
    let before = text.as_bytes()[..keyword.start].last();
    let is_joined = before.is_some_and(u8::is_ascii_lowercase) && text.as_bytes()[keyword.start].is_ascii_lowercase();
    let is_upper = before.is_some_and(u8::is_ascii_uppercase) && text.as_bytes()[keyword.start].is_ascii_uppercase();
    keyword.len() <= LEAST_SAFE_KEYWORD && (is_joined || is_upper) && !follows_service(text, keyword.start)
}

/// The length up to which a keyword may be the end of another word.
const LEAST_SAFE_KEYWORD: usize = 4;

/// Returns whether a word that often qualifies a password is right before a position: `dbpass`, `USERPASS`.
fn follows_service(text: &str, at: usize) -> bool {
    let words =
        ["db", "user", "root", "my", "sql", "ftp", "smtp", "admin", "mail", "ssh", "key", "store", "login", "wifi"];
    let before = &text.as_bytes()[at.saturating_sub(8)..at];
    let ends_with = |word: &str| {
        before.len() >= word.len() && before[before.len() - word.len()..].eq_ignore_ascii_case(word.as_bytes())
    };
    words.iter().any(|word| ends_with(word))
}
