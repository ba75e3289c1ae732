//! The files in `.recall` that tell git what to ignore and how to merge.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use recall_core::{GIT_FILES, PROJECT_FOLDER, missing_lines};

use crate::{Access, Folder, OpenError};

/// How much of such a file is read. A longer one gets the lines again, which changes nothing for git.
const LIMIT_BYTES: u64 = 1024 * 1024;

/// Adds to the files for git in `.recall` the lines that they lack, and makes the folder and the files that are missing.
///
/// Returns the files that were written, in order; none if nothing was missing.
///
/// # Errors
/// The folder or a file is a link or of another kind, or the system refuses. The files before it are written.
pub fn write_git_files(root: &Path) -> Result<Vec<PathBuf>, OpenError> {
    let folder = Folder::open(root)?.make_folder(PROJECT_FOLDER)?;
    let mut written = Vec::new();
    for (name, lines) in GIT_FILES {
        let known = match folder.read(name, LIMIT_BYTES) {
            Err(OpenError::Missing { .. }) => Vec::new(),
            known => known?,
        };
        let Some(added) = missing_lines(&String::from_utf8_lossy(&known), lines) else { continue };
        let path = folder.path().join(name);
        let append = |mut file: std::fs::File| file.write_all(added.as_bytes());
        let file = folder.file(name, Access::AppendOrCreate)?;
        append(file).map_err(|source| OpenError::Io { path: path.clone(), source })?;
        written.push(path);
    }
    Ok(written)
}
