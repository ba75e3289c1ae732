//! Commits and their changed files, from `git log`.

use std::path::Path;
use std::process::Command;

use super::error::GitError;
use super::git::{self, GitProcess};

/// A commit with its changed files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) id: String,
    /// The parents' ids, separated by spaces. Empty for a root commit and at the boundary of a shallow clone.
    pub(super) parents: String,
    pub(super) subject: String,
    /// The rest of the message.
    pub(super) body: String,
    /// The changed paths that are UTF-8, each with its status letter: `A`, `D`, `M`, `T`.
    pub(super) changes: Vec<(u8, String)>,
}

/// Which commits of a history are read. Merge commits are always skipped: they have no changes of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lineage {
    /// Those of the branch itself, so that consecutive trees differ by one commit.
    #[default]
    FirstParent,
    /// Those of merged branches too, for a history that consists of merges.
    All,
}

/// A stream of commits, newest first.
pub(super) struct Log {
    process: GitProcess,
    next: Option<Vec<u8>>,
}

/// The first byte of a commit's record; no status letter equals it.
const RECORD: u8 = 0x1e;

/// The separator between the parts of a commit's first field.
const UNIT: char = '\u{1f}';

impl Log {
    /// Starts reading at `HEAD`.
    pub(super) fn start(git_dir: &Path, lineage: Lineage, most_commits: usize) -> Result<Self, GitError> {
        let process = GitProcess::start(command(git_dir, lineage, most_commits)?, "log", git_dir)?;
        Ok(Self { process, next: None })
    }

    /// Returns the next commit; `None` at the end.
    pub(super) fn commit(&mut self) -> Result<Option<Commit>, GitError> {
        let head = match self.next.take() {
            Some(head) => head,
            None => match self.process.field()? {
                Some(head) => head,
                None => return Ok(None),
            },
        };
        let mut commit = self.head(&head)?;
        while let Some(field) = self.process.field()? {
            if field.first() == Some(&RECORD) {
                self.next = Some(field);
                break;
            }
            let letter = change(&field).ok_or_else(|| self.process.malformed_output(&field))?;
            let path = self.process.field()?.ok_or_else(|| self.process.malformed_output(&field))?;
            // A path that is not UTF-8 cannot be the path of a document.
            if let Ok(path) = String::from_utf8(path) {
                commit.changes.push((letter, path));
            }
        }
        Ok(Some(commit))
    }

    /// Waits for `git` to exit.
    pub(super) fn finish(self) -> Result<(), GitError> {
        self.process.finish()
    }

    fn head(&self, field: &[u8]) -> Result<Commit, GitError> {
        let text = String::from_utf8_lossy(field);
        let mut parts = text.strip_prefix(char::from(RECORD)).unwrap_or_default().splitn(4, UNIT);
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(id), Some(parents), Some(subject), Some(body)) if !id.is_empty() => Ok(Commit {
                id: id.to_owned(),
                parents: parents.to_owned(),
                subject: subject.to_owned(),
                body: body.to_owned(),
                changes: Vec::new(),
            }),
            _ => Err(self.process.malformed_output(field)),
        }
    }
}

/// Parses a status letter; the first one of a commit is preceded by a line feed.
fn change(field: &[u8]) -> Option<u8> {
    match field.strip_prefix(b"\n").unwrap_or(field) {
        [letter] if letter.is_ascii_uppercase() => Some(*letter),
        _ => None,
    }
}

fn command(git_dir: &Path, lineage: Lineage, most_commits: usize) -> Result<Command, GitError> {
    let mut git = git::in_repository(git_dir)?;
    git.args(["-c", "log.showSignature=false", "log", "--no-merges"]);
    match lineage {
        Lineage::FirstParent => git.arg("--first-parent"),
        Lineage::All => git.arg("--date-order"),
    };
    git.arg(format!("--max-count={most_commits}"))
        // Rename detection reads file contents, which is slow and which a partial clone may not have.
        .args(["-z", "--name-status", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"])
        .args(["--no-notes", "--no-mailmap", "--encoding=UTF-8", "--format=%x1e%H%x1f%P%x1f%s%x1f%b", "HEAD", "--"]);
    Ok(git)
}
