//! The port for parsing source code outside of the process.

use recall_core::ParsedDocument;
use recall_text::Language;

use crate::ChunkLimits;

/// A parser of source code that may crash or hang without harm to the caller.
pub trait CodeParser: Send + Sync {
    /// Parses the text of a language that has a grammar. Returns what [`Chunker::parse_code`](crate::Chunker::parse_code)
    /// would return.
    ///
    /// # Errors
    /// The parser crashed or did not answer, or there is none.
    fn parse(&self, limits: &ChunkLimits, language: &Language, text: &str) -> Result<ParsedDocument, CodeParserError>;
}

/// A [`CodeParser`] returned no document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeParserError {
    /// The text crashed the parser, or it exceeded its time.
    #[error("{reason}")]
    Failed {
        /// What happened, for a person.
        reason: String,
    },
    /// No parser can be started.
    #[error("no parser can be started")]
    Unavailable,
}
