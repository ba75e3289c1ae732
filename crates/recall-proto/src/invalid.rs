//! What is wrong with a request?

use std::fmt;

use crate::{Failure, Reason};

/// A field of a request is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRequest {
    /// The field, as the message's definition names it.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// It is needed and empty or blank.
    Empty,
    /// The text is longer than the limit.
    TooLong {
        /// Its length.
        length_bytes: usize,
        /// The longest that is taken.
        limit_bytes: usize,
        /// The setting that holds the limit.
        setting: &'static str,
    },
    /// The number is above the limit.
    TooLarge {
        /// The number.
        value: u64,
        /// The largest that is taken.
        limit: u64,
        /// The setting that holds the limit; `None` for a limit of the protocol.
        setting: Option<&'static str>,
    },
    /// The number is 0 where at least 1 is needed.
    Zero,
    /// The number is negative, infinite or none at all.
    NotAWeight {
        /// The number, as text.
        value: String,
    },
    /// The value is none of those that are known.
    Unknown {
        /// The value.
        value: String,
        /// Those that are known.
        known: &'static str,
    },
    /// The text does not have the form that it needs.
    Malformed {
        /// The text.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// Two fields that exclude each other leave nothing over.
    Contradiction {
        /// The other field.
        other: &'static str,
    },
}

impl InvalidRequest {
    /// Says what is wrong with which field.
    pub fn new(field: &'static str, problem: Problem) -> Self {
        Self { field, problem }
    }

    /// The reason that a client is given.
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
            Problem::Zero => write!(f, "`{field}` is 0; it is at least 1"),
            Problem::NotAWeight { value } => write!(f, "`{field}` is {value}; it is a number and at least 0"),
            Problem::Unknown { value, known } => write!(f, "`{field}` is `{}`; known are {known}", cut(value)),
            Problem::Malformed { value, expected } => {
                write!(f, "`{field}` is `{}`; it should be {expected}", cut(value))
            }
            Problem::Contradiction { other } => write!(f, "`{field}` and `{other}` leave nothing over"),
        }
    }
}

/// The beginning of a value that somebody gave, enough to recognise it.
fn cut(value: &str) -> &str {
    /// A value that is longer is no typing mistake.
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
