//! How is a daemon started?

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::environment;
use crate::error::ConnectError;

/// The stack of the thread that waits for a daemon's end; it does nothing else.
const REAPER_STACK_BYTES: usize = 64 * 1024;

/// The daemon's program.
///
/// # Errors
/// There is none where it is looked for.
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

/// A command for the daemon's program that takes nothing of this process along but a few variables.
pub(crate) fn command(binary: &Path) -> Command {
    let mut command = Command::new(binary);
    // Its working directory must not keep a file system from being unmounted.
    command.env_clear().envs(environment::for_daemon()).current_dir(if cfg!(windows) { "." } else { "/" });
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// A daemon that was started and has not answered yet.
#[derive(Debug)]
pub(crate) struct Starting {
    child: Option<Child>,
}

/// What became of it.
#[derive(Debug)]
pub(crate) enum Fate {
    /// It runs.
    Running,
    /// It found another daemon and left the work to it.
    Yielded,
    /// It failed.
    Failed {
        /// How it ended.
        status: ExitStatus,
        /// What it said.
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

    /// Looks whether it still runs.
    pub(crate) fn fate(&mut self) -> Fate {
        let Some(child) = &mut self.child else { return Fate::Yielded };
        let Ok(Some(status)) = child.try_wait() else { return Fate::Running };
        let fate = if status.success() { Fate::Yielded } else { Fate::Failed { status, message: last_words(child) } };
        self.child = None;
        fate
    }
}

impl Drop for Starting {
    /// Leaves the daemon running, and waits for its end aside: without that, a program that outlives the daemon would
    /// keep it as a zombie.
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let reaper = std::thread::Builder::new().name("reap recalld".to_owned()).stack_size(REAPER_STACK_BYTES);
            // Without a thread the zombie stays until this program ends, which harms nobody else.
            let _ = reaper.spawn(move || child.wait());
        }
    }
}

/// What an ended daemon wrote to its standard error, on one line.
pub(crate) fn last_words(child: &mut Child) -> String {
    let mut said = String::new();
    if let Some(stderr) = &mut child.stderr {
        // What is no text is not worth telling.
        let _ = stderr.read_to_string(&mut said);
    }
    said.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_named_is_taken_as_it_is() {
        assert_eq!(binary(Some(Path::new("/x/recalld"))).expect("named"), Path::new("/x/recalld"));
    }

    #[test]
    fn a_program_that_cannot_run_is_named() {
        let error = Starting::detached(Path::new("/nonexistent/recalld")).expect_err("there is none");
        assert!(matches!(error, ConnectError::Spawn { binary, .. } if binary == Path::new("/nonexistent/recalld")));
    }
}
