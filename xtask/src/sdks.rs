//! The proof that the fake server of models speaks the vendors' formats: their own clients for Python use it.

use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};

use crate::{cargo, say, workspace};

/// The packages of the clients.
const PACKAGES: &str = "openai ollama voyageai anthropic";

/// Starts the fake server and runs the script with the clients against it.
pub(crate) fn run() -> ExitCode {
    let has = Command::new("python3")
        .args(["-c", "import openai, ollama, voyageai, anthropic"])
        .stderr(Stdio::null())
        .status();
    if !has.is_ok_and(|status| status.success()) {
        say(&format!("error: `python3` lacks the vendors' clients\nhint: `python3 -m pip install {PACKAGES}`\n"));
        return ExitCode::FAILURE;
    }
    let mut server = cargo();
    server
        .args(["run", "--quiet", "--locked", "-p", "recall-testkit", "--example", "fake_provider"])
        .stdin(Stdio::piped());
    let mut server = match server.stdout(Stdio::piped()).spawn() {
        Ok(server) => server,
        Err(error) => {
            say(&format!("error: cargo cannot be started: {error}\n"));
            return ExitCode::FAILURE;
        }
    };
    let mut address = String::new();
    let read = server.stdout.take().map(|out| BufReader::new(out).read_line(&mut address));
    let script = workspace().join("crates/recall-testkit/sdks.py");
    let proven = matches!(read, Some(Ok(1..)))
        && Command::new("python3").arg(script).arg(address.trim()).status().is_ok_and(|status| status.success());
    // It ends with its input.
    drop(server.stdin.take());
    let ended = server.wait();
    if proven && ended.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
