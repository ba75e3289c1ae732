//! What a text for people is made for: a terminal with its width, or a file.

use jiff::Timestamp;
use recall_api::v1;

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
