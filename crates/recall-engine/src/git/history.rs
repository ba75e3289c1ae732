//! What git says about the files of a folder: their latest commits, their authors, and what is not committed.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use recall_text::DocPath;

use crate::git::{Git, is_own};

/// The settings of comparisons that show lines: no program of the repository takes part.
pub(super) const PATCH_ARGUMENTS: &[&str] =
    &["--patch", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--relative"];

/// A commit with the files that it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileCommit {
    /// Its hash, as short as `git` writes it.
    pub(crate) id: String,
    /// The day on which it was committed: `2026-11-24`.
    pub(crate) day: String,
    /// The first line of its message.
    pub(crate) subject: String,
    /// The changed files below the folder.
    pub(crate) files: Vec<DocPath>,
}

/// What a commit changed, with its whole message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The message, the subject in its first line.
    pub(crate) message: String,
    /// The changed files below the folder, without recall's own. A renamed file has both names.
    pub(crate) files: Vec<DocPath>,
}

/// A commit that changed one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentCommit {
    /// Its hash, as short as `git` writes it.
    pub id: String,
    /// The day on which it was committed: `2026-11-24`.
    pub day: String,
    /// The name of its author.
    pub author: String,
    /// The first line of its message.
    pub subject: String,
}

/// The lines of the work tree that differ from the last commit, by file, ascending. A deletion is the line before it.
pub(crate) type ChangedLines = BTreeMap<DocPath, Vec<RangeInclusive<u32>>>;

impl Git<'_> {
    /// Returns the latest commits of the current branch that changed files below the folder, the latest first.
    ///
    /// At most `most` commits of the branch are read, so the time does not depend on the length of the history.
    pub(crate) fn file_commits(self, most: usize) -> Vec<FileCommit> {
        let most = format!("--max-count={most}");
        let shown = ["log", "-z", "--name-only", "--relative", "--no-renames", "--no-show-signature", "--no-color"];
        let arguments = [&shown[..], &["--no-ext-diff", "--format=%x01%h%x09%cs%x09%s", &most, "HEAD"]].concat();
        let Some(answer) = self.run(&arguments, &[]) else { return Vec::new() };
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let commit = |record: &str| {
            let (head, files) = record.split_once('\0').unwrap_or((record, ""));
            let mut fields = head.splitn(3, '\t').map(str::to_owned);
            let (id, day, subject) = (fields.next()?, fields.next()?, fields.next()?);
            let files = files.trim_start_matches('\n').split('\0').filter(|name| !name.is_empty());
            let files = files.filter_map(|name| DocPath::new(name).ok()).filter(|path| !is_own(path));
            Some(FileCommit { id, day, subject, files: files.collect() })
        };
        answer.split('\u{1}').filter_map(commit).filter(|commit| !commit.files.is_empty()).collect()
    }

    /// Returns what the commits of the current branch changed below the folder, the latest first: at most `most` after the latest
    /// `skipped`. Merges are left out, and commits that changed nothing here. `None` if git did not answer in time, or too much.
    pub(crate) fn changes(self, skipped: usize, most: usize) -> Option<Vec<Change>> {
        let bounds = [format!("--skip={skipped}"), format!("--max-count={most}")];
        let shown = ["log", "-z", "--no-merges", "--name-only", "--relative", "--no-renames", "--no-show-signature"];
        let format = ["--no-color", "--no-ext-diff", "--format=%x01%B%x02", &bounds[0], &bounds[1], "HEAD"];
        let answer = self.run(&[&shown[..], &format].concat(), &[])?;
        let answer = String::from_utf8_lossy(&answer);
        Some(answer.split('\u{1}').filter_map(parse_change).filter(|change| !change.files.is_empty()).collect())
    }

    /// Returns the latest commits of the current branch that changed a file, also under earlier names, the latest first; `None` if git
    /// did not answer in time. Without a repository there are none.
    pub(crate) fn commits_of(self, path: &DocPath, most: usize) -> Option<Vec<DocumentCommit>> {
        if !self.has_its_own_work_tree() {
            return Some(Vec::new());
        }
        let most = format!("--max-count={most}");
        let shown = ["--literal-pathspecs", "log", "--follow", "--no-show-signature", "--no-color", "--no-ext-diff"];
        let format = ["-z", "--format=%h%x09%cs%x09%an%x09%s", &most, "--", path.as_str()];
        let answer = self.run(&[&shown[..], &format].concat(), &[])?;
        let commit = |record: &str| {
            let mut fields = record.splitn(4, '\t').map(str::to_owned);
            let (id, day, author, subject) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
            Some(DocumentCommit { id, day, author, subject })
        };
        Some(String::from_utf8_lossy(&answer).split('\0').filter_map(commit).collect())
    }

    /// Returns how many lines of a committed file each author wrote, the most first.
    pub(crate) fn line_authors(self, path: &DocPath) -> Vec<(String, usize)> {
        let Some(answer) = self.run(&["blame", "--line-porcelain", "--no-textconv", "HEAD", "--", path.as_str()], &[])
        else {
            return Vec::new();
        };
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        // A line of the file begins with a tab, so it cannot imitate a header.
        for author in String::from_utf8_lossy(&answer).lines().filter_map(|line| line.strip_prefix("author ")) {
            *lines.entry(author.to_owned()).or_default() += 1;
        }
        let mut authors: Vec<(String, usize)> = lines.into_iter().collect();
        authors.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        authors
    }

    /// Returns the lines of the work tree that are not committed, without recall's own files. A file that is new as a whole has no lines here.
    ///
    /// `None` without a repository that belongs to the folder.
    pub(crate) fn changed_lines(self) -> Option<ChangedLines> {
        if !self.has_its_own_work_tree() {
            return None;
        }
        let filters = self.filter_settings()?;
        let filters: Vec<&str> = filters.iter().map(String::as_str).collect();
        // A comparison with the last commit holds what is staged and what is not.
        let patch =
            self.run(&[&["-c", "core.quotePath=false", "diff-index"], PATCH_ARGUMENTS, &["HEAD"]].concat(), &filters);
        let mut changed = patch.map(|patch| lines_of(&String::from_utf8_lossy(&patch))).unwrap_or_default();
        let new = self.names(&["ls-files", "--others", "--exclude-standard"]).unwrap_or_default();
        for path in new {
            changed.entry(path).or_default();
        }
        changed.retain(|path, _| !is_own(path));
        Some(changed)
    }
}

