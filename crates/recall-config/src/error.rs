//! Errors and warnings of loading the configuration.

use std::io;
use std::path::PathBuf;

use crate::Place;

/// The settings could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A configuration file exists but cannot be read.
    #[error("cannot read the configuration `{}`", path.display())]
    Read {
        /// The path of the configuration file.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// A configuration file is not a regular file: it is a folder, a pipe, or, in a project, a symlink.
    #[error("the configuration `{}` is not a regular file", path.display())]
    NotAFile {
        /// The path at which a configuration file should be.
        path: PathBuf,
    },
    /// A configuration file is too large to be one.
    #[error("the configuration `{}` has more than {limit_bytes} bytes", path.display())]
    TooLarge {
        /// The path of the configuration file.
        path: PathBuf,
        /// The limit in bytes.
        limit_bytes: u64,
    },
    /// A configuration file is not UTF-8 or not TOML.
    #[error("{place}: {message}")]
    Syntax {
        /// The position of the error.
        place: Place,
        /// The parser's message.
        message: String,
    },
    /// A setting has an invalid value.
    #[error("{place}: `{key}` is {found}; expected {expected}")]
    Value {
        /// Where the value was set.
        place: Place,
        /// The dotted name of the setting.
        key: String,
        /// A description of valid values.
        expected: String,
        /// The value, in TOML.
        found: String,
    },
    /// A flag names an unknown setting.
    #[error("unknown setting `{key}`{}", likely(*nearest))]
    UnknownFlag {
        /// The name as given.
        key: String,
        /// The known name that is nearest.
        nearest: Option<&'static str>,
    },
}

/// A part of the configuration that was ignored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    /// The setting is unknown.
    #[error("{place}: unknown setting `{key}`{}", likely(*nearest))]
    UnknownKey {
        /// Where it was set.
        place: Place,
        /// The name as given.
        key: String,
        /// The known name that is nearest.
        nearest: Option<&'static str>,
    },
    /// A project's file may not set this, because it concerns the whole daemon or what may be read.
    #[error("{place}: `{key}` has no effect in a project, only in the user's own configuration")]
    NotForProjects {
        /// Where it was set.
        place: Place,
        /// The dotted name of the setting.
        key: String,
    },
}

/// Returns the question whether the nearest name was meant.
pub(crate) fn likely(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

impl Warning {
    /// Returns where the ignored value was set.
    pub fn place(&self) -> &Place {
        match self {
            Self::UnknownKey { place, .. } | Self::NotForProjects { place, .. } => place,
        }
    }
}
