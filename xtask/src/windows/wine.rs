//! A Windows under Wine: a folder with a drive, the programs that run in it, and an agent that talks to the shim.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::programs;

/// How long a program may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// How often a condition is checked.
const POLL: Duration = Duration::from_millis(20);

/// A prefix of Wine.
pub(super) struct Wine {
    prefix: PathBuf,
}

impl Wine {
    /// Makes the prefix in a folder, unless it is there.
    pub(super) fn new(folder: &Path) -> Result<Self, String> {
        let wine = Self { prefix: folder.join("prefix") };
        if !wine.drive().is_dir() {
            fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
            programs::run_command(wine.in_prefix("wineboot").arg("--init").stderr(Stdio::null()))?;
        }
        let programs = wine.programs();
        fs::create_dir_all(&programs).map_err(|error| format!("cannot make {}: {error}", programs.display()))?;
        Ok(wine)
    }

    /// Returns the folder that is `C:\`.
    pub(super) fn drive(&self) -> PathBuf {
        self.prefix.join("drive_c")
    }

    /// Returns the folder of the programs, `C:\bin`.
    pub(super) fn programs(&self) -> PathBuf {
        self.drive().join("bin")
    }

    /// Returns the folder of recall's files, `%LOCALAPPDATA%\recall`.
    pub(super) fn home(&self) -> Result<PathBuf, String> {
        let users = self.drive().join("users");
        let user = std::env::var("USER").unwrap_or_else(|_| "root".to_owned());
        let home = users.join(user).join("AppData/Local");
        if home.is_dir() { Ok(home.join("recall")) } else { Err(format!("Wine made no {}", home.display())) }
    }

    /// Returns a command that runs a program in a folder of the drive.
    pub(super) fn command(&self, program: &str, arguments: &[&str], folder: &Path) -> Command {
        let mut command = self.in_prefix("wine");
        command.arg(self.programs().join(program)).args(arguments).current_dir(folder).stdin(Stdio::null());
        command
    }

    /// Runs a program to its end, with the end of its output.
    pub(super) fn run(&self, program: &str, arguments: &[&str], folder: &Path) -> Result<Output, String> {
        // To a file: Wine gives the standard error of a program to all processes that it starts, whatever the program says.
        let complaints = self.prefix.join("stderr");
        let errors = fs::File::create(&complaints).map_err(|error| error.to_string())?;
        let mut command = self.command(program, arguments, folder);
        let mut child = command.stdout(Stdio::piped()).stderr(errors).spawn().map_err(|error| error.to_string())?;
        // A program that leaves a daemon with its output would never end it: the read is a part of the trial.
        let stdout = child.stdout.take();
        let reader = std::thread::spawn(move || read(stdout));
        if !within(PATIENCE, || reader.is_finished()) {
            let _ = child.kill();
            return Err(format!("`{program} {}` did not end its output", arguments.join(" ")));
        }
        let stdout = reader.join().map_err(|_| "a reader panicked".to_owned())?;
        let status = child.wait().map_err(|error| error.to_string())?;
        Ok(Output { status, stdout, stderr: fs::read(complaints).unwrap_or_default() })
    }

