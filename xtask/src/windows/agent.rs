//! An agent: a client of the shim, over its standard input and output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::wine::Wine;

/// How long a call may take.
const PATIENCE: Duration = Duration::from_mins(2);

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
            let line = self.lines.recv_timeout(PATIENCE).map_err(|_| format!("no answer to call {id}"))?;
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
