//! Searches over MCP: `recall-shim` is started as an agent starts it, and its tool `recall_search` is called.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::quality::{Answer, Lines, Query};
use recall_api::Reason;
use recall_cli::{CliError, Exit};
use serde_json::{Value, json};

use crate::error::BenchError;

/// The program that serves MCP.
pub(crate) const SHIM: &str = "recall-shim";

/// The version of MCP that is asked for.
const PROTOCOL: &str = "2025-06-18";

/// The most hits that one call may ask for.
const HITS_A_CALL: u32 = 50;

/// A running MCP server over a folder. It is stopped when this is dropped.
#[derive(Debug)]
pub(crate) struct McpServer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    calls: u64,
}

impl McpServer {
    /// Starts the program in a folder. `home` is recall's home, if it is not the user's.
    pub(crate) fn start(program: &Path, root: &Path, home: Option<&Path>) -> Result<Self, BenchError> {
        let mut command = Command::new(program);
        command.current_dir(root).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(home) = home {
            // If this program is killed, the daemon ends soon.
            command.env("RECALL_HOME", home).env("RECALL_DAEMON__IDLE_EXIT", "1m");
        }
        let mut child = command.spawn().map_err(|error| io_failure(&error))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io_failure(&io::Error::other("it has no pipes")));
        };
        let mut server = Self { child, input, output: BufReader::new(output), calls: 0 };
        let client = json!({"name": "recall-bench", "version": env!("CARGO_PKG_VERSION")});
        server.call("initialize", &json!({"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}))?;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    /// Makes the server start a daemon if none is running.
    pub(crate) fn wake_daemon(&mut self) -> Result<(), BenchError> {
        self.tool("recall_status", &json!({"format": "json"})).map(drop)
    }

    /// Searches as an agent does, and follows the pages of the answer up to so many hits. Hits that are no part of a file count,
    /// and are not returned.
    pub(crate) fn search(&mut self, query: &Query, hits: u32) -> Result<Vec<Answer>, BenchError> {
        let mut arguments = json!({
            "query": query.text, "scope": "project", "format": "json", "limit": hits.min(HITS_A_CALL),
        });
        let (mut answers, mut seen) = (Vec::new(), 0);
        loop {
            let page = self.tool("recall_search", &arguments)?;
            let results = page["results"].as_array().cloned().unwrap_or_default();
            seen += results.len() as u32;
            answers.extend(results.iter().filter_map(answer));
            match page["cursor"].as_str() {
                Some(cursor) if seen < hits && !results.is_empty() => arguments["cursor"] = cursor.into(),
                _ => break,
            }
        }
        answers.truncate(hits as usize);
        Ok(answers)
    }

    /// Calls a tool and returns the JSON of its answer.
    fn tool(&mut self, name: &str, arguments: &Value) -> Result<Value, BenchError> {
        let result = self.call("tools/call", &json!({"name": name, "arguments": arguments}))?;
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        if result["isError"] == true {
            return Err(refusal(text));
        }
        if result["structuredContent"].is_object() {
            return Ok(result["structuredContent"].clone());
        }
        serde_json::from_str(text).map_err(|_| refusal("the answer is not JSON"))
    }

    fn call(&mut self, method: &str, params: &Value) -> Result<Value, BenchError> {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).map_err(|error| io_failure(&error))? == 0 {
                return Err(io_failure(&io::ErrorKind::UnexpectedEof.into()));
            }
            // Notifications and requests of the server are not for a measurement.
            let Ok(mut message) = serde_json::from_str::<Value>(&line) else { continue };
            if message["id"] != id || message.get("method").is_some() {
                continue;
            }
            if let Some(error) = message.get("error") {
                return Err(refusal(error["message"].as_str().unwrap_or_default()));
            }
            return Ok(message["result"].take());
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), BenchError> {
        writeln!(self.input, "{message}").and_then(|()| self.input.flush()).map_err(|error| io_failure(&error))
    }
}

impl Drop for McpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a hit; `None` if it is not part of a file.
fn answer(hit: &Value) -> Option<Answer> {
    let (doc, chunk) = (&hit["doc"], &hit["chunk"]);
    let line = |field: &str| chunk[field].as_u64().and_then(|line| u32::try_from(line).ok());
    let lines = Lines { start: line("start_line")?, end: line("end_line")? };
    let path = doc["path"].as_str().filter(|path| !path.is_empty())?;
    Some(Answer { path: path.to_owned(), lines: Some(lines) })
}

fn io_failure(error: &io::Error) -> BenchError {
    CliError::refusal(format!("`{SHIM}` did not answer"), error).into()
}

fn refusal(said: &str) -> BenchError {
    let said = said.lines().next().unwrap_or_default();
    CliError::new(Exit::Refused, Reason::Unavailable, format!("`{SHIM}` refused a call: {said}")).into()
}
