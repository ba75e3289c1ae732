//! Reasons for not indexing a file that was found.

use std::fmt;

/// Why a file is not indexed although no rule of the user excludes it.
///
/// [`as_str`](Self::as_str) is the stable name for machines; `Display` is a clause for people, to follow a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// It is larger than the limit.
    TooLarge {
        /// The length of the file in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit_bytes: u64,
    },
    /// Its name is not UTF-8. Of a directory, nothing below it is indexed.
    NotUtf8Name,
    /// It is a pipe, a socket or a device, or a directory was found in place of a file.
    NotRegular,
    /// It is a symlink to something inside the root, which is indexed under its own name.
    SymlinkInside,
    /// It is a symlink that leads outside the root.
    SymlinkOutside,
    /// It is part of a loop of symlinks.
    SymlinkLoop,
    /// It is a broken symlink.
    SymlinkBroken,
    /// Its name suggests keys or passwords, so it was not opened.
    Secret,
    /// It contains a private key.
    PrivateKey,
    /// It is a dependency manager's lock file.
    LockFile,
    /// It is not text.
    Binary,
    /// It is minified: few, very long lines.
    Minified,
    /// Its name is that of a program's by-product: a source map, compiled types, a drawing.
    ByProduct,
    /// It may be text, but its encoding could not be detected.
    UnknownEncoding,
    /// It is the directory of a nested repository, which has a store of its own.
    Repository,
    /// It changed during each attempt to read it.
    Changing,
    /// The operating system refused.
    Unreadable {
        /// The operating system's message.
        error: String,
    },
}

impl SkipReason {
    /// Returns the stable name of the reason.
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
            Self::Repository => "repository",
            Self::Changing => "changing",
            Self::Unreadable { .. } => "unreadable",
        }
    }

    /// Returns whether reading failed, as opposed to the file being of a kind that is not indexed.
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
            Self::Repository => "repository with a store of its own",
            Self::Changing => "being written to",
        })
    }
}
