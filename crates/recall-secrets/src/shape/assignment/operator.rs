//! The operator between a name and its value.

use crate::shape::{after_blanks, floor, is_word, run};

use super::MOST_NAME_BYTES;
use super::operand::quote_at;

/// The longest type between a name and its value, as in `token: &'static str = "…"`.
const MOST_TYPE_BYTES: usize = 48;

/// The longest run of other attributes between a name and `value=`, or of other settings between a variable's name and
/// its default.
const MOST_BETWEEN: usize = 160;

/// The longest part of a sentence between a name and its verb.
const MOST_SUBJECT: usize = 60;

/// The length of the lines with host and login before the password in a credentials file.
const MOST_LOGIN_BYTES: usize = 200;

/// What may precede a name at the beginning of a line, in lists and environments.
const INTRODUCTIONS: &[&str] = &[
    "",
    "-",
    "#",
    "//",
    "*",
    "export",
    "set",
    "setx",
    "setenv",
    "SetEnv",
    "env",
    "ENV",
    "ARG",
    "- -",
    ">",
    "|",
    "$",
    ";",
    "+",
    "declare -x",
    "requirepass",
    "?",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// `=` without a blank on either side.
    Tight,
    /// `=`, `:=`, `=>` and the like, with blanks.
    Loose,
    Colon,
    /// An opening bracket, a comma or a blank: a call with the value as its argument. The value must be quoted.
    Call,
    /// The end of a tag.
    Tag,
    /// A blank after a command's option, or in a file of logins.
    Flag,
    /// A blank after a name that is first on its line.
    Word,
    /// A verb: `the password is …`.
    Verb,
    /// A separate entry for the value, after the entry with the name.
    Entry,
}

