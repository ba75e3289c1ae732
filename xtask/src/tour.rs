//! A tour of the programs on this repository.

use std::collections::BTreeSet;
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
