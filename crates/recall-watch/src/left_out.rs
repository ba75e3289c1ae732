//! Paths that a rule leaves out, with the rule.

use std::fmt;

/// A file or directory that a rule leaves out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// The path below the root, without a `/` at the end.
    pub path: String,
    /// Whether it is a directory, with everything in it except what git tracks.
    pub is_directory: bool,
    /// The rule.
    pub rule: LeftOutRule,
}

/// A rule that leaves out paths. `Display` is a clause for people, to follow a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOutRule {
    /// A pattern of an ignore file.
    Pattern {
        /// The ignore file: its path below the root, or an absolute path if it is outside.
        file: String,
        /// The pattern as written.
        pattern: String,
    },
    /// The built-in list of directories that tools write, and that all hidden directories are on.
    BuiltIn,
    /// The setting `index.exclude`.
    Exclude,
    /// The setting `index.include`, which names other files.
    NotIncluded,
    /// A person removed it from the index.
    Removed,
    /// The options of an addition.
    Addition,
    /// It belongs to version control or to recall itself.
    Internal,
    /// It is in a linked work tree of the same repository.
    WorkTree,
}

impl fmt::Display for LeftOutRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pattern { file, pattern } => return write!(f, "ignored: `{pattern}` in `{file}`"),
            Self::BuiltIn => "in the built-in list of directories; git does not track it",
            Self::Exclude => "excluded by the setting `index.exclude`",
            Self::NotIncluded => "not among the files of the setting `index.include`",
            Self::Removed => "removed from the index",
            Self::Addition => "excluded by the options of `recall include`",
            Self::Internal => "part of version control or of recall",
            Self::WorkTree => "in a linked work tree of the same repository",
        })
    }
}
