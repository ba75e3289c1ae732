//! Settings of masking.

use thiserror::Error;

/// Which rules are off, and which values are allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The ids of rules that are off. Empty by default.
    pub without: Vec<String>,
    /// Values that are never secrets, whatever they look like: credentials of a test server, documented examples. A
    /// secret is compared as a whole.
    pub allowed: Vec<String>,
}

/// The settings are invalid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// A rule that is to be off does not exist, probably because of a typing error.
    #[error("unknown secret rule `{id}`")]
    UnknownRule {
        /// The id in the settings.
        id: String,
    },
}
