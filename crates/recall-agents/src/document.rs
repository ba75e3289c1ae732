//! Edits of one entry in a document of another program; everything else stays, down to comments and white space.
//!
//! Each edit is checked before it is returned: the new text must mean what the old one means, except for the entry.

pub(crate) mod json;
mod toml;
mod yaml;

use serde_json::{Map, Value};

use super::error::not_an_object;

pub use super::error::DocumentError;

/// What some editors of Windows write before the text. The parsers do not know it.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns a text in JSON in which a member of an object has a value; everything else stays, down to white space.
///
/// The object is an entry of the list with the name `list`, by its place; `None` if the document is the list.
///
/// # Errors
/// The text is not JSON, the entry is not an object, or no edit changes the member only: a name occurs twice.
pub fn set_json_member(
    text: &str,
    list: Option<&str>,
    place: usize,
    name: &str,
    value: &Value,
) -> Result<String, DocumentError> {
    let read = |text: &str| {
        let syntax = |error: serde_json::Error| DocumentError::Syntax { format: "JSON", message: error.to_string() };
        serde_json::from_str::<Value>(text).map_err(syntax)
    };
    let edited = json::with_member(text, list, place, name, value)?;
    let mut expected = read(text)?;
    let entries = match list {
        Some(list) => &mut expected[list],
        None => &mut expected,
    };
    entries[place][name] = value.clone();
    if read(&edited).ok().as_ref() == Some(&expected) { Ok(edited) } else { Err(DocumentError::Unclear) }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON; comments and commas before a closing bracket are accepted and kept.
    Json,
    Toml,
    Yaml,
}

/// What happens to the object that holds the entries if its last one is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmptySection {
    /// It stays.
    Keep,
    /// It is removed too.
    Remove,
}

impl Format {
    /// Returns the meaning of a text; an empty text is an empty object.
    pub(crate) fn value(self, text: &str) -> Result<Value, DocumentError> {
        let (_, text) = split_mark(text);
        let value = match self {
            Self::Json => json::value(text)?,
            Self::Toml => toml::value(text)?,
            Self::Yaml => yaml::value(text)?,
        };
        match value {
            Value::Null => Ok(Value::Object(Map::new())),
            Value::Object(_) => Ok(value),
            _ => Err(DocumentError::NotAnObject { what: "the document".to_owned() }),
        }
    }

    /// Returns the entry `name` of the object `section`.
    pub(crate) fn entry(self, text: &str, section: &str, name: &str) -> Result<Option<Value>, DocumentError> {
        let value = self.value(text)?;
        Ok(value.get(section).and_then(|section| section.get(name)).cloned())
    }

    /// Returns the text with an entry that it does not have yet.
    pub(crate) fn with(self, text: &str, section: &str, name: &str, entry: &Value) -> Result<String, DocumentError> {
        let mut expected = self.value(text)?;
        let object = expected.as_object_mut().expect("`value` returns objects");
        let place = object.entry(section).or_insert_with(|| Value::Object(Map::new()));
        if place.is_null() && self == Self::Yaml {
            *place = Value::Object(Map::new());
        }
        let Value::Object(entries) = place else { return Err(not_an_object(section)) };
        entries.insert(name.to_owned(), entry.clone());
        let (mark, text) = split_mark(text);
        let edited = match self {
            Self::Json => vec![json::with(text, section, name, entry)?],
            Self::Toml => toml::with(text, section, name, entry),
            Self::Yaml => vec![yaml::with(text, section, name, entry)?],
        };
        self.check_edit(mark, edited, &expected)
    }

    /// Returns the text without an entry.
    pub(crate) fn without(
        self,
        text: &str,
        section: &str,
        name: &str,
        empty: EmptySection,
    ) -> Result<String, DocumentError> {
        let mut expected = self.value(text)?;
        let object = expected.as_object_mut().expect("`value` returns objects");
        let Some(Value::Object(entries)) = object.get_mut(section) else { return Ok(text.to_owned()) };
        if entries.shift_remove(name).is_none() {
            return Ok(text.to_owned());
        }
        let drops_section = entries.is_empty() && empty == EmptySection::Remove;
        if drops_section {
            object.shift_remove(section);
        }
        let (mark, text) = split_mark(text);
        let edited = match self {
            Self::Json => vec![json::without(text, section, name, drops_section)?],
            Self::Toml => toml::without(text, section, name, drops_section),
            Self::Yaml => vec![yaml::without(text, section, name, drops_section)?],
        };
        self.check_edit(mark, edited, &expected)
    }

    /// Returns the first text that means what is expected.
    fn check_edit(self, mark: &str, edited: Vec<String>, expected: &Value) -> Result<String, DocumentError> {
        let mut edited = edited.into_iter().map(|text| format!("{mark}{text}"));
        edited.find(|text| self.value(text).as_ref() == Ok(expected)).ok_or(DocumentError::Unclear)
    }
}

/// Splits a text into its byte order mark, if it has one, and the rest.
pub(crate) fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 })
}

#[cfg(test)]
mod tests;
