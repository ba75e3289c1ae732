//! The files in `.recall` that say what git ignores and how it merges.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use recall_core::{GIT_FILES, PROJECT_FOLDER, missing_lines};

use crate::{Access, Folder, OpenError};

/// The number of bytes read of such a file. To a longer file the lines are added again, which has no effect on git.
const LIMIT_BYTES: u64 = 1024 * 1024;

/// Adds missing lines to the files for git in `.recall`, and creates the folder and the files if they are missing.
///
/// Returns the files that were written, in order.
///
/// # Errors
/// The folder or a file is a link or of another type, or the system refuses. Files before it have been written.
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
