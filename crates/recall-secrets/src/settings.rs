//! What may be set about masking.

use thiserror::Error;

/// What is masked, and what is not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Ids of rules that are off. None by default.
    pub without: Vec<String>,
    /// Values that are no secrets, however they look: of a test server, of a documented example. Compared as a whole.
    pub allowed: Vec<String>,
}

/// Why settings cannot be followed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// A rule that is to be off does not exist, so that what it was meant to leave would be masked.
    #[error("there is no rule for secrets called \"{id}\"")]
    UnknownRule {
        /// The id that was given.
        id: String,
    },
}
