//! Storage of the ranker trained on a project's history.
//!
//! It is stored in the user's data directory and not in the project, because it reflects what the project's people
//! worked on.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use recall_cli::{CliError, CommandContext, project_root};
use recall_rank::Ranker;
use tempfile::NamedTempFile;

use crate::error::BenchError;

/// Returns the path that the daemon loads the ranker of a project from.
pub(crate) fn place(root: &Path, context: &CommandContext) -> Result<PathBuf, BenchError> {
    project_root::check(root, context)?;
    let resolved = dunce::canonicalize(root);
    let resolved = resolved.map_err(|error| CliError::refusal(format!("cannot read {}", root.display()), &error))?;
    Ok(context.dirs().code_ranker(&resolved))
}

/// Writes a ranker atomically. Creates the folder if it does not exist.
pub(crate) fn keep(ranker: &Ranker, path: &Path) -> Result<(), BenchError> {
    let written = || -> io::Result<()> {
        let folder = path.parent().unwrap_or(path);
        fs::create_dir_all(folder)?;
        let mut file = NamedTempFile::new_in(folder)?;
        file.write_all(&ranker.write())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    written().map_err(|error| CliError::refusal(format!("cannot write {}", path.display()), &error).into())
}

/// Removes a ranker; returns whether there was one.
pub(crate) fn forget(path: &Path) -> Result<bool, BenchError> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(CliError::refusal(format!("cannot remove {}", path.display()), &error).into()),
    }
}
