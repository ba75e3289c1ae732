//! What is a text for, by the language that it is written in?

use crate::Language;

/// What a text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// Programs: what a language runs or compiles.
    Program,
    /// Data and configuration: JSON, YAML, TOML, XML.
    Data,
    /// What pages are made of: HTML, CSS.
    Markup,
    /// Prose for people: Markdown, reStructuredText, plain text.
    Prose,
    /// A text whose language is not known.
    Unknown,
}

impl Form {
    /// Every form, in a fixed order.
    pub const ALL: [Self; 5] = [Self::Program, Self::Data, Self::Markup, Self::Prose, Self::Unknown];

    /// What texts of a language are for.
    pub fn of(language: Option<&Language>) -> Self {
        match language.map(Language::as_str) {
            None => Self::Unknown,
            Some("json" | "jsonl" | "yaml" | "toml" | "xml" | "csv" | "config" | "gomod" | "diff") => Self::Data,
            Some("html" | "css" | "scss" | "sass" | "less" | "template") => Self::Markup,
            Some("markdown" | "rst" | "text" | "asciidoc" | "org" | "latex") => Self::Prose,
            Some(_) => Self::Program,
        }
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
            assert_eq!(Form::of(language.map(Language::known).as_ref()), expected, "{language:?}");
        }
    }
}
