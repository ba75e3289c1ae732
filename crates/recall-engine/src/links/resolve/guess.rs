//! Files that an import may mean.

use crate::links::path_text::{directory_of, join};

/// Files that an import may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guess {
    /// A path, complete or an end of one.
    pub(crate) path: String,
    pub(crate) reach: Reach,
    pub(crate) thing: Thing,
}

/// The base of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// At the store's root.
    Here,
    /// In any directory.
    Anywhere,
}

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thing {
    /// A file, with its extension.
    File,
    /// A module: a file with one of these extensions, or the file that represents the directory of that name.
    Module(&'static [&'static str]),
    /// A directory whose files have one of these extensions.
    Package(&'static [&'static str]),
}

pub(crate) fn guess(path: impl Into<String>, reach: Reach, thing: Thing) -> Guess {
    Guess { path: path.into(), reach, thing }
}

/// Returns the path of a target next to a file.
pub(crate) fn beside(from: &str, target: &str) -> Option<String> {
    join(directory_of(from), target)
}

/// Joins the parts from an index on with `/`.
pub(crate) fn tail(parts: &[&str], from: usize) -> String {
    parts[from..].join("/")
}
