//! Patterns of exact search: literals and regular expressions, the lines of a text that match them, and the signatures of texts
//! that cannot match.
//!
//! The syntax and the matches of an expression are those of the `regex` crate, line by line as in ripgrep: `^` and `$` are the
//! ends of a line, and no match contains a line break. A literal may have several lines.
//!
//! The module does not know where texts come from and does not order them.
//!
//! A trigram index, as in codesearch, finds which runs of bytes an expression needs; here the same analysis asks a Bloom filter of
//! each text (ADR 49). Begin with `pattern`.

mod needs;
mod pattern;

pub use pattern::{MOST_PATTERN_BYTES, MatchedLine, MatchedLines, Pattern, PatternError};
