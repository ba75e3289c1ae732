//! Reasons for not indexing a file that was found, among them the sizes up to which files are read, and symlinks.

use std::path::Path;
use std::{fmt, io};

use recall_core::Limits;
use recall_text::quantity;

/// Why a file is not indexed although no rule of the user excludes it.
///
/// [`as_str`](Self::as_str) is the stable name for machines; `Display` is a clause for people, to follow a path. What comes
/// before its first colon is the same for all files that are left out for this reason: their [group].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// It is larger than the limit.
    TooLarge {
        /// The length of the file in bytes.
        bytes: u64,
        /// The greatest length that is indexed.
        limit_bytes: u64,
        /// The setting of the limit.
        setting: &'static str,
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
    /// It is a symlink to nothing.
    SymlinkBroken,
    /// Its name suggests keys or passwords, so it was not opened.
    Secret,
    /// It is little else than private keys.
    PrivateKey,
    /// It is a dependency manager's lock file, and git does not track it.
    LockFile,
    /// It is not text.
    Binary,
    /// Its name is that of minified code, and git does not track it.
    Minified,
    /// Its name is that of a program's by-product: a source map, compiled types, a drawing.
    ByProduct,
    /// It is a pointer of Git LFS to content that was not fetched.
    LfsPointer,
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
            Self::LfsPointer => "lfs_pointer",
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

/// Returns whether a file with this displayed reason, or [group] of reasons, may hold text that a search could have found.
pub fn may_hide_text(reason: &str) -> bool {
    const NO_TEXT: [SkipReason; 7] = [
        SkipReason::NotRegular,
        SkipReason::SymlinkInside,
        SkipReason::SymlinkOutside,
        SkipReason::SymlinkLoop,
        SkipReason::SymlinkBroken,
        SkipReason::Binary,
        SkipReason::Repository,
    ];
    NO_TEXT.iter().all(|known| known.to_string() != group(reason))
}

/// Returns the part of a displayed reason that is the same for all files that are left out for it.
pub fn group(reason: &str) -> &str {
    reason.split_once(':').map_or(reason, |(group, _)| group)
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLarge { bytes, limit_bytes, setting } => {
                let (size, limit) = (quantity::bytes(*bytes), quantity::bytes(*limit_bytes));
                return write!(f, "too large: {size}, the limit is {limit} (setting `{setting}`)");
            }
            Self::Unreadable { error } => return write!(f, "cannot be read: {error}"),
            Self::NotUtf8Name => "the name is not UTF-8",
            Self::NotRegular => "not a regular file",
            Self::SymlinkInside => "symlink to something inside the root",
            Self::SymlinkOutside => "symlink that leaves the root",
            Self::SymlinkLoop => "symlink that leads back to itself",
            Self::SymlinkBroken => "symlink to nothing",
            Self::Secret => "secret by name",
            Self::PrivateKey => "mostly a private key",
            Self::LockFile => "lock file (git does not track it)",
            Self::Binary => "binary",
            Self::Minified => "minified (git does not track it)",
            Self::ByProduct => "source map, compiled types or drawing (git does not track it)",
            Self::LfsPointer => "a pointer of Git LFS",
            Self::UnknownEncoding => "unknown encoding",
            Self::Repository => "repository with a store of its own",
            Self::Changing => "being written to",
        })
    }
}

/// A file or directory that a rule leaves out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// The path below the root, without a `/` at the end.
    pub path: String,
    /// Whether it is a directory, with everything in it except what git tracks.
    pub is_directory: bool,
    /// The rule that leaves it out.
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
            Self::BuiltIn => "in the built-in list of directories: only what git tracks in it is indexed",
            Self::Exclude => "excluded by the setting `index.exclude`",
            Self::NotIncluded => "not among the files of the setting `index.include`",
            Self::Removed => "removed from the index",
            Self::Addition => "excluded by the options of `recall include`",
            Self::Internal => "part of version control or of recall",
            Self::WorkTree => "in a linked work tree of the same repository",
        })
    }
}

/// The sizes up to which files are read, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeLimits {
    /// The largest file, and the most text that is kept of a notebook.
    pub file_bytes: u64,
    /// The largest notebook, whose pictures are left out while it is read.
    pub notebook_bytes: u64,
}

impl SizeLimits {
    /// Returns the reason if a file of that name and size is too large to be read.
    pub(crate) fn check(&self, name: &str, bytes: u64) -> Option<SkipReason> {
        let (limit_bytes, setting) = if is_notebook(name) && self.notebook_bytes > self.file_bytes {
            (self.notebook_bytes, "limits.notebook_bytes")
        } else {
            (self.file_bytes, FILE_BYTES)
        };
        (bytes > limit_bytes).then_some(SkipReason::TooLarge { bytes, limit_bytes, setting })
    }

    /// Returns the reason if a text is too large to be indexed.
    pub fn check_text(&self, bytes: u64) -> Option<SkipReason> {
        let limit_bytes = self.file_bytes;
        (bytes > limit_bytes).then_some(SkipReason::TooLarge { bytes, limit_bytes, setting: FILE_BYTES })
    }
}

impl From<&Limits> for SizeLimits {
    fn from(limits: &Limits) -> Self {
        Self { file_bytes: limits.file_bytes, notebook_bytes: limits.notebook_bytes }
    }
}

/// The setting of the largest file.
const FILE_BYTES: &str = "limits.file_bytes";

/// Returns whether a name is that of a Jupyter notebook.
pub(crate) fn is_notebook(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("ipynb"))
}

/// Returns why the symlink at `link` is not indexed. `root` is canonical.
///
/// Links are never followed: a target inside the root is indexed under its own name, and a target outside does not
/// belong to the project.
pub(crate) fn symlink_reason(root: &Path, link: &Path) -> SkipReason {
    match dunce::canonicalize(link) {
        Ok(target) if target.starts_with(root) => SkipReason::SymlinkInside,
        Ok(_) => SkipReason::SymlinkOutside,
        Err(error) if error.kind() == io::ErrorKind::NotFound => SkipReason::SymlinkBroken,
        Err(error) if is_loop(&error) => SkipReason::SymlinkLoop,
        Err(error) => SkipReason::Unreadable { error: error.to_string() },
    }
}

#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_loop(_: &io::Error) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_shown_with_its_figures_and_grouped_without() {
        let (bytes, limit_bytes) = (20 << 20, 16 << 20);
        let large = SkipReason::TooLarge { bytes, limit_bytes, setting: "limits.file_bytes" }.to_string();
        assert_eq!(large, "too large: 20.0 MiB, the limit is 16.0 MiB (setting `limits.file_bytes`)");
        let unreadable = SkipReason::Unreadable { error: "permission denied".to_owned() }.to_string();
        assert_eq!((group(&large), group(&unreadable), group("binary")), ("too large", "cannot be read", "binary"));
        assert!(may_hide_text(&large) && may_hide_text(group(&unreadable)) && may_hide_text("lock file"));
        assert!(!may_hide_text("binary") && !may_hide_text("symlink to nothing"));
    }
}
