//! Errors of statements (where, what was expected, and a valid example), and the limits of a statement, with their
//! reasons.

use std::fmt;
use std::ops::Range;

use crate::DocumentType;
use crate::rql::ast::{Object, Operator};
use crate::rql::field::Field;

/// A text is not a valid statement or filter.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {problem}; expected {expected}; for example: {example}")]
pub struct RqlError {
    /// The place of the problem.
    pub at: Location,
    /// What is wrong there.
    #[source]
    pub problem: Problem,
    /// What would be valid there, in words.
    pub expected: String,
    /// A valid text: the given one, corrected, if that is possible and short.
    pub example: String,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The range in bytes from the start of the text.
    pub bytes: Range<usize>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl Location {
    /// Returns the location of bytes in a text.
    pub(crate) fn locate(text: &str, bytes: Range<usize>) -> Self {
        let before = &text[..bytes.start.min(text.len())];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self { line: 1 + before.matches('\n').count(), column: 1 + before[line_start..].chars().count(), bytes }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A problem of a statement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The text exceeds its limit.
    #[error("the text has {bytes} bytes, more than {}", MOST_BYTES)]
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// Parentheses are nested too deeply.
    #[error("parentheses are nested more than {} levels deep", MOST_DEPTH)]
    TooDeep,
    /// The filter has too many values.
    #[error("the filter has more than {} values", MOST_TERMS)]
    TooManyTerms,
    /// The filter has too many comparisons.
    #[error("the filter has {found} comparisons, more than {}", MOST_COMPARISONS)]
    TooManyComparisons {
        /// Their number, after equalities of one field are combined.
        found: usize,
    },
    /// A character that no statement has outside of quotes.
    #[error("unexpected character `{found}`")]
    Character {
        /// The character, which may be of any script.
        found: char,
    },
    /// A text in quotes has no end.
    #[error("the text in quotes does not end")]
    OpenText,
    /// Something else was expected.
    #[error("unexpected {found}")]
    Unexpected {
        /// What was found: `` `FROM` ``, `the end`.
        found: String,
    },
    /// The field does not exist.
    #[error("unknown field `{name}`{}", near.map(|near| format!(", the nearest is `{near}`")).unwrap_or_default())]
    UnknownField {
        /// The name as written.
        name: String,
        /// The field with the most similar name; `None` if no name is similar.
        near: Option<Field>,
    },
    /// The field is not one of the selected rows.
    #[error("`{field}` is not a field of a row `FROM {from}`")]
    ForeignField {
        /// The field, which another object has.
        field: Field,
        /// What the statement selects.
        from: Object,
    },
    /// The operator does not fit the field.
    #[error("`{}` does not compare `{field}`", operator.as_str())]
    WrongOperator {
        /// The field that is compared.
        field: Field,
        /// An operator that its type does not have.
        operator: Operator,
    },
    /// The value does not fit the field.
    #[error("`{field}` cannot be compared with {found}")]
    WrongValue {
        /// The field that is compared.
        field: Field,
        /// The value as written.
        found: String,
    },
    /// The value names documents that no index has, so that "no rows" would say nothing about them.
    #[error("documents of the type `{found}` are not indexed")]
    NotIndexed {
        /// The type of the documents.
        found: String,
    },
    /// Rows have no order by the field.
    #[error("rows cannot be ordered by `{field}`")]
    NoOrder {
        /// A field that is a set or a text of many lines.
        field: Field,
    },
    /// The score is used without `USING`.
    #[error("`score` needs `USING`")]
    NoScore,
    /// A retriever is named twice.
    #[error("`{name}` is given twice")]
    Twice {
        /// The name of the retriever, as statements write it.
        name: &'static str,
    },
    /// The text of a retriever is blank or too long.
    #[error("the query in `USING` is {}", if *bytes == 0 { "blank".to_owned() } else { format!("{bytes} bytes long") })]
    Query {
        /// Its length without surrounding white space.
        bytes: usize,
    },
    /// A number is out of its bounds.
    #[error("`{found}` is out of bounds")]
    OutOfBounds {
        /// The number as written.
        found: String,
    },
}

/// A problem with what its report needs, before the text is at hand.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) bytes: Range<usize>,
    pub(crate) problem: Problem,
    pub(crate) expected: String,
    /// What the bytes would be in a valid text.
    pub(crate) replacement: Option<String>,
    /// A valid text without regard to the given one.
    pub(crate) example: String,
}

/// The longest text that an error repeats with its correction.
const MOST_REPEATED_BYTES: usize = 400;

impl Fault {
    pub(crate) fn new(
        bytes: Range<usize>,
        problem: Problem,
        expected: impl Into<String>,
        example: impl Into<String>,
    ) -> Self {
        Self { bytes, problem, expected: expected.into(), replacement: None, example: example.into() }
    }

    /// Returns the fault of the type `transcript`: only commands that ask for transcripts read them.
    pub(crate) fn not_indexed(bytes: Range<usize>, example: String) -> Self {
        let problem = Problem::NotIndexed { found: DocumentType::Transcript.to_string() };
        Self::new(bytes, problem, "the type of an indexed document; `recall session search` reads transcripts", example)
    }

    pub(crate) fn replaced_by(self, replacement: impl Into<String>) -> Self {
        Self { replacement: Some(replacement.into()), ..self }
    }

    /// Makes the error. `is_valid` tells whether a text is valid.
    pub(crate) fn report(self, text: &str, is_valid: impl Fn(&str) -> bool) -> RqlError {
        let Self { bytes, problem, expected, replacement, example } = self;
        let corrected = replacement
            .filter(|_| text.len() <= MOST_REPEATED_BYTES)
            .map(|replacement| format!("{}{replacement}{}", &text[..bytes.start], &text[bytes.end..]));
        let example = corrected.filter(|corrected| is_valid(corrected)).unwrap_or(example);
        RqlError { at: Location::locate(text, bytes), problem, expected, example }
    }
}

/// The longest text of a statement or a filter. The longest list of paths fits; a message may be larger.
pub const MOST_BYTES: usize = 1024 * 1024;

/// The deepest nesting of parentheses. Parsing, printing and evaluation recurse once a level.
pub const MOST_DEPTH: usize = 64;

/// The most values that a filter compares with: a list of ids that a script collected. Reading and binding so many takes 30 to 50
/// ms on a busy machine.
pub const MOST_TERMS: usize = 5000;

/// The most comparisons of a filter, after equalities of one field are combined. Each may be evaluated for each row, so a filter
/// of this size takes about 5 µs a row.
pub const MOST_COMPARISONS: usize = 256;

/// The longest text in `USING`, as in a search.
pub const MOST_QUERY_BYTES: usize = 10 * 1024;

/// The number of rows without `LIMIT`. All of them with their texts are about 200 KB.
pub const DEFAULT_ROWS: u32 = 100;

/// The greatest `LIMIT`. The texts of so many chunks are about 2 MB.
pub const MOST_ROWS: u32 = 1000;

/// The greatest `OFFSET`. Each page reads the rows before it again; a condition on the last path reads further.
pub const MOST_OFFSET: u32 = 100_000;
