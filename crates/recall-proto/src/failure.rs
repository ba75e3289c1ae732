//! What does a client learn about a request that was not answered?

use std::collections::BTreeMap;

use crate::Reason;

/// Why a request was not answered, as it crosses the socket: for a program the reason and details, for a person the
/// message and the hint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The stable reason.
    pub reason: Reason,
    /// What failed, on what, and why: one sentence, lower case, without a full stop.
    pub message: String,
    /// What can be done about it, ready to paste.
    pub hint: Option<String>,
    /// What else names the cause, by name: `field`, `path`, `limit`, `setting`. The name `hint` is taken.
    pub details: BTreeMap<String, String>,
}

impl Failure {
    /// A failure without hint and details.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), hint: None, details: BTreeMap::new() }
    }

    /// The same with a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with one more detail.
    #[must_use]
    pub fn with_detail(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.details.insert(name.into(), value.into());
        self
    }
}
