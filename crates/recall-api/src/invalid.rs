//! Validation errors of requests.

use std::fmt;

use crate::{Failure, Reason};

/// A field of a request is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRequest {
    /// The field's name in the message definition.
    pub field: &'static str,
    /// What is wrong with its value.
    pub problem: Problem,
}

/// The problem of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The field is required, and empty or blank.
    Empty,
    /// The text is longer than the limit.
    TooLong {
        /// The length of the text.
        length_bytes: usize,
        /// The most that is accepted, in bytes.
        limit_bytes: usize,
        /// The setting of the limit.
        setting: &'static str,
    },
    /// The number is above the limit.
    TooLarge {
        /// The number as given.
        value: u64,
        /// The greatest that is accepted.
        limit: u64,
        /// The setting of the limit; `None` if the protocol fixes it.
        setting: Option<&'static str>,
    },
    /// The number is 0, but must be at least 1.
    Zero,
    /// The number is negative, infinite or NaN.
    NotAWeight {
        /// The number, as text.
        value: String,
    },
    /// The value is not a known name.
    Unknown {
        /// The value as given.
        value: String,
        /// The known names, separated by commas.
        known: &'static str,
    },
    /// The text does not have the required form.
    Malformed {
        /// The text as given.
        value: String,
        /// The required form, in words.
        expected: &'static str,
    },
    /// The field conflicts with another one.
    Contradiction {
        /// The other field's name in the message definition.
        other: &'static str,
    },
}

impl InvalidRequest {
    /// Creates an error about a field.
    pub fn new(field: &'static str, problem: Problem) -> Self {
        Self { field, problem }
    }

    /// Returns the reason for the client.
    pub fn reason(&self) -> Reason {
        match &self.problem {
            Problem::TooLong { .. } | Problem::TooLarge { .. } => Reason::LimitExceeded,
            Problem::Unknown { .. } if self.field == "scope" => Reason::InvalidScope,
            Problem::Empty
            | Problem::Zero
            | Problem::NotAWeight { .. }
            | Problem::Unknown { .. }
            | Problem::Malformed { .. }
            | Problem::Contradiction { .. } => Reason::InvalidArgument,
        }
    }
}

impl std::error::Error for InvalidRequest {}

impl fmt::Display for InvalidRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = self.field;
        match &self.problem {
            Problem::Empty => write!(f, "`{field}` is empty"),
            Problem::TooLong { length_bytes, limit_bytes, setting } => {
                write!(f, "`{field}` has {length_bytes} bytes; the limit is {limit_bytes} (setting `{setting}`)")
            }
            Problem::TooLarge { value, limit, setting: Some(setting) } => {
                write!(f, "`{field}` is {value}; the limit is {limit} (setting `{setting}`)")
            }
            Problem::TooLarge { value, limit, setting: None } => {
                write!(f, "`{field}` is {value}; the limit is {limit}")
            }
            Problem::Zero => write!(f, "`{field}` is 0; it must be at least 1"),
            Problem::NotAWeight { value } => write!(f, "`{field}` is {value}; expected a number of at least 0"),
            Problem::Unknown { value, known } => write!(f, "`{field}` is `{}`; expected one of {known}", cut(value)),
            Problem::Malformed { value, expected } => {
                write!(f, "`{field}` is `{}`; expected {expected}", cut(value))
            }
            Problem::Contradiction { other } => write!(f, "`{field}` contradicts `{other}`"),
        }
    }
}

/// Truncates a value for a message.
fn cut(value: &str) -> &str {
    /// A longer value is not a typing mistake.
    const SHOWN_BYTES: usize = 80;
    &value[..value.floor_char_boundary(SHOWN_BYTES)]
}

impl From<InvalidRequest> for Failure {
    fn from(invalid: InvalidRequest) -> Self {
        let failure = Self::new(invalid.reason(), invalid.to_string()).with_detail("field", invalid.field);
        match invalid.problem {
            Problem::TooLong { limit_bytes, setting, .. } => {
                failure.with_detail("limit", limit_bytes.to_string()).with_detail("setting", setting)
            }
            Problem::TooLarge { limit, setting, .. } => {
                let failure = failure.with_detail("limit", limit.to_string());
                match setting {
                    Some(setting) => failure.with_detail("setting", setting),
                    None => failure,
                }
            }
            Problem::Empty
            | Problem::Zero
            | Problem::NotAWeight { .. }
            | Problem::Unknown { .. }
            | Problem::Malformed { .. }
            | Problem::Contradiction { .. } => failure,
        }
    }
}
