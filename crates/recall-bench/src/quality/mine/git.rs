//! Read-only child processes of `git`.

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