pub(super) struct Name<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Name<'_> {
    /// Returns the operator and the position at which the value begins.
    pub(super) fn operator(&self) -> Option<(usize, Operator)> {
        let text = self.text;
        let mut at = self.end;
        let quote = quote_at(text, at);
        at = quote.map_or(at, |(end, _)| end);
        if text[at..].starts_with(']') {
            at += 1;
        } else if text[at..].starts_with('[') {
            at += run(text, at, 8, |byte| matches!(byte, b'[' | b']') || byte.is_ascii_digit());
        }
        let behind_name = at;
        at = after_blanks(text, at);
        let has_blank = at > behind_name;
        let rest = &text.as_bytes()[at..];
        let (length, operator) = match rest {
            [b'=', b'~' | b'<', ..] | [b':', b':', ..] => return None,
            [b'=', b'=', b'=', ..] | [b'|', b'|', b'=', ..] => (3, Operator::Loose),
            [b'=', b'=' | b'>', ..] | [b':' | b'?' | b'+', b'=', ..] | [b'<', b'-', ..] => (2, Operator::Loose),
            [b'=', next, ..] if !has_blank && !next.is_ascii_whitespace() => (1, Operator::Tight),
            [b'=', ..] => (1, Operator::Loose),
            [b':', ..] => (1, Operator::Colon),
            [b'?' | b'!', b':', ..] => (2, Operator::Colon),
            [b'(', ..] => (1, Operator::Call),
            _ => return self.distant_value(at, quote.is_some(), has_blank),
        };
        at = after_blanks(text, at + length);
        if operator == Operator::Colon {
            at = self.after_type(at);
        }
        Some((self.after_line_break(at, operator), operator))
    }

    /// Finds an operator that does not directly follow the name: tags, attributes, parts of an entry, blanks.
    fn distant_value(&self, at: usize, is_quoted: bool, has_blank: bool) -> Option<(usize, Operator)> {
        let text = self.text;
        let next = text.as_bytes().get(at).copied();
        if next == Some(b'>') && (is_quoted || self.follows(b'<')) {
            return Some((at + 1, Operator::Tag));
        }
        if let Some(value) = self.next_element(at).or_else(|| self.element_with_attributes(at, has_blank)) {
            return Some((value, Operator::Tag));
        }
        if let Some(value) = self.attribute(at, is_quoted) {
            return Some((value, Operator::Call));
        }
        if let Some(value) = self.entry_of_value(at, is_quoted).or_else(|| self.default_of_variable(at, is_quoted)) {
            return Some((value, Operator::Entry));
        }
        match next {
            Some(b',') if is_quoted => Some((after_blanks(text, at + 1), Operator::Call)),
            Some(b'"' | b'\'') if has_blank && !is_quoted => Some((at, Operator::Call)),
            // A blank after a variable is not an assignment.
            _ if !has_blank || is_quoted || text[self.start..self.end].contains('$') => None,
            _ if text[self.start..].starts_with('-') || self.is_of_login() => Some((at, Operator::Flag)),
            _ if self.begins_line() => Some((at, Operator::Word)),
            _ => {
                let rest = &text[at..];
                let verb = ["is ", "was ", "to ", "are "].iter().find(|verb| rest.starts_with(**verb));
                if let Some(verb) = verb {
                    return Some((after_blanks(text, at + verb.len()), Operator::Verb));
                }
                // `the password of the staging server is …`
                let length =
                    run(text, at, MOST_SUBJECT, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-'));
                let verb = at + text[at..at + length].find(" is ")? + " is ".len();
                Some((verb, Operator::Verb))
            }
        }
    }

    /// Returns the content of the element after the one with the name: `<key>Password</key><string>…`.
    fn next_element(&self, at: usize) -> Option<usize> {
        if !self.follows(b'>') {
            return None;
        }
        let text = self.text;
        let closing = at + text[at..].strip_prefix("</").map(|_| 2)?;
        let end = closing + run(text, closing, MOST_NAME_BYTES, is_word);
        let opening = end + text[end..].strip_prefix('>').map(|_| 1)?;
        let opening = opening + run(text, opening, MOST_BETWEEN, |byte| byte.is_ascii_whitespace());
        let name = opening + text[opening..].strip_prefix('<').map(|_| 1)?;
        let end = name + run(text, name, MOST_NAME_BYTES, is_word);
        text[end..].starts_with('>').then_some(end + 1)
    }

    /// Returns the content of an element with attributes whose tag is the name.
    fn element_with_attributes(&self, at: usize, has_blank: bool) -> Option<usize> {
        if !has_blank || !self.follows(b'<') {
            return None;
        }
        let length = run(self.text, at, MOST_BETWEEN, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
        (self.text.as_bytes().get(at + length) == Some(&b'>')).then_some(at + length + 1)
    }

    /// Returns the attribute `value` of a tag that has the name in another attribute, before or after it.
    fn attribute(&self, at: usize, is_quoted: bool) -> Option<usize> {
        if !is_quoted {
            return None;
        }
        let text = self.text;
        let length = run(text, at, MOST_BETWEEN, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
        let rest = &text[at..at + floor(text, at, length)];
        if let Some(found) = rest.find("value=") {
            return (found == 0 || rest[..found].ends_with([' ', '\t', '_'])).then_some(at + found + "value=".len());
        }
        if text.as_bytes().get(at + length) != Some(&b'>') {
            return None;
        }
        let from = text.floor_char_boundary(self.start.saturating_sub(MOST_BETWEEN));
        let before = &text[from..self.start];
        let tag = &before[before.rfind('<')?..];
        let found = tag.find(" value=")? + " value=".len();
        Some(self.start - tag.len() + found)
    }

    /// Returns the value of an entry that has the name in another member: `"name": "…", "value": …`.
    fn entry_of_value(&self, at: usize, is_quoted: bool) -> Option<usize> {
        let text = self.text;
        let is_named = || {
            let from = text.floor_char_boundary(self.start.saturating_sub(16));
            let before = text[from..self.start].trim_end_matches(['"', '\'', ' ']).to_ascii_lowercase();
            ["name:", "key:", "name\":", "key\":", "name=", "name =", "name':", "key =", "key=", "name\" :"]
                .iter()
                .any(|end| before.ends_with(end))
        };
        if !matches!(text.as_bytes().get(at), Some(b',' | b'\n' | b'\r')) || !is_named() {
            return None;
        }
        let is_between = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'"' | b'\'');
        let word = at + run(text, at, MOST_NAME_BYTES, is_between);
        let known =
            ["value", "Value", "defaultValue", "secretValue"].iter().find(|known| text[word..].starts_with(**known))?;
        let end = word + known.len();
        let end = end + usize::from(is_quoted && matches!(text.as_bytes().get(end), Some(b'"' | b'\'')));
        let operator = after_blanks(text, end);
        let length = usize::from(matches!(text.as_bytes().get(operator), Some(b':' | b'=')));
        (length > 0).then(|| after_blanks(text, operator + length))
    }

    /// Returns the default of a Terraform variable, from the block after its name.
    fn default_of_variable(&self, at: usize, is_quoted: bool) -> Option<usize> {
        if !is_quoted || !self.text[at..].starts_with('{') {
            return None;
        }
        let length = run(self.text, at, MOST_BETWEEN, |byte| byte != b'}');
        let block = &self.text[at..at + floor(self.text, at, length)];
        let word = at + block.find("default")? + "default".len();
        let operator = after_blanks(self.text, word);
        self.text[operator..].starts_with('=').then(|| after_blanks(self.text, operator + 1))
    }

    /// Returns the position of the value after a type, if there is a type.
    fn after_type(&self, at: usize) -> usize {
        let length = run(self.text, at, MOST_TYPE_BYTES, |b| is_word(b) || b"<>&'[], .|?*:()".contains(&b));
        let ends = self.text[at..at + length].ends_with(' ') && self.text[at + length..].starts_with("= ");
        if ends { after_blanks(self.text, at + length + 1) } else { at }
    }

    /// Returns the position of a value on the next line: a quoted one, or the block of a YAML entry.
    fn after_line_break(&self, at: usize, operator: Operator) -> usize {
        let text = self.text;
        let mark = match text.as_bytes()[at..] {
            [b'|' | b'>', b'-' | b'+', ..] if operator == Operator::Colon => 2,
            [b'|' | b'>', ..] if operator == Operator::Colon => 1,
            _ => 0,
        };
        let line_end = after_blanks(text, at + mark);
        if operator == Operator::Tight || !text[line_end..].starts_with(['\n', '\r']) {
            return at;
        }
        let next = line_end + run(text, line_end, MOST_BETWEEN, |byte| byte.is_ascii_whitespace());
        if mark > 0 || matches!(text.as_bytes().get(next), Some(b'"' | b'\'')) { next } else { at }
    }

    pub(super) fn follows(&self, byte: u8) -> bool {
        self.before() == Some(byte)
    }

    /// Returns the byte before the name.
    pub(super) fn before(&self) -> Option<u8> {
        self.text.as_bytes()[..self.start].last().copied()
    }

    /// Returns whether a login or a host precedes the name, as in `.netrc`.
    fn is_of_login(&self) -> bool {
        let from = self.text.floor_char_boundary(self.start.saturating_sub(MOST_LOGIN_BYTES));
        let before = &self.text[from..self.start];
        let entry = before.rfind("machine ").or_else(|| before.rfind("default "));
        entry.is_some_and(|entry| before[entry..].contains("login "))
            || before
                .trim_end()
                .rsplit('\n')
                .next()
                .is_some_and(|line| line.trim_start().starts_with("login ") && line.split_whitespace().count() == 2)
    }

    /// Returns whether only an introduction of an entry precedes the name on its line.
    pub(super) fn begins_line(&self) -> bool {
        let from = self.text.floor_char_boundary(self.start.saturating_sub(MOST_NAME_BYTES));
        let before = &self.text[from..self.start];
        let line = before.rsplit('\n').next().unwrap_or_default();
        INTRODUCTIONS.contains(&line.trim())
    }
}
