//! The project's root, for commands that write files into the project themselves.
//!
//! The daemon finds the root of every request itself. This module is for commands that create files in the project with
//! the user's rights.

use std::path::{Path, PathBuf};

use recall_config::{BroadRoot, check_project_root, project_root};

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::human::text::Links;

/// Returns the project's root: the one given by the user, else that of the working directory.
pub fn resolve(context: &CommandContext) -> PathBuf {
    context.project().unwrap_or_else(|| around(&context.process_env.directory, context))
}

/// Returns the root of the project that contains a directory.
pub fn around(directory: &Path, context: &CommandContext) -> PathBuf {
    project_root(directory, context.process_env.environment.home.as_deref())
}

/// Rejects a path that is not a directory, `/` and the home folder as roots.
pub fn check(root: &Path, context: &CommandContext) -> Result<(), CommandError> {
    let broad = if context.global.allow_broad_root { BroadRoot::Accept } else { BroadRoot::Refuse };
    Ok(check_project_root(root, context.process_env.environment.home.as_deref(), broad)?)
}

/// Returns where the paths of the project's files lead to; `None` if the terminal does not show links.
pub(crate) fn links(context: &CommandContext) -> Option<Links> {
    let is_shown = context.process_env.shows_links && context.output.is_colored();
    is_shown.then(|| Links { host: context.process_env.host.clone(), root: resolve(context) })
}
