//! The files in `.recall` that say what git ignores and how it merges.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use recall_text::PROJECT_FOLDER;

use crate::{Access, Folder, OpenError};

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
