//! The project's root, for commands that write files into the project themselves.
//!
//! The daemon finds the root of every request itself. This module is for commands that create files in the project with
//! the user's rights.

use std::path::{Path, PathBuf};

use recall_config::{BroadRoot, check_project_root, project_root};

use crate::complaint::CommandError;
use crate::invocation::Invocation;

/// Returns the project's root: the one given by the user, else that of the working directory.
pub(crate) fn of(invocation: &Invocation) -> PathBuf {
    invocation.project().unwrap_or_else(|| around(&invocation.surroundings.directory, invocation))
}

/// Returns the root of the project that contains a directory.
pub(crate) fn around(directory: &Path, invocation: &Invocation) -> PathBuf {
    project_root(directory, invocation.surroundings.environment.home.as_deref())
}

/// Rejects a path that is not a directory, `/` and the home folder as roots.
pub(crate) fn check(root: &Path, invocation: &Invocation) -> Result<(), CommandError> {
    let broad = if invocation.global.allow_broad_root { BroadRoot::Accept } else { BroadRoot::Refuse };
    Ok(check_project_root(root, invocation.surroundings.environment.home.as_deref(), broad)?)
}
