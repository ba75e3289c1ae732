//! The operator between a name and its value.

use crate::shape::{after_blanks, floor, is_word, run};

use super::MOST_NAME_BYTES;
use super::operand::{quotation, quote_at};

/// The longest type between a name and its value, as in `token: &'static str = "…"`.
const MOST_TYPE_BYTES: usize = 48;

/// The longest run of other attributes between a name and `value=`, or of other settings between a variable's name and
/// its default.
const MOST_BETWEEN: usize = 160;

/// The longest part of a sentence between a name and its verb.
const MOST_SUBJECT: usize = 60;

/// The longest qualification of a name, as in `password (staging): …`.
const MOST_QUALIFICATION: usize = 40;

/// What stands between a name and its value in notes.
const ARROWS: &[&str] = &["—", "–", "→", "-> ", "- "];

/// The verbs between a name and its value.
const VERBS: &[&str] = &["is ", "was ", "to ", "are ", "ist ", "lautet ", "est ", "es ", "é ", "è ", "jest "];

/// The operators before the value that is used if a variable is not set.
const FALLBACKS: &[&str] = &["||", "??", "?:", "or ", "//"];

/// The calls with such a value.
const FALLBACK_CALLS: &[&str] = &[
    ".unwrap_or(",
    ".unwrap_or_else(|_| ",
    ".unwrap_or_else(|| ",
    ".orElse(",
    ".getOrElse(",
    ".getOrElse { ",
    ".ifBlank { ",
    ".ifEmpty { ",
    "{ ",
];

/// The attributes of an element that hold its value.
const VALUES: &[&str] = &[" value=", " text=", " content=", " val=", " Value=", " Text="];

/// The length of the lines with host and login before the password in a credentials file.
const MOST_LOGIN_BYTES: usize = 200;

