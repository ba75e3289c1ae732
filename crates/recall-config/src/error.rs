//! What was wrong with a configuration?

use std::io;
use std::path::PathBuf;

use crate::Place;

/// The settings cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A configuration file exists but cannot be read.
    #[error("cannot read the configuration `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A configuration file is something else than a file: a folder, a pipe, or, in a project, a symlink.
    #[error("the configuration `{}` is not a regular file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// Nobody writes a configuration of that length.
    #[error("the configuration `{}` has more than {limit_bytes} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The longest that is read.
        limit_bytes: u64,
    },
    /// A configuration file is not TOML in UTF-8.
    #[error("{place}: {message}")]
    Syntax {
        /// Where.
        place: Place,
        /// What the parser says.
        message: String,
    },
    /// A value does not fit its setting.
    #[error("{place}: `{key}` is {found}; expected {expected}")]
    Value {
        /// Where it was set.
        place: Place,
        /// The setting.
        key: String,
        /// What would fit.
        expected: String,
        /// What stands there, in TOML.
        found: String,
    },
    /// A flag names a setting that does not exist.
    #[error("there is no setting `{key}`")]
    UnknownFlag {
        /// What was given.
        key: String,
    },
}

/// What was passed over in a configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// There is no setting of that name.
    #[error("{place}: there is no setting `{key}`")]
    UnknownKey {
        /// Where it was set.
        place: Place,
        /// What was given.
        key: String,
    },
    /// A project may not set it: it concerns the whole daemon, or what may be read.
    #[error("{place}: `{key}` has no effect in a project, only in the user's own configuration")]
    NotForProjects {
        /// Where it was set.
        place: Place,
        /// The setting.
        key: String,
    },
}

impl Warning {
    /// Where it was set.
    pub fn place(&self) -> &Place {
        match self {
            Self::UnknownKey { place, .. } | Self::NotForProjects { place, .. } => place,
        }
    }
}
