//! Errors and warnings of loading the configuration, and the origins of settings: the layer that set a value, and the place in
//! it.

use std::path::PathBuf;
use std::{fmt, io};

/// A layer of the configuration. A later one takes precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    /// The built-in defaults.
    Default,
    /// The user's file.
    User,
    /// The project's file.
    Project,
    /// Variables `RECALL_<SECTION>__<KEY>` of the process.
    Environment,
    /// Flags of the command line, for one process.
    Flag,
}

impl Layer {
    /// Returns the layer's name in interfaces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::User => "user",
            Self::Project => "project",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

/// Where a value was set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// In a configuration file.
    File {
        /// The path of the file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
    },
    /// In an environment variable.
    Variable {
        /// The variable's name.
        name: String,
    },
    /// In a command line flag.
    Flag,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Variable { name } => f.write_str(name),
            Self::Flag => f.write_str("command line"),
        }
    }
}

/// The origin of a setting's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The highest layer that sets the value.
    pub layer: Layer,
    /// Where the layer set it; `None` for the built-in default.
    pub place: Option<Place>,
}

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
