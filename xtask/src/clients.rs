//! Trials of the programs by those who use them: the page in a real browser, and the vendors' own clients for Python against the fake
//! server of models.

use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};

use crate::{cargo, programs, say, workspace};

/// The folder of the pictures that the documentation shows.
const PICTURES: &str = "docs/images";

/// What is done with the page in Chromium.
#[derive(Clone, Copy)]
pub(crate) enum PageTrial<'a> {
    /// Every page is looked at, and compared with the approved pictures.
    Look,
    /// The approved pictures are replaced by those of the present pages.
    Approve,
    /// The times over the files of a folder are measured.
    Speed(&'a str),
}

/// Builds the programs, and has Chromium go through every page of a small project.
///
/// Needs Node and Chromium. The script fetches what drives the browser, and the rules of accessibility, from the npm registry.
pub(crate) fn try_page(wanted: PageTrial<'_>) -> ExitCode {
    match page(wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("error: {why}\n"));
            ExitCode::FAILURE
        }
    }
}

fn page(wanted: PageTrial<'_>) -> Result<(), String> {
    let node = |arguments: &[&str]| {
        let mut command = Command::new("node");
        command.current_dir(workspace()).args(arguments);
        command
    };
    // Looked for first: the build takes minutes.
    node(&["--version"]).output().map_err(|error| format!("cannot start Node, which this task needs: {error}"))?;
    let programs = programs::build("release")?;
    let (script, last) = match wanted {
        PageTrial::Speed(folder) => ("tests/browser/speed.mjs", vec![folder]),
        PageTrial::Look => ("tests/browser/page.mjs", vec![PICTURES]),
        PageTrial::Approve => ("tests/browser/page.mjs", vec![PICTURES, "--approve"]),
    };
    let status = node(&[script])
        .arg(programs)
        .arg(programs::target_folder())
        .args(last)
        .status()
        .map_err(|error| format!("cannot start Node: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("the page has findings ({status})")) }
}

/// The packages of the clients.
const PACKAGES: &str = "openai ollama voyageai anthropic";

/// Starts the fake server and runs the script with the clients against it.
pub(crate) fn try_sdks() -> ExitCode {
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
