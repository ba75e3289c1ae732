//! The root of a project, and the resolution of paths inside it.
//!
//! Windows and macOS find a file by its name in any case, and macOS in any normalisation of Unicode; a document has one path.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

use recall_text::{DocPath, DocPathError};
use unicode_normalization::UnicodeNormalization as _;

use recall_os::is_temporary_folder;
pub use recall_os::project_root;

/// Whether roots that are refused by default are accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootCheck {
    /// `/`, drive roots, the home folder and the folders for temporary files are refused.
    #[default]
    Checked,
    /// They are accepted, because the user insists.
    Forced,
}

/// Checks that a directory can be a project's root, and resolves its symlinks.
///
/// # Errors
/// The path is relative, contains a NUL byte, is missing or is not a directory; or it is the root of the file system or
/// `home` or a folder for temporary files, unless forced.
pub fn check_root(path: &Path, home: Option<&Path>, check: RootCheck) -> Result<PathBuf, RootError> {
    let at = || path.to_owned();
    if has_nul(path) {
        return Err(RootError::Nul { path: at() });
    }
    if !path.is_absolute() {
        return Err(RootError::Relative { path: at() });
    }
    let root = dunce::canonicalize(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => RootError::Missing { path: at() },
        io::ErrorKind::NotADirectory => RootError::NotDirectory { path: at() },
        _ => RootError::Unreadable { path: at(), source },
    })?;
    if !root.is_dir() {
        return Err(RootError::NotDirectory { path: at() });
    }
    if check == RootCheck::Checked {
        if root.parent().is_none() {
            return Err(RootError::FileSystemRoot { path: at() });
        }
        if home.is_some_and(|home| home == root || dunce::canonicalize(home).is_ok_and(|home| home == root)) {
            return Err(RootError::Home { path: at() });
        }
        if is_temporary_folder(&root) {
            return Err(RootError::Temporary { path: at() });
        }
    }
    Ok(root)
}

/// A directory cannot be a project's root.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// The path contains a NUL byte.
    #[error("the path {path:?} contains a NUL byte")]
    Nul {
        /// The path as given.
        path: PathBuf,
    },
    /// The path is not absolute.
    #[error("`{}` is not an absolute path", path.display())]
    Relative {
        /// The path as given.
        path: PathBuf,
    },
    /// Nothing is at the path.
    #[error("there is no directory `{}`", path.display())]
    Missing {
        /// The path as given.
        path: PathBuf,
    },
    /// Something other than a directory is at the path.
    #[error("`{}` is not a directory", path.display())]
    NotDirectory {
        /// The path as given.
        path: PathBuf,
    },
    /// It is `/` or a drive's root.
    #[error("`{}` is the root of a file system", path.display())]
    FileSystemRoot {
        /// The path as given.
        path: PathBuf,
    },
    /// It is the home folder.
    #[error("`{}` is the home folder", path.display())]
    Home {
        /// The path as given.
        path: PathBuf,
    },
    /// It is `/tmp`, or another folder for temporary files.
    #[error("`{}` is the folder for temporary files of all programs", path.display())]
    Temporary {
        /// The path as given.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot access `{}`", path.display())]
    Unreadable {
        /// The path as given.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
}

/// Resolves a user's path, absolute or relative to the root, to a path below the root.
///
/// Symlinks and `..` are resolved before the check, so the result is the real location. Components that do not exist
/// are kept as written.
///
/// # Errors
/// The path is empty, contains a NUL byte or invalid UTF-8, cannot be resolved, is the root itself or is outside it.
pub fn resolve_inside(root: &Path, path: &Path) -> Result<DocPath, OutsideError> {
    let at = || path.to_owned();
    if path.as_os_str().is_empty() {
        return Err(OutsideError::NotAPath { path: at(), source: DocPathError::Empty });
    }
    if has_nul(path) {
        return Err(OutsideError::NotAPath { path: at(), source: DocPathError::Nul });
    }
    let unreadable = |source| OutsideError::Unresolvable { path: at(), source };
    let root = dunce::canonicalize(root).map_err(unreadable)?;
    let real = resolve(&root.join(path)).map_err(unreadable)?;
    let below = real.strip_prefix(&root).map_err(|_| OutsideError::Outside { path: at(), root: root.clone() })?;
    if below.as_os_str().is_empty() {
        return Err(OutsideError::IsRoot { path: at() });
    }
    DocPath::from_relative(below).map_err(|source| OutsideError::NotAPath { path: at(), source })
}

/// Resolves symlinks and `..` component by component. After the first component that does not exist there can be no
/// symlink, so the rest is kept as written. What exists is spelled as on the disk.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut real = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                real.pop();
            }
            Component::Prefix(_) | Component::RootDir => real.push(component),
            Component::Normal(name) => {
                let name = spelling_on_disk(&real, name).map_or(Cow::Borrowed(name), Cow::Owned);
                real.push(name);
                match real.symlink_metadata() {
                    Ok(metadata) if metadata.is_symlink() => real = dunce::canonicalize(real)?,
                    Ok(_) => {}
                    Err(error) if is_missing(&error) => {}
                    Err(error) => return Err(error),
                }
            }
        }
    }
    Ok(real)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn has_nul(path: &Path) -> bool {
    OsString::from(path).as_encoded_bytes().contains(&0)
}

