//! Isolated homes for the programs under test, with the programs installed and projects to index.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use recall_config::{Dirs, Environment};
use tempfile::TempDir;

use crate::{Outcome, Running, running, wait_until};

/// A separate home for the programs under test.
///
/// It contains `RECALL_HOME`, the user's `HOME` and the projects. On drop, also during a panic, all processes that were
/// started in it are killed and its files are removed.
#[derive(Debug)]
pub struct Sandbox {
    // Dropped last, after the processes that write into it.
    place: TempDir,
    binaries: Binaries,
    variables: Vec<(String, String)>,
}

impl Sandbox {
    /// Creates a sandbox.
    ///
    /// # Panics
    /// If the temporary folder cannot be written.
    pub fn new(binaries: Binaries) -> Self {
        // The length of a socket's path is limited, and the environment's temporary folder may be deep.
        let parent = if cfg!(unix) { PathBuf::from("/tmp") } else { std::env::temp_dir() };
        let place = tempfile::Builder::new()
            .prefix("recall-test-")
            .tempdir_in(parent)
            .expect("the temporary folder can be written");
        let sandbox = Self {
            place,
            binaries,
            // If the test process is killed, the daemon that it started still ends.
            variables: vec![("RECALL_DAEMON__IDLE_EXIT".to_owned(), "120s".to_owned())],
        };
        for folder in [sandbox.user_home(), sandbox.recall_home()] {
            std::fs::create_dir(folder).expect("a new folder can be written");
        }
        sandbox
    }

    /// Adds a variable to the programs' environment.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns the folder that contains all others.
    pub fn path(&self) -> &Path {
        self.place.path()
    }

    /// Returns the programs that run in it.
    pub fn binaries(&self) -> &Binaries {
        &self.binaries
    }

    /// Returns the programs' `HOME`.
    pub fn user_home(&self) -> PathBuf {
        self.path().join("home")
    }

    /// Returns the programs' `RECALL_HOME`.
    pub fn recall_home(&self) -> PathBuf {
        self.path().join("r")
    }

    /// Returns the folders of the programs' files.
    ///
    /// # Panics
    /// Never: the sandbox's path is short and absolute.
    pub fn dirs(&self) -> Dirs {
        let environment = Environment { recall_home: Some(self.recall_home()), ..Environment::default() };
        Dirs::from_environment(&environment).expect("the sandbox's path is short and absolute")
    }

    /// Creates a project with files, or adds files to the project with that name.
    ///
    /// # Panics
    /// If a file cannot be written.
    pub fn project(&self, name: &str, files: &[(&str, &str)]) -> Project {
        Project::make(self.path().join("src").join(name), files)
    }

    /// Returns a command that runs a program in a folder, without the test's own environment.
    pub fn command(&self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("HOME", self.user_home())
            .env("RECALL_HOME", self.recall_home())
            .env("PATH", program.parent().map_or(OsStr::new(""), Path::as_os_str))
            .env("RUST_BACKTRACE", "1")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(folder);
        // Windows programs do not start without it.
        if let Some(system) = std::env::var_os("SystemRoot") {
            command.env("SystemRoot", system);
        }
        command
    }

    /// Runs `recall` in a project to its end.
    ///
    /// # Panics
    /// If it does not end in time.
    #[track_caller]
    pub fn recall(&self, project: &Project, arguments: &[&str]) -> Outcome {
        self.recall_in(project.root(), arguments)
    }

    /// Runs the command in a folder, to its end.
    pub fn recall_in(&self, folder: &Path, arguments: &[&str]) -> Outcome {
        let mut command = self.command(&self.binaries.recall, folder);
        command.args(arguments);
        Running::to_end(command)
    }

    /// Starts `recall` in a project.
    ///
    /// # Panics
    /// If it cannot be started.
    #[track_caller]
    pub fn start_recall(&self, project: &Project, arguments: &[&str]) -> Running {
        let mut command = self.command(&self.binaries.recall, project.root());
        command.args(arguments);
        Running::start(command)
    }

