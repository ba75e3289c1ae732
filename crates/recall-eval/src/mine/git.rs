//! How is `git` run so that it only reads?

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

use super::error::GitError;

/// Variables by which a surrounding `git` (a hook, an alias) would point this one at its own repository and index:
/// `git rev-parse --local-env-vars`.
const OF_ANOTHER_REPOSITORY: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// The longest complaint of `git` that is kept.
const MESSAGE_BYTES: u64 = 4096;

/// As much as a pipe holds is read at once.
const PIPE_BYTES: usize = 64 * 1024;

/// `git`, which takes nothing from the network, runs nothing, asks nobody and takes no lock.
pub(super) fn command() -> Command {
    let mut git = Command::new("git");
    for variable in OF_ANOTHER_REPOSITORY {
        git.env_remove(variable);
    }
    git.env("GIT_TERMINAL_PROMPT", "0")
        // A partial clone would fetch what it lacks.
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        // Complaints are compared and shown; paths are not to be quoted.
        .env("LC_ALL", "C")
        // A list of protocols that are allowed, on which there is none.
        .env("GIT_ALLOW_PROTOCOL", "none")
        .args(["--no-pager", "-c", "core.hooksPath=/dev/null"])
        .args(["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    git
}

/// `git` in a repository.
pub(super) fn in_repository(git_dir: &Path) -> Command {
    let mut git = command();
    git.arg("--git-dir").arg(git_dir);
    git
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
        let mut child = git.spawn().map_err(|source| GitError::Missing { source })?;
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
