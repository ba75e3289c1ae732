//! The folder of recall in a project, and what git has to know of it.

/// The folder in a root that holds what recall keeps there: settings, journals, summaries and sessions. Nothing derived.
pub const PROJECT_FOLDER: &str = ".recall";

/// The files for git in a `.recall` folder, each with the lines that it needs.
///
/// What of the folder belongs to one machine is ignored. Of a journal both sides of a merge stay, since it is only appended
/// to and its events commute.
pub const GIT_FILES: [(&str, &[&str]); 2] =
    [(".gitignore", &["sessions/"]), (".gitattributes", &["*.jsonl merge=union"])];

/// What is to be added at the end of a file so that it has all of these lines; `None` where it has.
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