    /// Starts `recall-shim` in a project, as an agent would.
    ///
    /// # Panics
    /// If it cannot be started.
    #[track_caller]
    pub fn start_shim(&self, project: &Project, arguments: &[&str]) -> Running {
        let mut command = self.command(&self.binaries.recall_shim, project.root());
        command.args(arguments);
        Running::start(command)
    }

    /// Starts `recalld` in the foreground and waits until its socket answers.
    ///
    /// # Panics
    /// If it cannot be started, or ends before it answers.
    #[track_caller]
    pub fn start_daemon(&self, arguments: &[&str]) -> Running {
        let mut command = self.command(&self.binaries.recalld, self.path());
        command.args(arguments);
        let mut daemon = Running::start(command);
        let answers = wait_until("a daemon that answers", || {
            if self.is_listening() { Some(true) } else { daemon.has_ended().then_some(false) }
        });
        assert!(answers, "the daemon ended before it answered: {:?}", daemon.finish());
        daemon
    }

    /// Whether a process listens on the daemon's socket.
    #[cfg(unix)]
    pub fn is_listening(&self) -> bool {
        std::os::unix::net::UnixStream::connect(self.dirs().socket()).is_ok()
    }

    /// Whether a daemon holds its lock. Connecting to the named pipe would use it up.
    #[cfg(not(unix))]
    pub fn is_listening(&self) -> bool {
        self.dirs().lock().exists()
    }

    /// Returns the ids of the running processes that were started in this sandbox.
    #[cfg(target_os = "linux")]
    pub fn processes(&self) -> Vec<i32> {
        running::running_processes(&self.recall_home())
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let ended = running::kill_all(&self.recall_home());
        assert!(ended || std::thread::panicking(), "a process in {} cannot be killed", self.path().display());
    }
}

/// A project folder in a sandbox.
#[derive(Clone, Debug)]
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// Creates a folder with files. The paths are relative to it; parent folders are created.
    pub(crate) fn make(root: PathBuf, files: &[(&str, &str)]) -> Self {
        fs::create_dir_all(&root).unwrap_or_else(|error| panic!("cannot create `{}`: {error}", root.display()));
        let project = Self { root };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// Returns the project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path of a file below the root.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Writes a file and creates its folders.
    ///
    /// # Panics
    /// If the file cannot be written.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).unwrap_or_else(|error| panic!("cannot create `{}`: {error}", folder.display()));
        }
        fs::write(&path, content).unwrap_or_else(|error| panic!("cannot write `{}`: {error}", path.display()));
    }

    /// Removes a file.
    ///
    /// # Panics
    /// If the file cannot be removed.
    pub fn remove(&self, path: &str) {
        let path = self.path(path);
        fs::remove_file(&path).unwrap_or_else(|error| panic!("cannot remove `{}`: {error}", path.display()));
    }
}

/// The programs under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binaries {
    /// `recall`, the command line.
    pub recall: PathBuf,
    /// `recalld`, the daemon.
    pub recalld: PathBuf,
    /// `recall-shim`, the MCP server.
    pub recall_shim: PathBuf,
    /// `recall-bench`, which `recall bench` and `recall eval` run.
    pub recall_bench: PathBuf,
}

impl Binaries {
    /// Puts the programs into one folder under their installed names.
    ///
    /// Test packages build them under other names, because two packages of a workspace cannot both build a `recalld`;
    /// but a client looks for the daemon next to itself. The folder should be on the file system of the programs: they
    /// are hard-linked, and copied only if that fails. Safe to call from several test processes at once.
    ///
    /// # Panics
    /// If the folder cannot be written.
    #[must_use]
    pub fn installed_in(&self, folder: &Path) -> Self {
        fs::create_dir_all(folder).unwrap_or_else(|error| panic!("cannot create `{}`: {error}", folder.display()));
        let install = |program: &Path, name: &str| {
            let place = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
            install(program, &place).unwrap_or_else(|error| panic!("cannot install `{}`: {error}", place.display()));
            place
        };
        Self {
            recall: install(&self.recall, "recall"),
            recalld: install(&self.recalld, "recalld"),
            recall_shim: install(&self.recall_shim, "recall-shim"),
            recall_bench: install(&self.recall_bench, "recall-bench"),
        }
    }
}

