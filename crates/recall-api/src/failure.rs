//! Errors as they cross the socket.

use std::collections::BTreeMap;

use crate::Reason;

/// An error as it crosses the socket: the reason and details for programs, the message and the hint for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The reason, by which programs decide what to do.
    pub reason: Reason,
    /// What failed, on what, and why: one sentence, lower case, without a full stop.
    pub message: String,
    /// The remedy for this error, ready to paste; `None` if [`hint`](crate::hint) has one for the reason, or there is none.
    pub hint: Option<String>,
    /// Further facts by name: `field`, `path`, `limit`, `setting`. The name `hint` is reserved.
    pub details: BTreeMap<String, String>,
}

impl Failure {
    /// Creates a failure without a hint and details.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), hint: None, details: BTreeMap::new() }
    }

    /// Sets the remedy, which then takes precedence over that of the reason.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a fact by name, or replaces the one with that name.
    #[must_use]
    pub fn with_detail(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.details.insert(name.into(), value.into());
        self
    }
}
