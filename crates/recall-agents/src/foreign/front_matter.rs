//! The front matter of Markdown notes.

use serde_json::{Map, Value};

/// The most bytes of front matter that are parsed. More is text.
const MOST_BYTES: usize = 64 * 1024;

/// A Markdown note: the fields of its front matter and its text.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Note<'t> {
    fields: Map<String, Value>,
    pub(crate) text: &'t str,
}

impl<'t> Note<'t> {
    /// Splits a note. Front matter that is not a YAML mapping counts as text.
    pub(crate) fn split(text: &'t str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        let whole = Self { fields: Map::new(), text };
        let Some(rest) = text.strip_prefix("---").map(|rest| rest.trim_start_matches([' ', '\t'])) else {
            return whole;
        };
        let Some(rest) = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n')) else { return whole };
        let mut at = 0;
        for line in rest.split_inclusive('\n') {
            if at > MOST_BYTES {
                break;
            }
            if line.trim_end() == "---" {
                // Without it, `y` and `no` are not texts.
                let options = serde_saphyr::options! { strict_booleans: true };
                let fields = serde_saphyr::from_str_with_options(&rest[..at], options);
                return match fields {
                    Ok(Value::Object(fields)) => Self { fields, text: &rest[at + line.len()..] },
                    Ok(_) | Err(_) => whole,
                };
            }
            at += line.len();
        }
        whole
    }

    /// Returns a field's value.
    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    /// Returns a field that is a text, a number or a boolean, as a text that is not blank.
    pub(crate) fn text_of(&self, name: &str) -> Option<String> {
        plain(self.field(name)?)
    }

    /// Returns the entries of a list, or of a text that is separated by commas.
    pub(crate) fn list_of(&self, name: &str) -> Vec<String> {
        match self.field(name) {
            Some(Value::Array(values)) => values.iter().filter_map(plain).collect(),
            Some(Value::String(text)) => {
                text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn plain(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_text_are_split() {
        let note = Note::split("---\r\ntitle: \"A: b\"\ntags: [x, y]\nn: 3\n---\n# H\n\ntext\n");
        assert_eq!(note.text_of("title").as_deref(), Some("A: b"));
        assert_eq!(note.list_of("tags"), ["x", "y"]);
        assert_eq!(note.text_of("n").as_deref(), Some("3"));
        assert_eq!(note.text, "# H\n\ntext\n");
        assert_eq!(Note::split("---\ntags: a, b\n---\n").list_of("tags"), ["a", "b"]);
    }

    #[test]
    fn what_is_not_front_matter_is_text() {
        let bomb = "---\na: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n---\nx";
        for text in ["", "---", "---\nno end", "---\n- a list\n---\nx", "---\na: [\n---\nx", "--- x\n", bomb] {
            assert_eq!(Note::split(text).text, text);
        }
    }
}
