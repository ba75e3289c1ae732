//! Reasons why a text is not a pattern.

/// A text that cannot be searched for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// There is nothing to search for.
    #[error("the text to search for is empty")]
    Empty,
    /// The text is longer than a pattern may be.
    #[error("a pattern has at most {limit} bytes, and this one has {bytes}")]
    TooLong {
        /// Its length.
        bytes: usize,
        /// The greatest length.
        limit: usize,
    },
    /// The expression has an error in its syntax.
    #[error("the regular expression is invalid at character {column}: {reason}")]
    Syntax {
        /// The reason.
        reason: String,
        /// The place of the error, counted from 1.
        column: usize,
    },
    /// The expression asks for a line break.
    #[error("the regular expression asks for a line break, but a match is within one line")]
    LineBreak,
    /// The expression matches everywhere.
    #[error("the regular expression matches the empty text, which is everywhere")]
    MatchesEmpty,
    /// The expression is too large when it is compiled.
    #[error("the regular expression takes more than {limit} bytes when it is compiled")]
    TooLarge {
        /// The greatest size.
        limit: usize,
    },
}
