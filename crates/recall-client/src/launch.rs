//! Starting the daemon's program.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::environment;
use crate::error::ConnectError;

/// The stack of the thread that waits for a daemon's exit; it does nothing else.
const REAPER_STACK_BYTES: usize = 64 * 1024;

/// Returns the path of the daemon's program.
///
/// # Errors
/// The program was not found.
pub(crate) fn binary(named: Option<&Path>) -> Result<PathBuf, ConnectError> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let searched = environment::daemon_candidates();
    match environment::first_file(&searched) {
        Some(found) => Ok(found.to_owned()),
        None => Err(ConnectError::NoBinary { searched }),
    }
}

/// Returns a command for the daemon's program that inherits only a few variables.
pub(crate) fn command(binary: &Path) -> Command {
    let mut command = Command::new(binary);
    // A working directory elsewhere would keep its file system from being unmounted.
    command.env_clear().envs(environment::for_daemon()).current_dir(if cfg!(windows) { "." } else { "/" });
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// A daemon that was started and has not answered yet.
#[derive(Debug)]
pub(crate) struct Starting {
    child: Option<Child>,
}

/// The state of a started daemon.
#[derive(Debug)]
pub(crate) enum LaunchState {
    /// It is running.
    Running,
    /// It exited because another daemon is running.
    Yielded,
    /// It exited with an error.
    Failed {
        /// Its exit status.
        status: ExitStatus,
        /// Its standard error.
        message: String,
    },
}

impl Starting {
    /// Starts a daemon that outlives this process.
    ///
    /// # Errors
    /// The program cannot be run.
    pub(crate) fn detached(binary: &Path) -> Result<Self, ConnectError> {
        let spawned = command(binary).stdin(Stdio::null()).spawn();
        let child = spawned.map_err(|source| ConnectError::Spawn { binary: binary.to_owned(), source })?;
        Ok(Self { child: Some(child) })
    }

    /// Checks whether it is still running.
    pub(crate) fn state(&mut self) -> LaunchState {
        let Some(child) = &mut self.child else { return LaunchState::Yielded };
        let Ok(Some(status)) = child.try_wait() else { return LaunchState::Running };
        let state = if status.success() {
            LaunchState::Yielded
        } else {
            LaunchState::Failed { status, message: read_stderr(child) }
        };
        self.child = None;
        state
    }
}

impl Drop for Starting {
    /// Leaves the daemon running and waits for its exit on another thread. Otherwise, a program that outlives the
    /// daemon would keep it as a zombie.
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let reaper = std::thread::Builder::new().name("reap recalld".to_owned()).stack_size(REAPER_STACK_BYTES);
            // Without a thread the zombie stays until this program ends, which is harmless.
            let _ = reaper.spawn(move || child.wait());
        }
    }
}

/// Returns the standard error of an ended daemon, on one line.
pub(crate) fn read_stderr(child: &mut Child) -> String {
    let mut said = String::new();
    if let Some(stderr) = &mut child.stderr {
        // Output that is not UTF-8 is ignored.
        let _ = stderr.read_to_string(&mut said);
    }
    said.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_program_is_used_unchanged() {
        assert_eq!(binary(Some(Path::new("/x/recalld"))).expect("named"), Path::new("/x/recalld"));
    }

    #[test]
    fn a_program_that_cannot_run_is_reported() {
        let error = Starting::detached(Path::new("/nonexistent/recalld")).expect_err("there is none");
        assert!(matches!(error, ConnectError::Spawn { binary, .. } if binary == Path::new("/nonexistent/recalld")));
    }
}
