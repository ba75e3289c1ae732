//! The `.recall` folder of a project, and the git settings for it.

/// The folder in a root that holds settings, journals, summaries and sessions. It holds no derived data.
pub const PROJECT_FOLDER: &str = ".recall";

/// The git files of a `.recall` folder, each with its required lines.
///
/// Files that belong to one machine are ignored. A merge keeps the lines of both sides of a journal: journals are
/// append-only and their events commute.
pub const GIT_FILES: [(&str, &[&str]); 2] =
    [(".gitignore", &["sessions/"]), (".gitattributes", &["*.jsonl merge=union"])];

/// Returns the text to append to a file so that it has all of these lines; `None` if it has them.
///
/// ```
/// use recall_core::missing_lines;
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
