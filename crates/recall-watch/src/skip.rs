//! Why is a file that was found not indexed?

use std::fmt;

/// Why a file that no rule of the user keeps out is not indexed all the same.
///
/// [`as_str`](Self::as_str) is the stable name that machines read, `Display` the clause that people read behind a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// It is larger than the limit.
    TooLarge {
        /// The file's length.
        bytes: u64,
        /// The limit in force.
        limit_bytes: u64,
    },
    /// Its name is not UTF-8. Of a directory: nothing below it is indexed.
    NotUtf8Name,
    /// It is a fifo, a socket, a device or a directory where a file is expected.
    NotRegular,
    /// It is a symlink to something inside the root, which is indexed under its own name.
    SymlinkInside,
    /// It is a symlink that leaves the root.
    SymlinkOutside,
    /// It is a symlink that leads back to itself.
    SymlinkLoop,
    /// It is a symlink to nothing.
    SymlinkBroken,
    /// By its name it holds keys or passwords; it was not opened.
    Secret,
    /// It holds a private key.
    PrivateKey,
    /// It is a dependency manager's lock file.
    LockFile,
    /// It is not text.
    Binary,
    /// It was written for machines: few, very long lines.
    Minified,
    /// By its name it is what programs write beside their output: a source map, compiled types, a drawing.
    ByProduct,
    /// It is text in no encoding that could be told.
    UnknownEncoding,
    /// It was written to all the while it was read.
    Changing,
    /// The system refused.
    Unreadable {
        /// The system's words.
        error: String,
    },
}

impl SkipReason {
    /// The reason's stable name.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "too_large",
            Self::NotUtf8Name => "not_utf8_name",
            Self::NotRegular => "not_regular",
            Self::SymlinkInside => "symlink_inside",
            Self::SymlinkOutside => "symlink_outside",
            Self::SymlinkLoop => "symlink_loop",
            Self::SymlinkBroken => "symlink_broken",
            Self::Secret => "secret",
            Self::PrivateKey => "private_key",
            Self::LockFile => "lock_file",
            Self::Binary => "binary",
            Self::Minified => "minified",
            Self::ByProduct => "by_product",
            Self::UnknownEncoding => "unknown_encoding",
            Self::Changing => "changing",
            Self::Unreadable { .. } => "unreadable",
        }
    }

    /// Whether something failed, rather than the file being none that is indexed.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::NotUtf8Name | Self::UnknownEncoding | Self::Changing | Self::Unreadable { .. })
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLarge { bytes, limit_bytes } => {
                return write!(f, "too large: {bytes} bytes, the limit is {limit_bytes}");
            }
            Self::Unreadable { error } => return write!(f, "cannot be read: {error}"),
            Self::NotUtf8Name => "the name is not UTF-8",
            Self::NotRegular => "not a regular file",
            Self::SymlinkInside => "symlink to something inside the root",
            Self::SymlinkOutside => "symlink that leaves the root",
            Self::SymlinkLoop => "symlink that leads back to itself",
            Self::SymlinkBroken => "symlink to nothing",
            Self::Secret => "looks like a file of keys or passwords",
            Self::PrivateKey => "holds a private key",
            Self::LockFile => "lock file",
            Self::Binary => "binary",
            Self::Minified => "minified",
            Self::ByProduct => "looks like a source map, compiled types or a drawing",
            Self::UnknownEncoding => "unknown encoding",
            Self::Changing => "being written to",
        })
    }
}
