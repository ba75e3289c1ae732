//! Starting the daemon's program, and the process environment that it gets.
//!
//! The daemon outlives its starter, so it inherits nothing that belongs to it: not the terminal, the working directory, nor most
//! variables of the environment. Several clients may start one at once: the daemons agree by a lock, and those that yield exit with
//! success.
//!
//! This is the only module of the crate that reads it.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use recall_config::Dirs;

use crate::error::ConnectError;

/// The stack of the thread that waits for a daemon's exit; it does nothing else.
const REAPER_STACK_BYTES: usize = 64 * 1024;

/// The interval between checks whether a program has printed its version. It takes a few milliseconds.
const VERSION_POLL: Duration = Duration::from_millis(2);

/// The longest version that is read.
const VERSION_BYTES: u64 = 256;

/// Returns the path of the daemon's log. Rotated logs are next to it, with a number appended.
pub fn log_file(dirs: &Dirs) -> PathBuf {
    dirs.log_dir().join("recalld.log")
}

/// Returns the path of the daemon's program.
///
/// # Errors
/// The program was not found.
pub(crate) fn binary(named: Option<&Path>) -> Result<PathBuf, ConnectError> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let searched = daemon_candidates();
    match first_file(&searched) {
        Some(found) => Ok(found.to_owned()),
        None => Err(ConnectError::NoBinary { searched }),
    }
}

/// Returns a command for the daemon's program that inherits only a few variables.
pub(crate) fn command(binary: &Path) -> Command {
    let mut command = Command::new(binary);
    // A working directory elsewhere would keep its file system from being unmounted, and on Windows itself from being deleted.
    command.env_clear().envs(for_daemon()).current_dir(system_folder());
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Keeps an interrupt at the terminal from a program: this program ends it itself.
pub(crate) fn ignore_interrupts(command: &mut Command) {
    platform::new_group(command);
}

/// Returns the version that a daemon's program prints; `None` if it cannot be run or prints none in time.
pub(crate) async fn version_of(binary: &Path, patience: Duration) -> Option<String> {
    let mut child = command(binary)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let began = Instant::now();
    let succeeded = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if began.elapsed() < patience => tokio::time::sleep(VERSION_POLL).await,
            Ok(None) | Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                break false;
            }
        }
    };
    let mut said = String::new();
    // One line fits into the pipe, so the program never waits for its reader.
    child.stdout.take()?.take(VERSION_BYTES).read_to_string(&mut said).ok()?;
    let version = said.split_whitespace().nth(1).filter(|_| succeeded)?;
    Some(version.to_owned())
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
    pub(crate) fn start_detached(binary: &Path) -> Result<Self, ConnectError> {
        let mut command = command(binary);
        platform::detach(&mut command);
        let spawned = command.stdin(Stdio::null()).spawn();
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

#[cfg(unix)]
mod platform {
    //! How a program is separated from its starter on Unix.

    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    /// Nothing to do: the daemon begins a session of its own.
    pub(super) fn detach(_command: &mut Command) {}

    pub(super) fn new_group(command: &mut Command) {
        command.process_group(0);
    }
}

#[cfg(windows)]
mod platform {
    //! How a program is separated from its starter on Windows.

    use std::os::windows::process::CommandExt as _;
    use std::process::Command;

    /// `DETACHED_PROCESS`: the program has no console, so it survives the closing of the starter's.
    const WITHOUT_CONSOLE: u32 = 0x0000_0008;

    /// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C in the starter's console is not for the program.
    const NEW_GROUP: u32 = 0x0000_0200;

    /// Also keeps the pipes of this process from the program, which outlives it.
    pub(super) fn detach(command: &mut Command) {
        command.creation_flags(WITHOUT_CONSOLE | NEW_GROUP);
        recall_os::system::keep_standard_handles();
    }

    pub(super) fn new_group(command: &mut Command) {
        command.creation_flags(NEW_GROUP);
    }
}

/// The file name of the daemon's program.
const BINARY: &str = if cfg!(windows) { "recalld.exe" } else { "recalld" };

/// Variables that the daemon inherits: the folders of the user and of the agent whose memory is read, language and time zone.
const INHERITED: [&str; 26] = [
    "HOME",
    "USER",
    "LOGNAME",
    "PATH",
    "LANG",
    "TZ",
    "TMPDIR",
    "SHELL",
    "RUST_BACKTRACE",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "SYSTEMROOT",
    "WINDIR",
    "SYSTEMDRIVE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "COMSPEC",
    "PATHEXT",
    "TEMP",
    "TMP",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "GEMINI_CLI_HOME",
];

/// Prefixes of further inherited variables: recall's own, the user's directories, the locale.
const INHERITED_PREFIXES: [&str; 3] = ["RECALL_", "XDG_", "LC_"];

/// The key of the page's API. `recall ui` sends it; the daemon reads no key from its environment.
const API_KEY: &str = "RECALL_API_KEY";

/// Returns the variables that the daemon inherits.
///
/// The daemon also serves later clients, so it must neither depend on the shell that started it nor keep the secrets of
/// that shell.
pub(crate) fn for_daemon() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_inherited))
}

