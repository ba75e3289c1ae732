//! Where is the ranker that was learnt from a project's history?
//!
//! In the user's data home and nowhere in the project: it says what its people worked on, and is nobody else's.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use recall_rank::Ranker;
use tempfile::NamedTempFile;

use crate::complaint::{CommandError, Complaint};
use crate::invocation::Invocation;
use crate::project_root;

/// The file in which the daemon looks for the ranker of the project with that root.
pub(crate) fn place(root: &Path, invocation: &Invocation) -> Result<PathBuf, CommandError> {
    project_root::check(root, invocation)?;
    let resolved = root.canonicalize();
    let resolved = resolved.map_err(|error| Complaint::refused(format!("cannot read {}", root.display()), &error))?;
    Ok(invocation.surroundings.dirs.code_ranker(&resolved))
}

/// Writes a ranker, whole or not at all; the folder is made where it does not exist.
pub(crate) fn keep(ranker: &Ranker, path: &Path) -> Result<(), CommandError> {
    let written = || -> io::Result<()> {
        let folder = path.parent().unwrap_or(path);
        fs::create_dir_all(folder)?;
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(&ranker.write())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    written().map_err(|error| Complaint::refused(format!("cannot write {}", path.display()), &error).into())
}

/// Removes a ranker; tells whether there was one.
pub(crate) fn forget(path: &Path) -> Result<bool, CommandError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Complaint::refused(format!("cannot remove {}", path.display()), &error).into()),
    }
}
