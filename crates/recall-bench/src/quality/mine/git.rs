//! Read-only child processes of `git`, and the commits with their changed files that `git log` prints.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command};
use std::thread::JoinHandle;

use recall_os::git::Program;

use super::error::GitError;

/// The most bytes of standard error that are kept.
const MESSAGE_BYTES: u64 = 4096;

/// The buffer size of the output: the capacity of a pipe.
const PIPE_BYTES: usize = 64 * 1024;

/// Returns a read-only `git` command. A `git` program inside the folder is never used.
///
/// # Errors
/// `git` is not installed.
pub(super) fn command(folder: &Path) -> Result<Command, GitError> {
    Ok(Program::find(folder)?.command())
}

/// Returns a `git` command for a repository.
///
/// # Errors
/// As [`command`].
pub(super) fn in_repository(git_dir: &Path) -> Result<Command, GitError> {
    // The project is the parent of a `.git` folder; a bare repository is its own project.
    let project = git_dir.parent().filter(|_| git_dir.file_name().is_some_and(|name| name == ".git"));
    let mut git = command(project.unwrap_or(git_dir))?;
    git.arg("--git-dir").arg(git_dir);
    Ok(git)
}

/// A running `git`, whose output is read as it arrives. Dropping it kills the process.
#[derive(Debug)]
pub(super) struct GitProcess {
    name: &'static str,
    repository: PathBuf,
    pub(super) child: Child,
    pub(super) stdout: BufReader<ChildStdout>,
    stderr_reader: Option<JoinHandle<String>>,
}

impl GitProcess {
    /// Starts the process. `name` and `repository` appear in errors.
    pub(super) fn start(mut git: Command, name: &'static str, repository: &Path) -> Result<Self, GitError> {
        let mut child = git.spawn().map_err(|source| GitError::Broken { source })?;
        let stdout = BufReader::with_capacity(PIPE_BYTES, child.stdout.take().expect("stdout is piped"));
        let stderr = child.stderr.take().expect("stderr is piped");
        // Read on another thread, so that neither pipe fills up while the other is read.
        let stderr_reader = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut stderr = stderr;
            // The bytes read before a failure are still useful.
            let _ = stderr.by_ref().take(MESSAGE_BYTES).read_to_end(&mut bytes);
            let _ = io::copy(&mut stderr, &mut io::sink());
            String::from_utf8_lossy(&bytes).trim().to_owned()
        });
        Ok(Self { name, repository: repository.to_owned(), child, stdout, stderr_reader: Some(stderr_reader) })
    }

    /// Reads up to the next NUL, which is not returned; `None` at the end of the output.
    pub(super) fn field(&mut self) -> Result<Option<Vec<u8>>, GitError> {
        let mut field = Vec::new();
        self.stdout.read_until(0, &mut field).map_err(|source| self.pipe_error(source))?;
        if field.pop().is_none() {
            return Ok(None);
        }
        Ok(Some(field))
    }

    /// Waits for the process to exit.
    pub(super) fn finish(mut self) -> Result<(), GitError> {
        let status = self.child.wait().map_err(|source| self.pipe_error(source))?;
        let message = self.stderr_reader.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        if status.success() {
            return Ok(());
        }
        let message = if message.is_empty() { status.to_string() } else { message };
        Err(GitError::Failed { command: self.name, repository: self.repository.clone(), message })
    }

    /// The error of a broken pipe.
    pub(super) fn pipe_error(&self, source: io::Error) -> GitError {
        GitError::Pipe { command: self.name, repository: self.repository.clone(), source }
    }

    /// The error of output that does not have the expected format.
    pub(super) fn malformed_output(&self, output: &[u8]) -> GitError {
        /// Enough bytes to recognise the output.
        const SHOWN: usize = 80;
        let output = String::from_utf8_lossy(&output[..output.len().min(SHOWN)]).into_owned();
        GitError::Output { command: self.name, repository: self.repository.clone(), output }
    }
}

impl Drop for GitProcess {
    fn drop(&mut self) {
        // Both calls fail if the process has already exited, which is harmless.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `git` to completion and returns its output, which must be small.
pub(super) fn output(git: Command, name: &'static str, repository: &Path) -> Result<String, GitError> {
    let mut process = GitProcess::start(git, name, repository)?;
    let mut bytes = Vec::new();
    process.stdout.read_to_end(&mut bytes).map_err(|source| process.pipe_error(source))?;
    process.finish()?;
    Ok(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned())
}

/// A commit with its changed files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// The full id.
    pub id: String,
    /// The parents' ids, separated by spaces. Empty for a root commit and at the boundary of a shallow clone.
    pub parents: String,
    /// The first line of the message.
    pub subject: String,
    /// The rest of the message.
    pub body: String,
    /// The changed paths that are UTF-8, each with its status letter: `A`, `D`, `M`, `T`.
    pub changes: Vec<(u8, String)>,
}

/// A part of a file that a commit changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// The line that git takes for the beginning of the definition around it; may be empty.
    pub heading: String,
    /// The lines before the commit, with three around the change.
    pub before: String,
    /// The lines after it.
    pub after: String,
}

impl Hunk {
    /// Reads the hunks of the patch of one file.
    pub(super) fn read_all(patch: &str) -> Vec<Self> {
        let mut hunks: Vec<Self> = Vec::new();
        for line in patch.lines() {
            if let Some(rest) = line.strip_prefix("@@ ") {
                let heading = rest.split_once("@@").map_or("", |(_, heading)| heading.trim());
                hunks.push(Self { heading: heading.to_owned(), ..Self::default() });
            } else if let Some(hunk) = hunks.last_mut() {
                // A line such as `\ No newline at end of file` is of neither side.
                let Some(text) = line.get(1..) else { continue };
                let (is_before, is_after) = (line.starts_with([' ', '-']), line.starts_with([' ', '+']));
                for (_, side) in
                    [(is_before, &mut hunk.before), (is_after, &mut hunk.after)].into_iter().filter(|side| side.0)
                {
                    side.push_str(text);
                    side.push('\n');
                }
            }
        }
        hunks
    }
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
        let process = GitProcess::start(log_command(git_dir, lineage, most_commits)?, "log", git_dir)?;
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

fn log_command(git_dir: &Path, lineage: Lineage, most_commits: usize) -> Result<Command, GitError> {
    let mut git = in_repository(git_dir)?;
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
