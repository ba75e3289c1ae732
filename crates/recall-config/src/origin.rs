//! Origins of settings: the layer that set a value, and the place in it.

use std::fmt;
use std::path::PathBuf;

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
