//! What a revision names, which files changed since, and what the tree of a commit holds.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Write as _};
use std::process::Stdio;

use recall_core::{TimePoint, Timestamp};
use recall_os::git::Program;
use recall_text::DocPath;

use crate::git::{Git, paths};

const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// A file in the tree of a commit, below the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TreeFile {
    pub(crate) path: DocPath,
    /// The id of its content.
    pub(crate) blob: String,
    pub(crate) bytes: u64,
}

/// The files of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) files: Vec<TreeFile>,
    /// The entries that are not plain files: links, submodules, and names that no document has.
    pub(crate) left_out: u64,
}

impl Git<'_> {
    /// Returns the commit that a branch, a tag or a hash names. The text must not begin with `-`.
    pub(crate) fn commit_named(self, revision: &str) -> Option<TimePoint> {
        let shown = ["log", "-1", "--no-show-signature", "--no-color", "--format=%H %ct"];
        let line = self.line(&[&shown[..], &[&format!("{revision}^{{commit}}"), "--"]].concat())?;
        let (hash, seconds) = line.split_once(' ')?;
        let at = Timestamp(seconds.parse::<i64>().ok()?.checked_mul(NANOS_PER_SECOND)?);
        Some(TimePoint { at, commit: Some(hash.to_owned()) })
    }

    /// Returns the latest commit of the current branch that had been made by then.
    pub(crate) fn commit_by(self, point: &TimePoint) -> Option<TimePoint> {
        if point.commit.is_some() {
            return Some(point.clone());
        }
        let hash = self.commit_before((point.at.0 - 1).div_euclid(NANOS_PER_SECOND))?;
        self.commit_named(&hash)
    }

    /// Returns the earliest commit of the current branch whose subject has a word, in any case.
    pub(crate) fn first_about(self, word: &str) -> Option<TimePoint> {
        let asked = ["log", "--no-show-signature", "--no-color", "--format=%H", "--fixed-strings", "-i"];
        let answer = self.run(&[&asked[..], &[&format!("--grep={word}"), "HEAD", "--"]].concat(), &[])?;
        let hash = String::from_utf8_lossy(&answer).lines().last()?.to_owned();
        self.commit_named(&hash)
    }

    /// Returns the files that commits of the current branch changed since then. `None` if git gives no answer.
    pub(crate) fn changed_since(self, point: &TimePoint) -> Option<BTreeSet<DocPath>> {
        let shown = ["log", "-z", "--format=", "--name-only", "--relative", "--no-renames", "--no-show-signature"];
        let since = point.at.0.saturating_add(NANOS_PER_SECOND - 1).div_euclid(NANOS_PER_SECOND);
        let which = match &point.commit {
            Some(commit) => [format!("{commit}..HEAD"), "--".to_owned()],
            None => [format!("--since=@{since}"), "HEAD".to_owned()],
        };
        let which: Vec<&str> = which.iter().map(String::as_str).collect();
        Some(paths(&self.run(&[&shown[..], &["--no-color", "--no-ext-diff"], &which].concat(), &[])?))
    }

    /// Returns the files that the last commit of the current branch has. `None` if git gives no answer.
    pub(crate) fn committed_files(self) -> Option<BTreeSet<DocPath>> {
        Some(paths(&self.run(&["ls-tree", "-r", "-z", "--name-only", "HEAD"], &[])?))
    }

    /// Returns the files that a commit has below the folder. `None` if git gives no answer, or too long a one.
    pub(crate) fn tree(self, commit: &str) -> Option<Tree> {
        let answer = self.run(&["ls-tree", "-r", "-z", "-l", commit], &[])?;
        let mut tree = Tree::default();
        for entry in answer.split(|byte| *byte == 0).filter(|entry| !entry.is_empty()) {
            match tree_file(entry) {
                Some(file) => tree.files.push(file),
                None => tree.left_out += 1,
            }
        }
        Some(tree)
    }

    /// Calls `visit` with the content of each file, as it is stored: without filters, and without conversion of line ends.
    ///
    /// # Errors
    /// Git failed, or `visit` did.
    pub(crate) fn contents(
        self,
        files: &[TreeFile],
        mut visit: impl FnMut(&TreeFile, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let repository = self.repository().ok_or_else(missing)?;
        let mut git = Program::find(&repository.work_tree).map_err(io::Error::other)?.command();
        git.current_dir(self.folder).args(["cat-file", "--batch"]).stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = git.spawn()?;
        let mut asked = child.stdin.take().ok_or_else(missing)?;
        let blobs: Vec<&str> = files.iter().flat_map(|file| [&*file.blob, "\n"]).collect();
        let blobs = blobs.concat();
        let asking = std::thread::spawn(move || asked.write_all(blobs.as_bytes()));
        let answer = child.stdout.take().ok_or_else(missing)?;
        let outcome = read_contents(BufReader::new(answer), files, &mut visit);
        // Killing fails if the process has just ended.
        let _ = child.kill();
        let _ = child.wait();
        let _ = asking.join();
        outcome
    }
}

/// Reads what `git cat-file --batch` answers about files, in their order.
fn read_contents(
    mut answer: impl BufRead,
    files: &[TreeFile],
    visit: &mut impl FnMut(&TreeFile, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    for file in files {
        let mut head = String::new();
        answer.read_line(&mut head)?;
        let bytes = head.trim_end().rsplit_once(" blob ").and_then(|(_, bytes)| bytes.parse::<u64>().ok());
        let bytes = bytes.filter(|bytes| *bytes == file.bytes).ok_or_else(missing)?;
        let mut content = vec![0; bytes as usize + 1];
        answer.read_exact(&mut content)?;
        content.pop();
        visit(file, &content)?;
    }
    Ok(())
}

fn missing() -> io::Error {
    io::Error::other("git does not answer")
}

/// Parses `100644 blob <id> <bytes>\t<path>`. `None` for what is not a plain file of a project.
fn tree_file(entry: &[u8]) -> Option<TreeFile> {
    let entry = std::str::from_utf8(entry).ok()?;
    let (head, path) = entry.split_once('\t')?;
    let mut fields = head.split_ascii_whitespace();
    let (mode, _, blob, bytes) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    // A tree of a stranger may hold what git itself would not write: a repository in the folder would configure git.
    let is_plain = mode.starts_with("100") && !path.split('/').any(|name| name.eq_ignore_ascii_case(".git"));
    let path = DocPath::new(path).ok().filter(|_| is_plain)?;
    Some(TreeFile { path, blob: blob.to_owned(), bytes: bytes.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_of_a_tree_are_read() {
        let check = |entry: &str| tree_file(entry.as_bytes()).map(|file| (file.path.to_string(), file.bytes));
        assert_eq!(check("100644 blob 0123abcd      12\tsrc/a b.rs"), Some(("src/a b.rs".to_owned(), 12)));
        for entry in [
            "120000 blob 0123abcd 5\tlink",
            "160000 commit 0123abcd -\tsub",
            "100644 blob 0123abcd 5\t../x",
            "100644 blob 0123abcd 5\tsub/.GIT/config",
            "",
        ] {
            assert_eq!(check(entry), None, "{entry}");
        }
    }
}