/// Parses a message and names of files, as [`Git::changes`] asks for them.
fn parse_change(record: &str) -> Option<Change> {
    let (message, files) = record.split_once('\u{2}')?;
    let files = files.split('\0').map(|name| name.trim_start_matches('\n'));
    let files = files.filter_map(|name| DocPath::new(name).ok()).filter(|path| !is_own(path));
    Some(Change { message: message.to_owned(), files: files.collect() })
}

/// Parses the new lines of a patch without context.
fn lines_of(patch: &str) -> ChangedLines {
    let mut changed = ChangedLines::new();
    for (file, (start, count)) in new_lines(patch) {
        let last = (start + count).saturating_sub(1).max(start).max(1);
        changed.entry(file).or_default().push(start.max(1)..=last);
    }
    changed
}

/// Parses where the hunks of a patch without context begin in the new files, and how many lines each has there.
pub(super) fn new_lines(patch: &str) -> Vec<(DocPath, (u32, u32))> {
    let mut hunks = Vec::new();
    let mut file: Option<DocPath> = None;
    // The lines of the current hunk that are still to come: they may imitate headers.
    let mut content = 0_u32;
    for line in patch.lines() {
        if content > 0 && line.starts_with(['+', '-']) {
            content -= 1;
        } else if let Some(name) = line.strip_prefix("+++ ") {
            file = name.strip_prefix("b/").and_then(|name| DocPath::new(name.trim_end_matches('\t')).ok());
        } else if let Some((old, new)) = hunk(line) {
            content = old.1 + new.1;
            hunks.extend(file.clone().map(|file| (file, new)));
        }
    }
    hunks
}

/// Parses `@@ -a,b +c,d @@`.
fn hunk(line: &str) -> Option<((u32, u32), (u32, u32))> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some((range(old)?, range(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_changed_lines_of_a_patch_are_those_of_the_new_file() {
        let patch = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -3 +3,2 @@ fn a()\n-old\n+new\n+++ b/no\n\
                     @@ -9,2 +10,0 @@\n-x\n-y\n--- a/gone.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n";
        let changed = lines_of(patch);
        let expected = [(DocPath::new("src/a.rs").expect("a path"), vec![3..=4, 10..=10])];
        assert_eq!(changed.into_iter().collect::<Vec<_>>(), expected);
    }
}
