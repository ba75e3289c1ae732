//! Where does a project begin, and which paths lie inside it?

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use recall_core::{DocPath, DocPathError};
pub use recall_folder::project_root;

/// Whether roots that are refused by default are taken all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootCheck {
    /// `/`, drive roots and the home folder are refused.
    #[default]
    Checked,
    /// They are taken: somebody insists.
    Forced,
}

/// Checks a directory that is to be a project's root, and resolves its symlinks.
///
/// # Errors
/// The path is relative, holds a NUL, is missing or no directory; or it is the root of the file system or `home`, unless
/// forced.
pub fn check_root(path: &Path, home: Option<&Path>, check: RootCheck) -> Result<PathBuf, RootError> {
    let at = || path.to_owned();
    if has_nul(path) {
        return Err(RootError::Nul { path: at() });
    }
    if !path.is_absolute() {
        return Err(RootError::Relative { path: at() });
    }
    let root = path.canonicalize().map_err(|source| match source.kind() {
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
        if home.is_some_and(|home| home == root || home.canonicalize().is_ok_and(|home| home == root)) {
            return Err(RootError::Home { path: at() });
        }
    }
    Ok(root)
}

/// A directory cannot be a project's root.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// A NUL cannot stand in a path.
    #[error("the path {path:?} holds a NUL byte")]
    Nul {
        /// What was given.
        path: PathBuf,
    },
    /// Only an absolute path says where it is.
    #[error("`{}` is not an absolute path", path.display())]
    Relative {
        /// What was given.
        path: PathBuf,
    },
    /// Nothing is there.
    #[error("there is no directory `{}`", path.display())]
    Missing {
        /// What was given.
        path: PathBuf,
    },
    /// Something else is there.
    #[error("`{}` is not a directory", path.display())]
    NotDirectory {
        /// What was given.
        path: PathBuf,
    },
    /// It is `/` or a drive's root.
    #[error("`{}` is the root of a file system", path.display())]
    FileSystemRoot {
        /// What was given.
        path: PathBuf,
    },
    /// It is the home folder.
    #[error("`{}` is the home folder", path.display())]
    Home {
        /// What was given.
        path: PathBuf,
    },
    /// The system refused.
    #[error("`{}` cannot be looked at", path.display())]
    Unreadable {
        /// What was given.
        path: PathBuf,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
}

/// The place below the root of a path that a user gave: absolute, or relative to the root.
///
/// Symlinks and `..` are resolved before the check, so the answer names the real place. What does not exist (any more)
/// is taken as it is written.
///
/// # Errors
/// The path is empty, holds a NUL or bytes that are not UTF-8, cannot be resolved, is the root itself or lies outside it.
pub fn resolve_inside(root: &Path, path: &Path) -> Result<DocPath, OutsideError> {
    let at = || path.to_owned();
    if path.as_os_str().is_empty() {
        return Err(OutsideError::NotAPath { path: at(), source: DocPathError::Empty });
    }
    if has_nul(path) {
        return Err(OutsideError::NotAPath { path: at(), source: DocPathError::Nul });
    }
    let unreadable = |source| OutsideError::Unresolvable { path: at(), source };
    let root = root.canonicalize().map_err(unreadable)?;
    let real = resolve(&root.join(path)).map_err(unreadable)?;
    let below = real.strip_prefix(&root).map_err(|_| OutsideError::Outside { path: at(), root: root.clone() })?;
    if below.as_os_str().is_empty() {
        return Err(OutsideError::IsRoot { path: at() });
    }
    DocPath::from_relative(below).map_err(|source| OutsideError::NotAPath { path: at(), source })
}

/// Resolves symlinks and `..` component by component. Behind the first component that does not exist nothing can be a
/// symlink, so the rest is taken as written.
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
                real.push(name);
                match real.symlink_metadata() {
                    Ok(metadata) if metadata.is_symlink() => real = real.canonicalize()?,
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

/// A path that a user gave is no document's place below the root.
#[derive(Debug, thiserror::Error)]
pub enum OutsideError {
    /// It lies outside the root.
    #[error("`{}` lies outside the root `{}`", path.display(), root.display())]
    Outside {
        /// What was given.
        path: PathBuf,
        /// The root.
        root: PathBuf,
    },
    /// It is the root itself.
    #[error("`{}` is the root itself", path.display())]
    IsRoot {
        /// What was given.
        path: PathBuf,
    },
    /// It cannot be written as a document's path.
    #[error("{path:?} is no path of a document")]
    NotAPath {
        /// What was given.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: DocPathError,
    },
    /// A symlink on it leads nowhere or back to itself, or the system refused.
    #[error("`{}` cannot be resolved", path.display())]
    Unresolvable {
        /// What was given.
        path: PathBuf,
        /// The system's answer.
        #[source]
        source: io::Error,
    },
}

#[cfg(test)]
mod tests;
