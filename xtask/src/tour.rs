//! Trials of the whole programs: a tour on this repository, the page in a real browser, and the vendors' own clients
//! for Python against the fake server of models.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::{cargo, programs, say, workspace};

/// The commands of the tour. Each question has one place that answers it.
const QUESTIONS: &[&[&str]] = &[
    &["search", "where is the daemon's lock taken", "--k", "2"],
    &["search", "DaemonLock", "--k", "1"],
    &["search", "why does the daemon read source code in child processes", "--k", "1"],
    &["search", "why are there two indexes", "--type", "adr", "--k", "1"],
    &["status"],
];

/// What one core needs to build the programs, roughly.
const BUILD_CORE_MINUTES: usize = 20;

/// How long the first index of this repository may take.
const PATIENCE: Duration = Duration::from_mins(10);

/// The interval between two questions whether the index is whole.
const INTERVAL: Duration = Duration::from_millis(500);

/// Builds the programs and runs the commands on this repository, with a separate home under `target/`.
pub(crate) fn run() -> ExitCode {
    match tour() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("error: {why}\n"));
            ExitCode::FAILURE
        }
    }
}

fn tour() -> Result<(), String> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    say(&format!(
        "Building the programs. The first time, {} packages are compiled: about {} minutes on {cores} cores.\n",
        packages()?,
        BUILD_CORE_MINUTES.div_ceil(cores),
    ));
    let program = programs::build("tour")?.join(format!("recall{}", std::env::consts::EXE_SUFFIX));
    let recall = Recall { program, home: programs::target_folder().join("tour-home") };
    say("\nIndexing this repository.\n");
    let outcome = recall.wait_for_index().and_then(|()| QUESTIONS.iter().try_for_each(|question| recall.ask(question)));
    let stopped = recall.ask(&["daemon", "stop"]);
    outcome.and(stopped)
}

/// Counts the packages that the programs consist of.
fn packages() -> Result<usize, String> {
    let mut tree = cargo();
    tree.args(["tree", "--locked", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"]);
    for (package, _, _) in programs::PUBLISHED {
        tree.args(["--package", package]);
    }
    let output = tree.output().map_err(|error| format!("cannot start cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("`cargo tree` failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    // A package that was listed before has a mark.
    let packages: BTreeSet<&str> = text.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    Ok(packages.iter().filter(|package| !package.is_empty()).count())
}

/// The command line that was built, with a home of its own.
struct Recall {
    program: PathBuf,
    home: PathBuf,
}

impl Recall {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).env("RECALL_HOME", &self.home).current_dir(workspace()).stdin(Stdio::null());
        command
    }

    /// Waits until an answer has no warning: about files, links or embeddings that it lacks.
    fn wait_for_index(&self) -> Result<(), String> {
        let end = Instant::now() + PATIENCE;
        loop {
            let output = self.command(&["search", QUESTIONS[0][1], "--json"]).output();
            let output = output.map_err(|error| start_error(&self.program, &error))?;
            let answer = String::from_utf8_lossy(&output.stdout);
            if answer.contains("\"warnings\":[]") {
                return Ok(());
            }
            if !is_answer(output.status.code()) {
                return Err(format!("the first search failed: {answer}{}", String::from_utf8_lossy(&output.stderr)));
            }
            if Instant::now() > end {
                return Err(format!("the index is not whole after {} minutes: {answer}", PATIENCE.as_secs() / 60));
            }
            thread::sleep(INTERVAL);
        }
    }

    /// Shows a command and its output, which a pager would hold back.
    fn ask(&self, arguments: &[&str]) -> Result<(), String> {
        let quoted = |word: &&str| if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() };
        let shown = arguments.iter().map(quoted).collect::<Vec<_>>().join(" ");
        say(&format!("\n$ recall {shown}\n"));
        let status = self.command(arguments).arg("--no-pager").status();
        let status = status.map_err(|error| start_error(&self.program, &error))?;
        if is_answer(status.code()) { Ok(()) } else { Err(format!("`recall {shown}` failed ({status})")) }
    }
}

/// Whether a command has an answer: exit code 1 means that nothing was found.
fn is_answer(code: Option<i32>) -> bool {
    matches!(code, Some(0 | 1))
}

fn start_error(program: &Path, error: &std::io::Error) -> String {
    format!("cannot start {}: {error}", program.display())
}

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
