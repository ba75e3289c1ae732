//! The project root of a directory.

use std::path::{Path, PathBuf};

use recall_core::PROJECT_FOLDER;

/// Returns the project root of a directory.
///
/// It is the nearest ancestor, or the directory itself, with a folder `.recall` that is not a link; otherwise the
/// nearest one with `.git`, which may be a folder or, in worktrees and submodules, a file; otherwise the directory
/// itself. `directory` must be absolute but need not exist. The search stops below `home` and its ancestors, so that a
/// repository in the home folder, for example of dotfiles, does not make every directory in it part of one project.
/// `home` itself is only considered if it is `directory`.
pub fn project_root(directory: &Path, home: Option<&Path>) -> PathBuf {
    let is_above_projects = |ancestor: &Path| home.is_some_and(|home| home.starts_with(ancestor));
    let candidates = || directory.ancestors().take_while(|at| *at == directory || !is_above_projects(at));
    let marked = candidates().find(|at| is_folder(&at.join(PROJECT_FOLDER)));
    marked.or_else(|| candidates().find(|at| at.join(".git").exists())).unwrap_or(directory).to_owned()
}

/// Returns whether a folder, and not a link to one, is at the path.
fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}
