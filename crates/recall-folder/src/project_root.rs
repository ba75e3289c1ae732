//! The root of the project that a directory belongs to.

use std::path::{Path, PathBuf};

use recall_core::PROJECT_FOLDER;

/// Returns the root of the project that a directory belongs to.
///
/// It is the nearest ancestor, or the directory itself, that holds a folder `.recall`, which is not a link; else the nearest that
/// holds `.git`, a folder or a file as worktrees and submodules have it; else the directory itself. `directory` is absolute; it
/// need not exist. The search ends below `home` and what holds it: a mark on a home folder, such as a repository of dotfiles, does
/// not make every directory in it a part of one project. `home` counts only if it is itself the directory asked about.
pub fn project_root(directory: &Path, home: Option<&Path>) -> PathBuf {
    let is_above_projects = |ancestor: &Path| home.is_some_and(|home| home.starts_with(ancestor));
    let candidates = || directory.ancestors().take_while(|at| *at == directory || !is_above_projects(at));
    let marked = candidates().find(|at| is_folder(&at.join(PROJECT_FOLDER)));
    marked.or_else(|| candidates().find(|at| at.join(".git").exists())).unwrap_or(directory).to_owned()
}

/// Whether a folder is at the path itself, not behind a link.
fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}
