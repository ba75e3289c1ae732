//! What git says about names that a project had once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use recall_text::DocPath;

use crate::git::Git;

/// The most names in one question, so that the arguments of a process have room.
const MOST_NAMES: usize = 200;

/// Patterns of files that only write about others.
const PROSE: [&str; 5] = [":(exclude)*.md", ":(exclude)*.mdx", ":(exclude)*.mdc", ":(exclude)*.rst", ":(exclude)*.txt"];

impl Git<'_> {
    /// Returns which of these paths the history of the current branch had, with the latest commit that deleted a file there. A path
    /// may be below any directory, unless it begins with `/`; one that ends with `/` is a directory.
    pub(crate) fn deletions(self, paths: &BTreeSet<String>) -> BTreeMap<String, String> {
        let patterns = paths.iter().take(MOST_NAMES).map(|path| {
            let (above, path) = path.strip_prefix('/').map_or(("**/", path.as_str()), |path| ("", path));
            if path.ends_with('/') { format!(":(glob){above}{path}**") } else { format!(":(glob){above}{path}") }
        });
        let patterns: Vec<String> = patterns.collect();
        let mut found = BTreeMap::new();
        if patterns.is_empty() {
            return found;
        }
        let shown =
            ["log", "-z", "--name-only", "--diff-filter=D", "--relative", "--no-renames", "--no-show-signature"];
        let format = ["--no-ext-diff", "--no-color", "--format=%x01%h", "HEAD", "--"];
        let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let Some(answer) = self.run(&[&shown[..], &format, &patterns].concat(), &[]) else { return found };
        let answer = String::from_utf8_lossy(&answer);
        for record in answer.split('\u{1}').filter(|record| !record.is_empty()) {
            let mut fields = record.split('\0');
            let commit = fields.next().unwrap_or_default().trim();
            for name in fields.map(|name| name.trim_start_matches('\n')).filter(|name| !name.is_empty()) {
                for path in paths.iter().filter(|path| is_at(name, path)) {
                    found.entry(path.clone()).or_insert_with(|| commit.to_owned());
                }
            }
        }
        found
    }

    /// Returns which of these words were in a file with code at a commit.
    pub(crate) fn words_at(self, commit: &str, words: &BTreeSet<String>) -> BTreeSet<String> {
        if words.is_empty() {
            return BTreeSet::new();
        }
        let patterns: Vec<&str> = words.iter().take(MOST_NAMES).flat_map(|word| ["-e", word]).collect();
        let asked = ["grep", "-h", "-o", "-w", "-F", "-I", "--no-color", "--no-textconv", "--threads=1"];
        let answer = self.run(&[&asked[..], &patterns, &[commit, "--", "."], &PROSE].concat(), &[]);
        // It fails if there are none.
        let answer = answer.unwrap_or_default();
        String::from_utf8_lossy(&answer).lines().filter(|word| words.contains(*word)).map(str::to_owned).collect()
    }

    /// Returns the commits that wrote the lines of a committed file, by their texts.
    pub(crate) fn writers(self, path: &DocPath) -> HashMap<String, String> {
        let asked = ["blame", "--line-porcelain", "--no-textconv", "HEAD", "--", path.as_str()];
        let answer = self.run(&asked, &[]).unwrap_or_default();
        let mut writers = HashMap::new();
        let mut commit = "";
        let answer = String::from_utf8_lossy(&answer);
        for line in answer.lines() {
            if let Some(text) = line.strip_prefix('\t') {
                writers.entry(text.trim().to_owned()).or_insert_with(|| commit.to_owned());
            } else if let Some((first, _)) = line.split_once(' ')
                && matches!(first.len(), 40 | 64)
                && first.bytes().all(|byte| byte.is_ascii_hexdigit())
            {
                commit = first;
            }
        }
        writers
    }

    /// Returns the bytes of a file at a commit; `None` if the commit does not have it.
    ///
    /// The commit is a hash in full or shortened. Anything else is refused: it may come from a stranger's journal.
    pub(crate) fn file_at(self, commit: &str, path: &DocPath) -> Option<Vec<u8>> {
        let is_hash = (4..=64).contains(&commit.len()) && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hash {
            return None;
        }
        self.run(&["cat-file", "blob", &format!("{commit}:./{path}")], &[])
    }

    /// Returns the commits after another one that changed a file, the earliest first; at most `most`.
    pub(crate) fn changes_after(self, commit: &str, path: &DocPath, most: usize) -> Vec<String> {
        if !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) || commit.is_empty() {
            return Vec::new();
        }
        let range = format!("{commit}..HEAD");
        let shown = ["log", "--reverse", "--format=%h", "--no-show-signature", "--no-ext-diff", "--no-color", &range];
        let answer = self.run(&[&shown[..], &["--", path.as_str()]].concat(), &[]).unwrap_or_default();
        String::from_utf8_lossy(&answer).lines().take(most).map(str::to_owned).collect()
    }

    /// Returns the number of commits of the current branch since a commit; `None` if the repository has no such commit.
    pub(crate) fn commits_since(self, commit: &str) -> Option<usize> {
        if !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) || commit.is_empty() {
            return None;
        }
        self.line(&["rev-list", "--count", &format!("{commit}..HEAD")])?.parse().ok()
    }

    /// Returns the latest commit of the current branch before a time in seconds since the epoch.
    pub(crate) fn commit_before(self, seconds: i64) -> Option<String> {
        self.line(&["rev-list", "-1", &format!("--before=@{seconds}"), "HEAD"])
    }

    /// Returns which of these paths git ignores.
    pub(crate) fn ignored_paths(self, paths: &BTreeSet<String>) -> BTreeSet<String> {
        if paths.is_empty() {
            return BTreeSet::new();
        }
        let paths: Vec<&str> = paths.iter().take(MOST_NAMES).map(|path| path.trim_start_matches("./")).collect();
        let asked = ["-c", "core.quotePath=false", "check-ignore", "--no-index", "--"];
        // It fails if none is ignored.
        let answer = self.run(&[&asked[..], &paths].concat(), &[]).unwrap_or_default();
        String::from_utf8_lossy(&answer).lines().map(str::to_owned).collect()
    }

    /// Returns the files that match these patterns and that the index of the repository has; `None` without an answer.
    pub(crate) fn tracked_paths(self, patterns: &[&str]) -> Option<BTreeSet<DocPath>> {
        self.names(&[&["ls-files", "--cached", "--"], patterns].concat())
    }
}

/// Returns whether a file is at a path, as [`Git::deletions`] takes it.
fn is_at(file: &str, path: &str) -> bool {
    let (is_anchored, path) = path.strip_prefix('/').map_or((false, path), |path| (true, path));
    if path.ends_with('/') {
        return file.starts_with(path) || (!is_anchored && file.contains(&format!("/{path}")));
    }
    file.strip_suffix(path).is_some_and(|above| above.is_empty() || (!is_anchored && above.ends_with('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_may_be_below_any_directory() {
        for (file, path, expected) in [
            ("src/a.rs", "src/a.rs", true),
            ("x/src/a.rs", "src/a.rs", true),
            ("x/mysrc/a.rs", "src/a.rs", false),
            ("x/src/a.rs", "src/", true),
            ("mysrc/a.rs", "src/", false),
            ("src/a.rs", "/src/a.rs", true),
            ("x/src/a.rs", "/src/a.rs", false),
            ("x/src/a.rs", "/src/", false),
            ("src/x/a.rs", "/src/", true),
        ] {
            assert_eq!(is_at(file, path), expected, "{file} {path}");
        }
    }
}
