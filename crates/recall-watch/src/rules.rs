//! What of a root is indexed?

use recall_core::{DocPath, Limits};

/// What of a root is indexed, beside what its ignore files say.
///
/// Every glob is written as a line of a `.gitignore`: without a `/` it matches at any depth, with one it is anchored, and
/// what it says of a directory holds for everything below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Only files that match one of these are indexed. Empty: all. Narrows only: nothing ignored comes back through it.
    pub include: Vec<String>,
    /// Files and directories that match are not indexed.
    pub exclude: Vec<String>,
    /// The largest file that is indexed.
    pub file_bytes: u64,
    /// Paths that somebody added explicitly. They are indexed even where `include`, `exclude` or an ignore file says
    /// otherwise.
    pub additions: Vec<Addition>,
    /// Files and directories that somebody removed. They win over everything else.
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

/// A path that somebody added explicitly.
///
/// The path itself is always reached, whatever rule speaks against it; `ignore_rules` says whether the rules hold for
/// what lies below it. Key files, binaries, files over the limit and version control stay out all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The file or directory; `None` is the root itself.
    pub path: Option<DocPath>,
    /// How far below a directory.
    pub depth: Depth,
    /// Which files below a directory: those that match one of these. Empty: all.
    pub globs: Vec<String>,
    /// What is left out below the path, whoever finds it: patterns as in an ignore file that lies there.
    pub ignore: Vec<String>,
    /// Whether ignore files and the built-in list of directories hold below the path.
    pub ignore_rules: IgnoreRules,
}

/// How far an addition reaches below its directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// All directories below.
    #[default]
    Recursive,
    /// The files of the directory itself.
    Flat,
}

/// Whether ignore files and the built-in list of directories hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IgnoreRules {
    /// They hold.
    #[default]
    Honour,
    /// They are passed over.
    PassOver,
}
