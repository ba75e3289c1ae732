//! The rules of what is indexed in a root.

use recall_core::{DocPath, Limits};

/// What is indexed in a root, in addition to its ignore files.
///
/// Globs have the syntax of a `.gitignore` line: without a `/` a glob matches at any depth, with one it is anchored,
/// and a match of a directory applies to everything below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Only files that match one of these are indexed; if empty, all files. This only narrows: ignored files do not
    /// come back.
    pub include: Vec<String>,
    /// Files and directories that match one of these are not indexed.
    pub exclude: Vec<String>,
    /// The size of the largest file that is indexed, in bytes.
    pub file_bytes: u64,
    /// Paths that the user added explicitly. They are indexed even if `include`, `exclude` or an ignore file says
    /// otherwise.
    pub additions: Vec<Addition>,
    /// Files and directories that the user removed. They override everything else.
    pub removals: Vec<DocPath>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            include: Vec::new(),
            exclude: Vec::new(),
            file_bytes: Limits::default().file_bytes,
            additions: Vec::new(),
            removals: Vec::new(),
        }
    }
}

/// A path that the user added explicitly.
///
/// The path itself is always included, whatever rule excludes it. `ignore_rules` decides whether the rules apply below
/// it. Key files, binaries, files over the size limit and version control directories are still excluded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The file or directory; `None` for the root itself.
    pub path: Option<DocPath>,
    /// How far the addition extends below a directory.
    pub depth: Depth,
    /// Only files below a directory that match one of these are included; if empty, all files.
    pub globs: Vec<String>,
    /// Patterns of what is excluded below the path, for every rule and addition, as in an ignore file there.
    pub ignore: Vec<String>,
    /// Whether ignore files and the built-in list of directories apply below the path.
    pub ignore_rules: IgnoreRules,
}

/// How far an addition extends below its directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// All directories below it.
    #[default]
    Recursive,
    /// Only the files directly in the directory.
    Flat,
}

/// Whether ignore files and the built-in list of directories apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IgnoreRules {
    /// They apply.
    #[default]
    Honour,
    /// They do not apply.
    PassOver,
}