fn is_inherited(name: &str) -> bool {
    // Windows spells `Path` and `SystemRoot` so, and ignores case.
    let upper = if cfg!(windows) { name.to_ascii_uppercase() } else { name.to_owned() };
    let name = upper.as_str();
    name != API_KEY && (INHERITED.contains(&name) || INHERITED_PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
}

/// Returns the paths where the daemon's program may be, in order of preference.
pub(crate) fn daemon_candidates() -> Vec<PathBuf> {
    if let Some(named) = std::env::var_os("RECALL_DAEMON") {
        return vec![named.into()];
    }
    let beside = std::env::current_exe().ok().and_then(|exe| exe.parent().map(|folder| folder.join(BINARY)));
    let on_path = std::env::var_os("PATH");
    let on_path = on_path.iter().flat_map(std::env::split_paths).filter(|folder| folder.is_absolute());
    beside.into_iter().chain(on_path.map(|folder| folder.join(BINARY))).collect()
}

/// A folder of the system that nobody deletes or unmounts.
pub(crate) fn system_folder() -> PathBuf {
    let windows = std::env::var_os("SYSTEMROOT").filter(|_| cfg!(windows));
    windows.map_or_else(|| PathBuf::from("/"), PathBuf::from)
}

/// The parent folder of the private daemons' folders.
pub(crate) fn temporary_folder() -> PathBuf {
    std::env::temp_dir()
}

/// Returns the first candidate that is a file.
pub(crate) fn first_file(candidates: &[PathBuf]) -> Option<&Path> {
    candidates.iter().map(PathBuf::as_path).find(|candidate| candidate.is_file())
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
        let error = Starting::start_detached(Path::new("/nonexistent/recalld")).expect_err("there is none");
        assert!(matches!(error, ConnectError::Spawn { binary, .. } if binary == Path::new("/nonexistent/recalld")));
    }

    #[test]
    fn the_daemon_inherits_no_secrets() {
        for inherited in ["HOME", "RECALL_HOME", "RECALL_DAEMON__DRAIN", "XDG_RUNTIME_DIR", "LC_ALL"] {
            assert!(is_inherited(inherited), "{inherited}");
        }
        for left_out in
            ["AWS_SECRET_ACCESS_KEY", "ANTHROPIC_API_KEY", "CLAUDE_CODE_SESSION_ID", "NOTIFY_SOCKET", API_KEY]
        {
            assert!(!is_inherited(left_out), "{left_out}");
        }
    }

    #[test]
    fn the_first_file_is_taken() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let [missing, folder, file] = ["missing", "folder", "file"].map(|name| directory.path().join(name));
        std::fs::create_dir(&folder).expect("writable");
        std::fs::write(&file, "").expect("writable");
        assert_eq!(first_file(&[missing.clone(), folder.clone(), file.clone()]), Some(file.as_path()));
        assert_eq!(first_file(&[missing, folder]), None);
    }
}
