//! The error of reading a foreign source.

use std::path::PathBuf;

/// A foreign source cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Nothing is at the path.
    #[error("`{}` does not exist", path.display())]
    Missing {
        /// The path that was given.
        path: PathBuf,
    },
    /// The file or folder is something else.
    #[error("`{}` is not {expected}: {found}", path.display())]
    Unexpected {
        /// The path of the file or folder.
        path: PathBuf,
        /// What the reader expects there, with its article.
        expected: &'static str,
        /// What is there instead, in words.
        found: String,
    },
    /// A newer version wrote the file.
    #[error("`{}` has version {version} of its format; this recall reads up to {known}", path.display())]
    Newer {
        /// The path of the file.
        path: PathBuf,
        /// The version of the file.
        version: i64,
        /// The newest known version.
        known: i64,
    },
    /// The database is damaged or truncated.
    #[error("the database `{}` is damaged", path.display())]
    Damaged {
        /// The path of the database.
        path: PathBuf,
        /// SQLite's error, which names the damage.
        #[source]
        source: rusqlite::Error,
    },
    /// The file exceeds the limit.
    #[error("`{}` has {bytes} bytes; the limit is {limit}", path.display())]
    TooLarge {
        /// The path of the file.
        path: PathBuf,
        /// Its size in bytes.
        bytes: u64,
        /// The greatest size that is read, in bytes.
        limit: u64,
    },
    /// Another program writes to the database without a pause.
    #[error("`{}` is being written by another program; close that program and try again", path.display())]
    Changing {
        /// The path of the database.
        path: PathBuf,
    },
    /// The file or folder cannot be read.
    #[error("cannot read `{}`", path.display())]
    Io {
        /// The path of the file or folder.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: std::io::Error,
    },
    /// The copy of a database cannot be written.
    #[error("cannot write a copy of `{}` to `{}`", path.display(), scratch.display())]
    Copy {
        /// The path of the database.
        path: PathBuf,
        /// The folder of the copy.
        scratch: PathBuf,
        /// The operating system's error.
        #[source]
        source: std::io::Error,
    },
}
