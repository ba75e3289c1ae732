//! Child processes with deadlines, the processes of a sandbox, and waiting for conditions.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A child process with pipes. Dropping it kills the process.
#[derive(Debug)]
pub struct Running {
    name: String,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
}

/// The result of an ended process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// The standard output that was not read before.
    pub stdout: String,
    /// The standard error.
    pub stderr: String,
}

impl Running {
    /// Starts a process.
    ///
    /// # Panics
    /// If it cannot be started.
    #[track_caller]
    pub fn start(mut command: Command) -> Self {
        let name = command.get_program().to_string_lossy().into_owned();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {name}: {error}"));
        let stdout = child.stdout.take().expect("stdout is piped");
        let mut stderr = child.stderr.take().expect("stderr is piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let mut line = Vec::new();
            while stdout.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
                line.clear();
            }
        });
        let stderr = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // The output before a failure is still worth showing.
            let _ = stderr.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Self { stdin: child.stdin.take(), name, child, lines, stderr: Some(stderr) }
    }

    /// Runs a process without input to its end.
    ///
    /// # Panics
    /// If it cannot be started, or does not end within [`DEADLINE`].
    #[track_caller]
    pub fn to_end(command: Command) -> Outcome {
        Self::start(command).finish()
    }

    /// Returns the process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Writes a line to the process.
    ///
    /// # Panics
    /// If the process does not read its input.
    #[track_caller]
    pub fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("the input is open until `finish`");
        let written = writeln!(stdin, "{line}").and_then(|()| stdin.flush());
        written.unwrap_or_else(|error| panic!("cannot write to {}: {error}", self.name));
    }

    /// Closes the process's input.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Returns the next line of the standard output, without its line feed; `None` if the output was closed.
    ///
    /// # Panics
    /// If there is no line within [`DEADLINE`].
    #[track_caller]
    pub fn line(&mut self) -> Option<String> {
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => Some(line.trim_end_matches(['\r', '\n']).to_owned()),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("{} wrote no line within {DEADLINE:?}", self.name),
        }
    }

    /// Whether the process writes no line within a time.
    ///
    /// Used for requests that must not be answered. The time bounds the delay at which a wrong answer is noticed.
    pub fn is_silent_for(&mut self, time: Duration) -> bool {
        self.lines.recv_timeout(time).is_err()
    }

    /// Closes the process's input and waits for its end.
    ///
    /// # Panics
    /// If it does not end within [`DEADLINE`].
    #[track_caller]
    pub fn finish(mut self) -> Outcome {
        self.close_input();
        let status = self.wait();
        let stderr = self.stderr.take().expect("`finish` consumes the process");
        // A detached daemon may hold the pipes open; the lines end when every holder has ended.
        let start = Instant::now();
        let mut stdout = String::new();
        while let Ok(line) = self.lines.recv_timeout(DEADLINE.saturating_sub(start.elapsed())) {
            stdout.push_str(&line);
        }
        let held = format!("{} ended, but another process holds its standard error", self.name);
        wait_until(&held, || stderr.is_finished().then_some(()));
        let stderr = stderr.join().expect("reading does not panic");
        Outcome { code: status.code(), stdout, stderr }
    }

    /// Kills the process and waits for its end.
    ///
    /// # Panics
    /// If the system refuses.
    pub fn kill(&mut self) {
        self.child.kill().expect("a child of this process may be killed");
        self.child.wait().expect("a child of this process can be waited for");
    }

    /// Whether the process has ended.
    ///
    /// # Panics
    /// If the system does not report it.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child of this process can be waited for").is_some()
    }

    #[track_caller]
    fn wait(&mut self) -> ExitStatus {
        let what = format!("the end of {}", self.name);
        wait_until(&what, || self.child.try_wait().expect("a child of this process can be waited for"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Killing fails if the process has ended, which is fine.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The longest wait for something that takes milliseconds on an idle machine.
///
/// It is long because a loaded machine with two cores must not fail a test. No test waits longer than necessary.
pub const DEADLINE: Duration = Duration::from_mins(1);

/// The interval between checks of a condition.
const PAUSE: Duration = Duration::from_millis(5);

/// Polls a condition until it returns a value.
///
/// Used for conditions without an event, such as a file that another process writes.
///
/// # Panics
/// If there is no value within [`DEADLINE`]; `what` describes the condition.
#[track_caller]
pub fn wait_until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(start.elapsed() < DEADLINE, "timed out after {DEADLINE:?}: {what}");
        std::thread::park_timeout(PAUSE);
    }
}

/// Kills every process with that `RECALL_HOME`, and waits until they have ended.
///
/// A daemon started by a client is not a child of the test process and has left its parent's session, so it is
/// recognised by its environment.
#[cfg(target_os = "linux")]
pub(crate) fn kill_all(recall_home: &Path) -> bool {
    use std::time::Instant;

    use rustix::process::{Pid, Signal, kill_process};

    let start = Instant::now();
    loop {
        let alive = running_processes(recall_home);
        if alive.is_empty() {
            return true;
        }
        for id in alive {
            if let Some(id) = Pid::from_raw(id) {
                // It may have ended since.
                let _ = kill_process(id, Signal::KILL);
            }
        }
        if start.elapsed() > crate::DEADLINE {
            return false;
        }
        std::thread::yield_now();
    }
}

#[cfg(target_os = "linux")]
pub(crate) fn running_processes(recall_home: &Path) -> Vec<i32> {
    let mut wanted = b"RECALL_HOME=".to_vec();
    wanted.extend_from_slice(recall_home.as_os_str().as_encoded_bytes());
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|id: &i32| environment(*id).split(|byte| *byte == 0).any(|variable| variable == wanted))
        .collect()
}

/// Returns a process's environment; empty for a process of another user, an ended process and kernel threads.
///
/// During `exec` the environment is empty for a moment, so it is read again until it is not.
#[cfg(target_os = "linux")]
fn environment(id: i32) -> Vec<u8> {
    use std::time::{Duration, Instant};

    /// The longest time that `exec` takes. A process that was started without variables is only delayed by it.
    const LOADING: Duration = Duration::from_millis(100);
    let start = Instant::now();
    loop {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        // Zombies and kernel threads have no such link.
        let runs_a_program = || std::fs::read_link(format!("/proc/{id}/exe")).is_ok();
        if !environment.is_empty() || start.elapsed() > LOADING || !runs_a_program() {
            return environment;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The environment of another process cannot be read here. The daemon's idle exit ends it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn kill_all(_recall_home: &Path) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_process_answers_line_by_line() {
        let mut process =
            Running::start(shell("while read word; do echo \"<$word>\"; done; echo end; echo talk >&2; exit 3"));
        process.send("one");
        assert_eq!(process.line().as_deref(), Some("<one>"));
        assert!(process.is_silent_for(Duration::from_millis(20)));
        process.send("two");
        let outcome = process.finish();
        assert_eq!(outcome, Outcome { code: Some(3), stdout: "<two>\nend\n".to_owned(), stderr: "talk\n".to_owned() });
    }

    #[test]
    fn a_dropped_process_is_killed() {
        let process = Running::start(shell("echo up; read forever"));
        let id = rustix::process::Pid::from_raw(process.id().cast_signed()).expect("not 0");
        assert!(rustix::process::test_kill_process(id).is_ok());
        drop(process);
        assert!(rustix::process::test_kill_process(id).is_err());
    }
}
