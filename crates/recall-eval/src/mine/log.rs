//! What does `git log` say about each commit?

use std::path::Path;
use std::process::Command;

use super::error::GitError;
use super::git::{self, Running};
use super::history::Lineage;

/// A commit with what it does to files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) id: String,
    /// Empty for a first commit, and where a shallow clone ends.
    pub(super) parents: String,
    pub(super) subject: String,
    /// Paths that are text, each with the letter of its change: `A`, `D`, `M`, `T`.
    pub(super) changes: Vec<(u8, String)>,
}

/// Reads commits, newest first, one at a time.
pub(super) struct Log {
    running: Running,
    next: Option<Vec<u8>>,
}

/// Begins a commit; a letter of a change never equals it.
const RECORD: u8 = 0x1e;

/// Stands between the parts of a commit's first field.
const UNIT: char = '\u{1f}';

impl Log {
    /// Starts reading at `HEAD`.
    pub(super) fn start(git_dir: &Path, lineage: Lineage, most_commits: usize) -> Result<Self, GitError> {
        let running = Running::start(command(git_dir, lineage, most_commits)?, "log", git_dir)?;
        Ok(Self { running, next: None })
    }

    /// The next commit; `None` at the end.
    pub(super) fn commit(&mut self) -> Result<Option<Commit>, GitError> {
        let head = match self.next.take() {
            Some(head) => head,
            None => match self.running.field()? {
                Some(head) => head,
                None => return Ok(None),
            },
        };
        let mut commit = self.head(&head)?;
        while let Some(field) = self.running.field()? {
            if field.first() == Some(&RECORD) {
                self.next = Some(field);
                break;
            }
            let letter = change(&field).ok_or_else(|| self.running.nonsense(&field))?;
            let path = self.running.field()?.ok_or_else(|| self.running.nonsense(&field))?;
            // A path that is no text names no document.
            if let Ok(path) = String::from_utf8(path) {
                commit.changes.push((letter, path));
            }
        }
        Ok(Some(commit))
    }

    /// Waits for the end of `git`.
    pub(super) fn finish(self) -> Result<(), GitError> {
        self.running.finish()
    }

    fn head(&self, field: &[u8]) -> Result<Commit, GitError> {
        let text = String::from_utf8_lossy(field);
        let mut parts = text.strip_prefix(char::from(RECORD)).unwrap_or_default().splitn(3, UNIT);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(id), Some(parents), Some(subject)) if !id.is_empty() => Ok(Commit {
                id: id.to_owned(),
                parents: parents.to_owned(),
                subject: subject.to_owned(),
                changes: Vec::new(),
            }),
            _ => Err(self.running.nonsense(field)),
        }
    }
}

/// The letter of a change; the first of a commit stands on a line of its own.
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
        // Renames are looked for in contents, which a partial clone may lack and which takes long.
        .args(["-z", "--name-status", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"])
        .args(["--no-notes", "--no-mailmap", "--encoding=UTF-8", "--format=%x1e%H%x1f%P%x1f%s", "HEAD", "--"]);
    Ok(git)
}