/// The words that may precede a name at the beginning of a line, in environments.
const INTRODUCTIONS: &[&str] = &[
    "",
    "export",
    "set",
    "set -gx",
    "set -x",
    "setx",
    "setenv",
    "SetEnv",
    "env",
    "ENV",
    "ARG",
    "declare -x",
    "requirepass",
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
    /// The border of a table's cell.
    Cell,
    /// `:-` in `${NAME:-value}`.
    Default,
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
        let is_bold = self.follows(b'*');
        if is_bold {
            at += run(text, at, 3, |byte| byte == b'*');
        }
        let behind_name = at;
        at = after_blanks(text, at);
        let has_blank = at > behind_name;
        if let Some(value) = self.fallback(behind_name, quote.is_some()) {
            return Some(value);
        }
        if has_blank && let Some(end) = self.after_qualification(at) {
            at = end;
        }
        if let Some(full) = text[at..].strip_prefix('：') {
            return Some((after_blanks(text, text.len() - full.len()), Operator::Colon));
        }
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
        if operator == Operator::Colon && is_bold {
            at = after_blanks(text, at + run(text, at, 3, |byte| byte == b'*'));
        }
        if operator == Operator::Colon {
            at = self.after_type(self.after_anchor(at));
        }
        Some((self.after_line_break(at, operator), operator))
    }

    /// Finds the value that is used if a variable of this name is not set: `"NAME") || "value"`, `${NAME:-value}`.
    fn fallback(&self, from: usize, is_quoted: bool) -> Option<(usize, Operator)> {
        let text = self.text;
        if self.follows(b'{') && !is_quoted {
            let operator = [":-", ":=", "-"].iter().find(|operator| text[from..].starts_with(**operator))?;
            return Some((from + operator.len(), Operator::Default));
        }
        let mut at = from;
        if is_quoted && text[at..].starts_with(')') {
            at += 1;
        }
        let blanks = after_blanks(text, at);
        let call = FALLBACK_CALLS.iter().find(|call| is_quoted && text[at..].starts_with(**call));
        let block = FALLBACK_CALLS.last().filter(|block| at > from && text[blanks..].starts_with(**block));
        let end = if let Some(call) = call {
            at + call.len()
        } else if let Some(block) = block {
            blanks + block.len()
        } else {
            blanks + FALLBACKS.iter().find(|operator| text[blanks..].starts_with(**operator))?.len()
        };
        let value = end + run(text, end, MOST_BETWEEN, |byte| byte.is_ascii_whitespace());
        Some((value, Operator::Call)).filter(|_| quotation(text, value).is_some())
    }

    /// Returns the position after a qualification in brackets, if an operator follows it.
    fn after_qualification(&self, at: usize) -> Option<usize> {
        let text = self.text;
        text[at..].strip_prefix('(')?;
        let length = run(text, at + 1, MOST_QUALIFICATION, |byte| is_word(byte) || matches!(byte, b' ' | b'-' | b'.'));
        let end = at + 1 + length;
        (text[end..].starts_with("):") || text[end..].starts_with(") =")).then(|| after_blanks(text, end + 1))
    }

    /// Returns whether the name is the content of a table's cell.
    fn is_cell(&self) -> bool {
        let from = self.text.floor_char_boundary(self.start.saturating_sub(MOST_NAME_BYTES));
        let line = self.text[from..self.start].rsplit('\n').next().unwrap_or_default();
        line.trim_end_matches(['*', '`', '"', ' ']).ends_with('|')
    }

    /// Finds an operator that does not directly follow the name: tags, attributes, parts of an entry, blanks.
    fn distant_value(&self, at: usize, is_quoted: bool, has_blank: bool) -> Option<(usize, Operator)> {
        let text = self.text;
        let next = text.as_bytes().get(at).copied();
        if next == Some(b'>') && (is_quoted || self.follows(b'<')) {
            return Some((at + 1, Operator::Tag));
        }
        if let Some(value) = self.attribute_of_element(at, has_blank) {
            return Some((value, Operator::Call));
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
            Some(b',') if is_quoted || self.follows(b'{') => {
                Some((self.default_argument(at).unwrap_or(after_blanks(text, at + 1)), Operator::Call))
            }
            Some(b'|') if self.is_cell() => {
                let cell = after_blanks(text, at + 1);
                Some((cell + run(text, cell, 2, |byte| byte == b'*'), Operator::Cell))
            }
            Some(b'"' | b'\'') if has_blank && !is_quoted => Some((at, Operator::Call)),
            // A blank after a variable is not an assignment.
            _ if !has_blank || is_quoted || text[self.start..self.end].contains('$') => None,
            _ if text[self.start..].starts_with('-') || self.is_of_login() => Some((at, Operator::Flag)),
            _ => {
                let rest = &text[at..];
                let verb = VERBS.iter().chain(ARROWS).find(|verb| rest.starts_with(**verb));
                if let Some(verb) = verb {
                    return Some((after_blanks(text, at + verb.len()), Operator::Verb));
                }
                // `the password of the staging server is …`, `password for staging: …`
                let length =
                    run(text, at, MOST_SUBJECT, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-'));
                if text[at + length..].starts_with(": ") {
                    return Some((after_blanks(text, at + length + 1), Operator::Verb));
                }
                if self.begins_line() && !text[at..at + length].contains(" is ") {
                    return Some((at, Operator::Word));
                }
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

    /// Returns the attribute with the value of an element whose tag is the name: `<password value="…"/>`.
    fn attribute_of_element(&self, at: usize, has_blank: bool) -> Option<usize> {
        if !has_blank || !self.follows(b'<') {
            return None;
        }
        let from = at - 1;
        let length = run(self.text, from, MOST_BETWEEN, |byte| !matches!(byte, b'<' | b'>' | b'\n'));
        let attributes = &self.text[from..from + floor(self.text, from, length)];
        VALUES.iter().find_map(|name| Some(from + attributes.find(name)? + name.len()))
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

    /// Returns the default among the further arguments of a call: `add_argument("--password", default="…")`.
    fn default_argument(&self, at: usize) -> Option<usize> {
        let length = run(self.text, at, MOST_BETWEEN, |byte| !matches!(byte, b')' | b'\n'));
        let arguments = &self.text[at..at + floor(self.text, at, length)];
        let name = [" default", " defaultValue", " default_value"]
            .iter()
            .find_map(|name| Some(at + arguments.find(&format!("{name}="))? + name.len()))?;
        Some(name + 1)
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

    /// Returns the position after the anchors and tags of a YAML value: `&name`, `!!str`.
    fn after_anchor(&self, mut at: usize) -> usize {
        for _ in 0..2 {
            let mark = run(self.text, at, 2, |byte| matches!(byte, b'&' | b'!'));
            let name = run(self.text, at + mark, MOST_NAME_BYTES, |byte| is_word(byte) || byte == b'-');
            let end = after_blanks(self.text, at + mark + name);
            if mark == 0 || name == 0 || end == at + mark + name {
                break;
            }
            at = end;
        }
        at
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
        let line = before.rsplit('\n').next().unwrap_or_default().trim();
        let words = line.trim_start_matches(is_bullet);
        // `1. ` and `a) ` begin an entry too.
        let numbered = words.split_once(['.', ')']).filter(|(number, _)| {
            (1..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        let words = numbered.map_or(words, |(_, rest)| rest.trim_start_matches(is_bullet));
        INTRODUCTIONS.contains(&words)
    }
}

/// Returns whether a character is a bullet, a mark of a comment or a quotation, or belongs to the box of a task.
fn is_bullet(c: char) -> bool {
    matches!(
        c,
        '-' | '#'
            | '/'
            | '*'
            | '>'
            | '|'
            | '$'
            | ';'
            | '+'
            | '?'
            | '•'
            | '–'
            | '·'
            | '['
            | ']'
            | 'x'
            | '_'
            | '`'
            | ' '
            | '\t'
    )
}
