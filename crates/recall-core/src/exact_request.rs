//! Requests for every place of a literal or of a regular expression.

use crate::{Filters, OtherProjects, Scope};

/// A request for all lines of the indexed texts that match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactRequest {
    /// The literal or the regular expression.
    pub needle: Needle,
    /// Whether the case of letters counts.
    pub case: Case,
    /// Which stores are searched.
    pub scope: Scope,
    /// Which documents are searched.
    pub filters: Filters,
    /// The maximum number of lines, at least 1.
    pub limit: u32,
    /// The number of lines to skip.
    pub offset: u32,
    /// The projects that are searched besides the client's.
    pub others: OtherProjects,
}

/// What to find in texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needle {
    /// A text that occurs as it is.
    Literal(String),
    /// A regular expression that matches within a line.
    Regex(String),
}

impl Needle {
    /// Returns the text as it was entered.
    pub fn text(&self) -> &str {
        match self {
            Self::Literal(text) | Self::Regex(text) => text,
        }
    }

    /// Returns the name of its kind, as interfaces write it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Literal(_) => "exact",
            Self::Regex(_) => "regex",
        }
    }
}

/// Whether the case of letters counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// `a` does not match `A`.
    #[default]
    Sensitive,
    /// `a` matches `A`, by the simple case folding of Unicode.
    Insensitive,
}
