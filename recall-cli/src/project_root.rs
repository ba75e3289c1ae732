//! Where does a project begin, for what is written into it by hand?
//!
//! The daemon finds the root of every request itself; here it is needed by what makes files in the project with the
//! rights of whoever runs the command.

use std::path::{Path, PathBuf};

use recall_config::{BroadRoot, check_project_root, project_root};

use crate::complaint::CommandError;
use crate::invocation::Invocation;

/// The root of the project that the command is about: the one named, else that of the working directory.
pub(crate) fn of(invocation: &Invocation) -> PathBuf {
    invocation.project().unwrap_or_else(|| around(&invocation.surroundings.directory, invocation))
}

/// The root of the project that a directory belongs to.
pub(crate) fn around(directory: &Path, invocation: &Invocation) -> PathBuf {
    project_root(directory, invocation.surroundings.environment.home.as_deref())
}

/// Refuses a root that is none: no directory, `/`, or the home folder.
pub(crate) fn check(root: &Path, invocation: &Invocation) -> Result<(), CommandError> {
    let broad = if invocation.global.allow_broad_root { BroadRoot::Accept } else { BroadRoot::Refuse };
    Ok(check_project_root(root, invocation.surroundings.environment.home.as_deref(), broad)?)
}
