//! Child processes with deadlines.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::{DEADLINE, wait_until};

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
