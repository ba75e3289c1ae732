//! Cursors for pagination.
//!
//! A cursor is self-contained: the shim keeps no state between calls. It contains the index generation of the page, the
//! stages that took no part in the order, and a digest of the question, so that the cursor of another question is rejected.

use std::fmt;

use recall_core::{Ablation, ContentHash};

use crate::error::{Code, ToolError};

/// The start of the next page of an answer. Written `<position>.<within>.<generation>.<digest>` in hexadecimal, followed by
/// `.<stage>` for each stage that took no part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// The next hit or line.
    pub(crate) position: u32,
    /// How many bytes of it were already shown.
    pub(crate) within: u32,
    /// The generation of the previous page.
    pub(crate) generation: u64,
    /// The stages of a search that took no part. The next page must continue the order of the previous one, even if these
    /// stages have become available since.
    pub(crate) silent: Vec<Ablation>,
    digest: String,
}

impl Cursor {
    /// Creates the cursor of a question's next page.
    pub(crate) fn new(question: &str, position: u32, within: u32, generation: u64) -> Self {
        Self { position, within, generation, silent: Vec::new(), digest: digest(question) }
    }

    /// Adds the stages that took no part in the order of the hits.
    pub(crate) fn without(self, silent: Vec<Ablation>) -> Self {
        Self { silent, ..self }
    }

    /// Parses a cursor of the given question.
    ///
    /// # Errors
    /// The text is not a cursor, or it belongs to another question.
    pub(crate) fn read(text: &str, question: &str) -> Result<Self, ToolError> {
        let cursor = Self::parse(text).ok_or_else(|| {
            ToolError::new(Code::InvalidArgument, "`cursor` is not one that this tool returned")
                .with_hint("leave it out for the first page, or copy it unchanged from the end of an answer")
        })?;
        if cursor.digest != digest(question) {
            let error = ToolError::new(Code::InvalidArgument, "`cursor` belongs to a call with other arguments");
            return Err(error.with_hint("repeat the arguments of the first page unchanged, with `cursor` added"));
        }
        Ok(cursor)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('.');
        let mut part = || parts.next();
        let cursor = Self {
            position: u32::from_str_radix(part()?, 16).ok()?,
            within: u32::from_str_radix(part()?, 16).ok()?,
            generation: u64::from_str_radix(part()?, 16).ok()?,
            digest: part()?.to_owned(),
            silent: parts.map(Ablation::from_name).collect::<Option<_>>()?,
        };
        Some(cursor)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}.{:x}.{:x}.{}", self.position, self.within, self.generation, self.digest)?;
        self.silent.iter().try_for_each(|stage| write!(f, ".{stage}"))
    }
}

fn digest(question: &str) -> String {
    ContentHash::hash(question.as_bytes()).short()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_round_trips_through_text() {
        let cursor = Cursor::new("question", 20, 300, u64::MAX);
        assert_eq!(Cursor::read(&cursor.to_string(), "question").ok().as_ref(), Some(&cursor));
        let without = cursor.without(vec![Ablation::Semantic, Ablation::Structure]);
        assert_eq!(Cursor::read(&without.to_string(), "question").ok(), Some(without));
    }

    #[test]
    fn a_foreign_or_malformed_cursor_is_rejected() {
        let other = Cursor::new("another question", 1, 0, 1).to_string();
        let longer = format!("{}.0", Cursor::new("question", 1, 0, 1));
        for bad in ["", "abc", "1.2.3", "-1.0.0.0", "zz.0.0.0", other.as_str(), longer.as_str()] {
            let error = Cursor::read(bad, "question").expect_err(bad);
            assert_eq!(error.code, Code::InvalidArgument, "{bad}");
            assert!(error.hint.is_some(), "{bad}");
        }
    }
}
