//! The form of a text: program, data, markup or prose.

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
}
