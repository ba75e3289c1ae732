//! A test session: a running shim and the other ends of its pipes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Ten times the longest step of any test, for a busy machine.
const DEADLINE: Duration = Duration::from_secs(20);

/// A running shim with a home of its own, where no daemon can be started.
pub(crate) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    errors: JoinHandle<String>,
    _home: TempDir,
}

/// The end of a shim.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    /// The lines that it wrote and no test had received.
    pub(crate) lines: Vec<Value>,
    pub(crate) errors: String,
}

impl Session {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    pub(crate) fn start_with(arguments: &[&str]) -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        let mut child = Command::new(env!("CARGO_BIN_EXE_recall-shim"))
            .args(arguments)
            .current_dir(home.path())
            .env_clear()
            .env("RECALL_HOME", home.path())
            .env("RECALL_DAEMON", home.path().join("no-such-program"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the shim starts");
        let (sender, output) = mpsc::channel();
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let mut stderr = child.stderr.take().expect("piped");
        let errors = thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).expect("UTF-8");
            text
        });
        Self { input: child.stdin.take(), child, output, errors, _home: home }
    }

    /// A session that was opened with `initialize`.
    pub(crate) fn initialized(version: &str) -> Self {
        let mut session = Self::start();
        session.send(&initialize(version));
        assert_eq!(session.receive()["id"], 0);
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        session
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.input.as_mut().expect("open until the end").write_all(bytes).expect("the shim reads");
    }

    pub(crate) fn receive(&mut self) -> Value {
        let line = self.output.recv_timeout(DEADLINE).expect("an answer in time");
        parse(&line)
    }

    /// Sends a request and returns its answer.
    pub(crate) fn ask(&mut self, request: &Value) -> Value {
        self.send(request);
        let answer = self.receive();
        assert_eq!(answer["id"], request["id"], "{answer}");
        answer
    }

    /// Ends the input and waits for the end.
    pub(crate) fn end(mut self) -> Ended {
        drop(self.input.take());
        self.wait()
    }

    /// Waits for the end without ending the input.
    pub(crate) fn wait(mut self) -> Ended {
        let deadline = Instant::now() + DEADLINE;
        let mut lines = Vec::new();
        // The channel closes when the shim closes its output.
        while let Ok(line) = self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            lines.push(parse(&line));
        }
        let status = self.child.wait().expect("it was started");
        Ended { status, lines, errors: self.errors.join().expect("read to its end") }
    }
}

impl Ended {
    pub(crate) fn assert_silent_success(&self) {
        assert!(self.status.success(), "{self:?}");
        assert_eq!(self.errors, "");
    }
}

fn parse(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("not JSON: {line}: {error}"))
}

/// A request of the revisions that open with `initialize`.
pub(crate) fn request(id: u32, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

pub(crate) fn initialize(version: &str) -> Value {
    let client = json!({"name": "test", "version": "0"});
    request(0, "initialize", &json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client}))
}

/// A request of the stateless revision.
pub(crate) fn modern(id: u32, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    request(id, method, &params)
}

pub(crate) fn call(tool: &str, arguments: &Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

/// The text of a tool's answer and whether it is an error.
pub(crate) fn text_and_error(answer: &Value) -> (&str, bool) {
    let result = &answer["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"));
    (text, result["isError"].as_bool().unwrap_or_default())
}
