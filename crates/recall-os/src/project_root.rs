//! The project root of a directory.

use std::path::{Path, PathBuf};

use recall_text::PROJECT_FOLDER;

/// What a version control system has at the top of a work tree: git (a file in linked work trees and submodules), Jujutsu and
/// Mercurial.
const VERSION_CONTROL: [&str; 3] = [".git", ".jj", ".hg"];

/// The files that package managers have at the top of a package.
const MANIFESTS: [&str; 10] = [
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
    "Gemfile",
    "mix.exs",
];

/// The folders for temporary files of all programs. What lies in them is not one project.
const TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"];

/// Returns whether a path is a folder for temporary files of all programs. A folder in it is not.
pub fn is_temporary_folder(path: &Path) -> bool {
    TEMPORARY.iter().any(|folder| path == Path::new(folder))
}

/// Returns the project root of a directory.
///
/// It is the nearest ancestor, or the directory itself, with a folder `.recall` that is not a link; otherwise the nearest
/// one under version control; otherwise the package that the directory is in, or the outermost one of the same kind
/// around it, because a workspace has such packages; otherwise the directory itself. `directory` must be absolute but need
/// not exist. The search stops below `home` and its ancestors, so that a repository in the home folder, for example of
/// dotfiles, does not make every directory in it part of one project. `home` itself is only considered if it is
/// `directory`. It stops below a folder for temporary files likewise.
pub fn project_root(directory: &Path, home: Option<&Path>) -> PathBuf {
    let is_above_projects =
        |ancestor: &Path| home.is_some_and(|home| home.starts_with(ancestor)) || is_temporary_folder(ancestor);
    let candidates = || directory.ancestors().take_while(|at| *at == directory || !is_above_projects(at));
    let is_versioned = |at: &&Path| VERSION_CONTROL.iter().any(|name| at.join(name).exists());
    let marked = candidates().find(|at| is_folder(&at.join(PROJECT_FOLDER)));
    let package = || {
        let kind = candidates().find_map(|at| MANIFESTS.iter().find(|name| at.join(name).is_file()))?;
        candidates().filter(|at| at.join(kind).is_file()).last()
    };
    marked.or_else(|| candidates().find(is_versioned)).or_else(package).unwrap_or(directory).to_owned()
}

/// Returns whether a folder, and not a link to one, is at the path.
fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}