/// Links or copies a program to a path, replacing an existing one atomically.
fn install(program: &Path, place: &Path) -> io::Result<()> {
    let folder = place.parent().expect("the path has a parent folder");
    let new = tempfile::Builder::new().prefix(".new-").tempdir_in(folder)?;
    let new = new.path().join("program");
    fs::hard_link(program, &new).or_else(|_| fs::copy(program, &new).map(drop))?;
    fs::rename(&new, place)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::running;

    fn sandbox() -> Sandbox {
        let shell = PathBuf::from("/bin/sh");
        Sandbox::new(Binaries {
            recall: shell.clone(),
            recalld: shell.clone(),
            recall_shim: shell.clone(),
            recall_bench: shell,
        })
    }

    #[test]
    fn a_program_sees_nothing_of_the_test_environment() {
        let sandbox = sandbox().with_variable("RECALL_DAEMON__IDLE_EXIT", "1s").with_variable("EXTRA", "yes");
        let project = sandbox.project("p", &[("a/b.txt", "text")]);
        let outcome = sandbox.recall(&project, &["-c", "set; echo; cat a/b.txt"]);
        let seen = |name: &str| outcome.stdout.lines().any(|line| line.starts_with(&format!("{name}=")));
        assert!(seen("HOME") && seen("RECALL_HOME") && seen("EXTRA"), "{}", outcome.stdout);
        assert!(!seen("CARGO_MANIFEST_DIR") && !seen("USER"), "{}", outcome.stdout);
        assert!(outcome.stdout.contains("RECALL_DAEMON__IDLE_EXIT='1s'"), "{}", outcome.stdout);
        assert!(outcome.stdout.ends_with("text"), "{}", outcome.stdout);
    }

    #[test]
    fn a_detached_process_ends_with_its_sandbox_even_if_the_test_panics() {
        let in_a_sandbox = |body: fn()| {
            let sandbox = sandbox();
            let (home, folder) = (sandbox.recall_home(), sandbox.path().to_owned());
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
                let project = sandbox.project("p", &[]);
                let detached = "setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo started";
                assert_eq!(sandbox.recall(&project, &["-c", detached]).stdout, "started\n");
                assert_eq!(sandbox.processes().len(), 1);
                body();
            }));
            assert!(running::running_processes(&home).is_empty());
            assert!(!folder.exists());
            outcome
        };
        assert!(in_a_sandbox(|| {}).is_ok());
        assert!(in_a_sandbox(|| panic!("a test fails")).is_err());
    }

    #[test]
    #[should_panic(expected = "the daemon ended before it answered: Outcome { code: Some(4)")]
    fn a_daemon_that_cannot_start_fails_at_once() {
        sandbox().start_daemon(&["-c", "echo why >&2; exit 4"]);
    }

    #[test]
    fn programs_are_replaced_by_newer_ones() {
        let place = tempfile::tempdir().expect("temporary folder");
        let built = |name: &str| place.path().join(name);
        let binaries =
            Binaries { recall: built("a"), recalld: built("b"), recall_shim: built("c"), recall_bench: built("d") };
        for content in ["old", "new"] {
            for name in ["a", "b", "c", "d"] {
                // A linker replaces a program instead of writing into it.
                fs::write(built("fresh"), format!("{content} {name}")).expect("written");
                fs::rename(built("fresh"), built(name)).expect("renamed");
            }
            for _ in 0..2 {
                let installed = binaries.installed_in(&place.path().join("bin"));
                let names: Vec<_> = fs::read_dir(place.path().join("bin")).expect("made").collect();
                assert_eq!(names.len(), 4, "{names:?}");
                assert_eq!(fs::read_to_string(installed.recalld).expect("there"), format!("{content} b"));
            }
        }
    }
}