    /// Starts a program whose input and output are pipes.
    pub(super) fn start(&self, program: &str, arguments: &[&str], folder: &Path) -> Result<Child, String> {
        let mut command = self.command(program, arguments, folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(|e| e.to_string())
    }

    /// Returns the ids of this machine's processes that run a program of the prefix with these words in their command line, and
    /// without the others.
    pub(super) fn processes(&self, program: &str, with: &str, without: &str) -> Vec<u32> {
        let marker = format!("WINEPREFIX={}", self.prefix.display());
        let ids = fs::read_dir("/proc").into_iter().flatten().flatten();
        let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        ids.filter(|id| {
            let line = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            let is_here = environment.split(|byte| *byte == 0).any(|variable| variable == marker.as_bytes());
            let is_program = line.split(' ').next().is_some_and(|first| first.ends_with(program));
            is_here && is_program && line.contains(with) && (without.is_empty() || !line.contains(without))
        })
        .collect()
    }

    /// Returns the daemons, without their parse workers.
    pub(super) fn daemons(&self) -> Vec<u32> {
        self.processes("recalld.exe", "", "parse-worker")
    }

    /// Kills the daemons as a crash would; returns how many there were.
    pub(super) fn kill_daemons(&self) -> Result<usize, String> {
        let daemons = self.daemons();
        for id in &daemons {
            signal(*id, "KILL")?;
        }
        if within(PATIENCE, || daemons.iter().all(|id| !Path::new(&format!("/proc/{id}")).exists())) {
            Ok(daemons.len())
        } else {
            Err("a killed daemon did not end".to_owned())
        }
    }

    /// Starts Wine's own programs, which would otherwise keep the output of the first program of a trial open.
    pub(super) fn begin(&self) -> Result<(), String> {
        let mut commands = [self.in_prefix("wineserver"), self.in_prefix("wineboot")];
        commands[0].arg("--persistent");
        for command in &mut commands {
            let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
            status.map_err(|error| format!("cannot start Wine: {error}"))?;
        }
        Ok(())
    }

    /// Ends every program of the prefix.
    pub(super) fn end(&self) {
        let _ = self.in_prefix("wineserver").arg("--kill").status();
        let _ = self.in_prefix("wineserver").arg("--wait").status();
    }

    fn in_prefix(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("WINEPREFIX", &self.prefix).env("WINEDEBUG", "-all").env_remove("RECALL_HOME");
        command
    }
}

/// Sends a signal to a process that the trial started.
pub(super) fn signal(id: u32, name: &str) -> Result<(), String> {
    let status = Command::new("kill").args([format!("-{name}"), id.to_string()]).status();
    if status.is_ok_and(|status| status.success()) { Ok(()) } else { Err(format!("cannot send SIG{name} to {id}")) }
}

/// Waits until a condition holds; returns whether it did in time.
pub(super) fn within(time: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + time;
    loop {
        if holds() {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(POLL);
    }
}

fn read(from: Option<impl std::io::Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    // An error is an end.
    let _ = from.map(|mut from| from.read_to_end(&mut bytes));
    bytes
}

/// How long a call may take.
const AGENT_PATIENCE: Duration = Duration::from_mins(2);

/// A running shim. Dropping it ends its input, and so the shim.
pub(super) struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    asked: u64,
}

impl Agent {
    /// Starts a shim in a folder of the drive.
    pub(super) fn start(wine: &Wine, folder: &Path) -> Result<Self, String> {
        Self::with(wine, folder, &[])
    }

    /// Starts a shim with variables.
    pub(super) fn with(wine: &Wine, folder: &Path, variables: &[(&str, &str)]) -> Result<Self, String> {
        let mut command = wine.command("recall-shim.exe", &["--tools", "full"], folder);
        command.envs(variables.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let (input, output) = (child.stdin.take(), child.stdout.take().ok_or("no output")?);
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, input, lines, asked: 0 })
    }

    /// Calls a tool with arguments in JSON; returns the line of its answer, or the reason why it failed.
    pub(super) fn call(&mut self, tool: &str, arguments: &str) -> Result<String, String> {
        let id = self.send(tool, arguments)?;
        self.answer(id)
    }

    /// Sends a call; returns its id.
    pub(super) fn send(&mut self, tool: &str, arguments: &str) -> Result<u64, String> {
        self.asked += 1;
        let id = self.asked;
        let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"trial","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}"#;
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},"_meta":{meta}}}}}"#
        );
        let input = self.input.as_mut().ok_or("the input has ended")?;
        input
            .write_all(line.as_bytes())
            .and_then(|()| input.write_all(b"\n"))
            .and_then(|()| input.flush())
            .map_err(|e| e.to_string())?;
        Ok(id)
    }

    /// Waits for the answer to a call.
    pub(super) fn answer(&mut self, id: u64) -> Result<String, String> {
        loop {
            let line = self.lines.recv_timeout(AGENT_PATIENCE).map_err(|_| format!("no answer to call {id}"))?;
            if line.contains(r#""method":"notifications/"#) || !line.contains(&format!(r#""id":{id}"#)) {
                continue;
            }
            return if line.contains(r#""isError":false"#) { Ok(line) } else { Err(line) };
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.child.wait();
    }
}
