//! The format and the colours of output, and what a text for people is made for: a terminal with its width, or a file.

use anstream::ColorChoice;
use clap::ValueEnum;
use jiff::Timestamp;
use recall_api::v1;

/// The format of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Human,
    /// For programs: one JSON object, or one per line.
    Json,
}

/// Whether output is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

/// The terminal that shows a text, or the file that keeps it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Screen {
    /// The width of the terminal in columns; `None` for a pipe or a file, where nothing is cut.
    pub(crate) width: Option<usize>,
    /// The present, to which times are relative; `None` for a pipe or a file, which is read later.
    pub(crate) now: Option<Timestamp>,
    /// Whether code is highlighted. False where colours are off, since the work would be lost.
    pub(crate) highlights_code: bool,
}

impl Screen {
    /// Returns the language in which a document's text is highlighted; `None` for plain text.
    pub(crate) fn language(self, doc: &v1::Document) -> Option<&str> {
        Some(doc.language.as_str()).filter(|language| self.highlights_code && !language.is_empty())
    }
}
