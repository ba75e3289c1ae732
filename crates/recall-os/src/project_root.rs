//! The project root of a directory, and the files in its `.recall` that say what git ignores and how it merges.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use recall_text::PROJECT_FOLDER;

use crate::{Access, Folder, OpenError};

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

/// The git files of a `.recall` folder, each with its required lines.
///
/// Files that belong to one machine are ignored. A merge keeps the lines of both sides of a journal: journals are
/// append-only and their events commute.
pub const GIT_FILES: [(&str, &[&str]); 2] =
    [(".gitignore", &["sessions/"]), (".gitattributes", &["*.jsonl merge=union"])];

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

/// Returns the text to append to a file so that it has all of these lines; `None` if it has them.
///
/// ```
/// use recall_os::missing_lines;
/// assert_eq!(missing_lines("a\nb", &["b", "c"]).as_deref(), Some("\nc\n"));
/// assert_eq!(missing_lines("a\n b \n", &["b"]), None);
/// ```
pub fn missing_lines(known: &str, lines: &[&str]) -> Option<String> {
    let missing: Vec<&str> =
        lines.iter().copied().filter(|line| !known.lines().any(|known| known.trim() == *line)).collect();
    if missing.is_empty() {
        return None;
    }
    let mut added = missing.join("\n") + "\n";
    if !known.is_empty() && !known.ends_with('\n') {
        added.insert(0, '\n');
    }
    Some(added)
}
