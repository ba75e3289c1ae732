//! How is `git` run so that it only reads?

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command};
use std::thread::JoinHandle;

use recall_git::Program;

use super::error::GitError;

/// The longest complaint of `git` that is kept.
const MESSAGE_BYTES: u64 = 4096;

/// As much as a pipe holds is read at once.
const PIPE_BYTES: usize = 64 * 1024;

/// `git`, which only reads. It is none of those that the folder may hold.
///
/// # Errors
/// There is no other one.
pub(super) fn command(folder: &Path) -> Result<Command, GitError> {
    Ok(Program::find(folder)?.command())
}

/// `git` in a repository.
///
/// # Errors
/// As [`command`].
pub(super) fn in_repository(git_dir: &Path) -> Result<Command, GitError> {
    // The folder of a `.git` is the project; a bare repository is its own.
    let project = git_dir.parent().filter(|_| git_dir.file_name().is_some_and(|name| name == ".git"));
    let mut git = command(project.unwrap_or(git_dir))?;
    git.arg("--git-dir").arg(git_dir);
    Ok(git)
}

/// A running `git`, whose output is read as it comes. Ended when it is dropped before its end.
#[derive(Debug)]
pub(super) struct Running {
    name: &'static str,
    repository: PathBuf,
    pub(super) child: Child,
    pub(super) stdout: BufReader<ChildStdout>,
    complaint: Option<JoinHandle<String>>,
}

impl Running {
    /// Starts it; `name` and `repository` are for errors.
    pub(super) fn start(mut git: Command, name: &'static str, repository: &Path) -> Result<Self, GitError> {
        let mut child = git.spawn().map_err(|source| GitError::Broken { source })?;
        let stdout = BufReader::with_capacity(PIPE_BYTES, child.stdout.take().expect("every command here is piped"));
        let stderr = child.stderr.take().expect("every command here is piped");
        // Read beside the output, so that neither pipe fills up while the other is waited for.
        let complaint = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut stderr = stderr;
            // What was read before a failure is worth telling all the same.
            let _ = stderr.by_ref().take(MESSAGE_BYTES).read_to_end(&mut bytes);
            let _ = io::copy(&mut stderr, &mut io::sink());
            String::from_utf8_lossy(&bytes).trim().to_owned()
        });
        Ok(Self { name, repository: repository.to_owned(), child, stdout, complaint: Some(complaint) })
    }

    /// Reads up to the next NUL, which is left out; `None` at the end of the output.
    pub(super) fn field(&mut self) -> Result<Option<Vec<u8>>, GitError> {
        let mut field = Vec::new();
        self.stdout.read_until(0, &mut field).map_err(|source| self.broken(source))?;
        if field.pop().is_none() {
            return Ok(None);
        }
        Ok(Some(field))
    }

    /// Waits for its end.
    pub(super) fn finish(mut self) -> Result<(), GitError> {
        let status = self.child.wait().map_err(|source| self.broken(source))?;
        let message = self.complaint.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        if status.success() {
            return Ok(());
        }
        let message = if message.is_empty() { status.to_string() } else { message };
        Err(GitError::Failed { command: self.name, repository: self.repository.clone(), message })
    }

    /// Its pipe broke.
    pub(super) fn broken(&self, source: io::Error) -> GitError {
        GitError::Pipe { command: self.name, repository: self.repository.clone(), source }
    }

    /// It wrote what is not understood.
    pub(super) fn nonsense(&self, output: &[u8]) -> GitError {
        /// Enough to recognise it.
        const SHOWN: usize = 80;
        let output = String::from_utf8_lossy(&output[..output.len().min(SHOWN)]).into_owned();
        GitError::Output { command: self.name, repository: self.repository.clone(), output }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when it has ended already, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `git` to its end and takes its output, which is small.
pub(super) fn output(git: Command, name: &'static str, repository: &Path) -> Result<String, GitError> {
    let mut running = Running::start(git, name, repository)?;
    let mut bytes = Vec::new();
    running.stdout.read_to_end(&mut bytes).map_err(|source| running.broken(source))?;
    running.finish()?;
    Ok(String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned())
}
