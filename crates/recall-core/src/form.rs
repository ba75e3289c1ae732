//! The form of a text: program, data, markup or prose.

use crate::{Language, language};

/// The form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// Programs: text that is compiled or run.
    Program,
    /// Data and configuration: JSON, YAML, TOML, XML.
    Data,
    /// Page markup: HTML, CSS.
    Markup,
    /// Prose for people: Markdown, reStructuredText, plain text.
    Prose,
    /// A text whose language is not known.
    Unknown,
}

impl Form {
    /// All forms, in a fixed order.
    pub const ALL: [Self; 5] = [Self::Program, Self::Data, Self::Markup, Self::Prose, Self::Unknown];

    /// Returns the form of texts in a language.
    pub fn for_language(language: Option<&Language>) -> Self {
        language.map_or(Self::Unknown, language::form_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_follows_from_the_language() {
        for (language, expected) in [
            (Some("rust"), Form::Program),
            (Some("json"), Form::Data),
            (Some("css"), Form::Markup),
            (Some("markdown"), Form::Prose),
            (None, Form::Unknown),
        ] {
            assert_eq!(Form::for_language(language.map(Language::from_static).as_ref()), expected, "{language:?}");
        }
    }
}
