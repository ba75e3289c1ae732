//! A configuration file of another program: read with its limits, and replaced at once.

#[cfg(unix)]
use std::fs::File;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::error::RegisterError;
use crate::place::exists;

/// Claude Code keeps its history in the file with its servers; the largest that are reported have some ten megabytes.
const LIMIT_BYTES: u64 = 256 << 20;

/// A file that exists or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigFile {
    /// The path, with links resolved.
    pub(crate) path: PathBuf,
    /// The text; `None` if there is no file.
    pub(crate) text: Option<String>,
}

impl ConfigFile {
    /// Reads a file. Links are followed if they stay in one of the folders `within`: many users keep such files in a
    /// repository in their home folder, and link to them.
    pub(crate) fn read(path: &Path, within: &[PathBuf]) -> Result<Self, RegisterError> {
        let resolved = resolve(path)?;
        let is_within = |folder: &PathBuf| {
            let folder = self::resolve(folder).unwrap_or_else(|_| folder.clone());
            resolved.starts_with(folder)
        };
        if !within.iter().any(is_within) {
            let within = within.first().cloned().unwrap_or_default();
            return Err(RegisterError::LinkOut { path: path.to_owned(), target: resolved, within });
        }
        let text = read_text(&resolved)?;
        Ok(Self { path: resolved, text })
    }

    /// Replaces the text at once; `None` removes the file. Returns the folders that were made.
    ///
    /// The permissions stay; a new file is private, because agents keep tokens in such files. A new script can be executed.
    pub(crate) fn replace(&self, text: Option<&str>) -> Result<Vec<PathBuf>, RegisterError> {
        let failed = |doing, source| RegisterError::Io { doing, path: self.path.clone(), source };
        let before = self.path.metadata().ok().map(|seen| seen.permissions());
        if before.as_ref().is_some_and(fs::Permissions::readonly) {
            return Err(RegisterError::ReadOnly { path: self.path.clone() });
        }
        if read_text(&self.path)? != self.text {
            return Err(RegisterError::Meanwhile { path: self.path.clone() });
        }
        let Some(text) = text else {
            fs::remove_file(&self.path).map_err(|source| failed("remove", source))?;
            return Ok(Vec::new());
        };
        let made = make_folders(&self.path)?;
        if let Err(source) = write(&self.path, text, before.or_else(|| script_permissions(text))) {
            remove_empty(&made);
            return Err(failed("write", source));
        }
        Ok(made)
    }
}

/// Replaces a file at once, so that no reader sees a part of it. The permissions are these, or private.
pub(crate) fn write(path: &Path, text: &str, permissions: Option<fs::Permissions>) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let fresh = path.with_file_name(name);
    let written = write_out(&fresh, text, permissions).and_then(|()| fs::rename(&fresh, path));
    if written.is_err() {
        // The first error is returned; a failure to clean up is not reported.
        let _ = fs::remove_file(&fresh);
    }
    written?;
    sync_folder(path)
}

/// Removes folders that are empty, the deepest first.
pub(crate) fn remove_empty(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        // A folder that is used by now is not empty, and stays.
        let _ = fs::remove_dir(folder);
    }
}

/// Makes the missing folders above a file; returns them, the highest first.
pub(crate) fn make_folders(path: &Path) -> Result<Vec<PathBuf>, RegisterError> {
    let missing = path.ancestors().skip(1).take_while(|folder| !folder.exists());
    let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
    missing.reverse();
    for (at, folder) in missing.iter().enumerate() {
        if let Err(source) = fs::create_dir(folder) {
            remove_empty(&missing[..at]);
            return Err(RegisterError::Io { doing: "make", path: folder.clone(), source });
        }
    }
    Ok(missing)
}

/// Resolves the links of a path, of which the end need not exist.
fn resolve(path: &Path) -> Result<PathBuf, RegisterError> {
    let there = path.ancestors().find(|path| exists(path)).unwrap_or(path);
    let rest = path.strip_prefix(there).unwrap_or(Path::new(""));
    match dunce::canonicalize(there) {
        Ok(found) if rest.as_os_str().is_empty() => Ok(found),
        Ok(found) => Ok(found.join(rest)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(RegisterError::LinkToNothing { path: there.to_owned() })
        }
        Err(source) => Err(RegisterError::Io { doing: "read", path: there.to_owned(), source }),
    }
}

fn read_text(path: &Path) -> Result<Option<String>, RegisterError> {
    let failed = |source| RegisterError::Io { doing: "read", path: path.to_owned(), source };
    let seen = match path.metadata() {
        Ok(seen) => seen,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(failed(source)),
    };
    if !seen.is_file() {
        return Err(RegisterError::NotAFile { path: path.to_owned() });
    }
    if seen.len() > LIMIT_BYTES {
        return Err(RegisterError::TooLarge { path: path.to_owned(), bytes: seen.len(), limit_bytes: LIMIT_BYTES });
    }
    fs::read_to_string(path).map(Some).map_err(failed)
}

fn write_out(path: &Path, text: &str, permissions: Option<fs::Permissions>) -> io::Result<()> {
    let mut file = private(OpenOptions::new().write(true).create_new(true)).open(path)?;
    file.write_all(text.as_bytes())?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.sync_all()
}

/// Returns the permissions of a script; `None` if the text is not one.
#[cfg(unix)]
fn script_permissions(text: &str) -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt as _;

    text.starts_with("#!").then(|| fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn script_permissions(_text: &str) -> Option<fs::Permissions> {
    None
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;

    options.mode(0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}
