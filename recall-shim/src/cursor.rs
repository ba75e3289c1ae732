//! Where does the next page begin?
//!
//! A cursor carries all that is needed: nothing is remembered between calls. It holds the generation that the page was
//! made of, what had no say in its order, and a digest of the question, so that another question's cursor is refused.

use std::fmt;

use recall_core::{Ablation, ContentHash};

use crate::error::{Code, ToolError};

/// Where the next page of an answer begins. Written `<position>.<within>.<generation>.<digest>` in hexadecimal,
/// with `.<stage>` behind it for each stage that had no say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    /// Which hit or line comes next.
    pub(crate) position: u32,
    /// How many bytes of it were shown.
    pub(crate) within: u32,
    /// The generation of the page before.
    pub(crate) generation: u64,
    /// The stages of a search that had no say: the page that follows is to continue the order of the page before, also when
    /// what they need has come meanwhile.
    pub(crate) silent: Vec<Ablation>,
    digest: String,
}

impl Cursor {
    /// The cursor of a question's next page.
    pub(crate) fn new(question: &str, position: u32, within: u32, generation: u64) -> Self {
        Self { position, within, generation, silent: Vec::new(), digest: digest(question) }
    }

    /// The same of hits in whose order these stages had no say.
    pub(crate) fn without(self, silent: Vec<Ablation>) -> Self {
        Self { silent, ..self }
    }

    /// Reads a cursor of that question.
    ///
    /// # Errors
    /// It is not a cursor, or one of another question.
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
    ContentHash::of(question.as_bytes()).short()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_went() {
        let cursor = Cursor::new("question", 20, 300, u64::MAX);
        assert_eq!(Cursor::read(&cursor.to_string(), "question").ok().as_ref(), Some(&cursor));
        let without = cursor.without(vec![Ablation::Semantic, Ablation::Structure]);
        assert_eq!(Cursor::read(&without.to_string(), "question").ok(), Some(without));
    }

    #[test]
    fn what_is_no_cursor_of_this_question_is_refused() {
        let other = Cursor::new("another question", 1, 0, 1).to_string();
        let longer = format!("{}.0", Cursor::new("question", 1, 0, 1));
        for bad in ["", "abc", "1.2.3", "-1.0.0.0", "zz.0.0.0", other.as_str(), longer.as_str()] {
            let error = Cursor::read(bad, "question").expect_err(bad);
            assert_eq!(error.code, Code::InvalidArgument, "{bad}");
            assert!(error.hint.is_some(), "{bad}");
        }
    }
}