/// A user's path cannot be a document's path below the root.
#[derive(Debug, thiserror::Error)]
pub enum OutsideError {
    /// It is outside the root.
    #[error("`{}` is outside the root `{}`", path.display(), root.display())]
    Outside {
        /// The path as given.
        path: PathBuf,
        /// The root, after resolving links.
        root: PathBuf,
    },
    /// It is the root itself.
    #[error("`{}` is the root itself", path.display())]
    IsRoot {
        /// The path as given.
        path: PathBuf,
    },
    /// It cannot be expressed as a document's path.
    #[error("{path:?} is not a valid document path")]
    NotAPath {
        /// The path as given.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: DocPathError,
    },
    /// A symlink in it is broken or loops, or the operating system refused.
    #[error("cannot resolve `{}`", path.display())]
    Unresolvable {
        /// The path as given.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
}

/// Whether a file may be found by another name than the one on the disk.
const IS_LOOSE: bool = cfg!(any(windows, target_os = "macos"));

/// Returns the name on the disk of a file that a folder has; `None` if it is written as given, or cannot be listed.
pub(crate) fn spelling_on_disk(folder: &Path, name: &OsStr) -> Option<OsString> {
    if IS_LOOSE { find(folder, name) } else { None }
}

fn find(folder: &Path, name: &OsStr) -> Option<OsString> {
    let wanted = name.to_str()?;
    let names: Vec<OsString> = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name()).collect();
    if names.iter().any(|name| name.to_str() == Some(wanted)) {
        return None;
    }
    names.into_iter().find(|name| name.to_str().is_some_and(|name| is_same(name, wanted)))
}

/// Whether two names lead to the same file where case and normalisation do not count.
fn is_same(a: &str, b: &str) -> bool {
    fold(a).eq(fold(b))
}

fn fold(name: &str) -> impl Iterator<Item = char> {
    name.nfc().flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod spelling_tests {
    use super::*;

    fn check(a: &str, b: &str, expected: bool) {
        assert_eq!(is_same(a, b), expected, "{a} {b}");
    }

    #[test]
    fn case_and_normalisation_do_not_count() {
        check("README.md", "readme.MD", true);
        check("Gr\u{f6}\u{df}e.md", "GRO\u{308}\u{df}E.md", true);
        check("caf\u{e9}", "cafe\u{301}", true);
        check("cafe", "caf\u{e9}", false);
        check("a.md", "ab.md", false);
        check("\u{65e5}\u{672c}", "\u{65e5}\u{672c}", true);
    }

    #[test]
    fn the_name_on_the_disk_is_found() {
        let place = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(place.path().join("Gro\u{308}\u{df}e.md"), "").expect("writable");
        let found = find(place.path(), OsStr::new("gr\u{f6}\u{df}e.MD"));
        assert_eq!(found.as_deref(), Some(OsStr::new("Gro\u{308}\u{df}e.md")));
        assert_eq!(find(place.path(), OsStr::new("Gro\u{308}\u{df}e.md")), None, "it is written so");
        assert_eq!(find(place.path(), OsStr::new("other.md")), None);
        assert_eq!(find(&place.path().join("missing"), OsStr::new("a")), None);
    }
}
