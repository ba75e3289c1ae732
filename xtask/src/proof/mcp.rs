//! A client of an MCP server on its standard input and output: it calls tools and returns the text of their answers.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// How long a server may take for an answer; some start an interpreter and migrate a database first.
const PATIENCE: Duration = Duration::from_mins(2);

/// A running server. It is killed when this is dropped.
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    requests: usize,
}

impl Server {
    /// Starts a server and greets it.
    pub(crate) fn start(mut command: Command, log: File) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log);
        let name = command.get_program().display().to_string();
        let mut child = command.spawn().map_err(|error| format!("cannot start {name}: {error}"))?;
        let input = child.stdin.take().expect("the input is piped");
        let output = BufReader::new(child.stdout.take().expect("the output is piped"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let mut server = Self { child, input, lines, requests: 0 };
        let client = json!({"name": "proof", "version": "1"});
        let hello = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": client});
        server.request("initialize", &hello)?;
        server.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Calls a tool with an object of arguments; returns the texts of its answer.
    ///
    /// # Errors
    /// The server reported an error, said nothing in time, or has ended.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Result<String, String> {
        let result = self.request("tools/call", &json!({"name": tool, "arguments": arguments}))?;
        let texts: Vec<&str> =
            result["content"].as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect();
        let text = texts.join("\n");
        if result["isError"] == true { Err(format!("{tool}: {text}")) } else { Ok(text) }
    }

    fn request(&mut self, method: &str, parameters: &Value) -> Result<Value, String> {
        self.requests += 1;
        let id = self.requests;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}))?;
        loop {
            let line = self.lines.recv_timeout(PATIENCE).map_err(|_| format!("no answer to {method}"))?;
            // Notifications, and what is not a message, are passed over.
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            if message["id"] != id {
                continue;
            }
            return match message["error"]["message"].as_str() {
                Some(error) => Err(format!("{method}: {error}")),
                None => Ok(message["result"].clone()),
            };
        }
    }

    fn write(&mut self, message: &Value) -> Result<(), String> {
        writeln!(self.input, "{message}").map_err(|error| format!("the server has ended: {error}"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
