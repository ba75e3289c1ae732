//! A tour of the programs on this repository.

use std::path::Path;
use std::process::{Command, ExitCode};

use crate::{programs, say, workspace};

/// The commands of the tour.
const QUESTIONS: &[&[&str]] = &[
    &["search", "where does a search wait for a changed file", "--k", "3"],
    &["search", "Publication", "--k", "2"],
    &["search", "why are there two indexes", "--type", "adr,documentation", "--k", "2"],
    &["status"],
];

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
    let program = programs::build()?.join(format!("recall{}", std::env::consts::EXE_SUFFIX));
    let home = programs::target_folder().join("tour");
    let outcome = QUESTIONS.iter().try_for_each(|question| ask(&program, &home, question));
    let stopped = ask(&program, &home, &["daemon", "stop"]);
    outcome.and(stopped)
}

fn ask(program: &Path, home: &Path, arguments: &[&str]) -> Result<(), String> {
    let shown: Vec<String> = arguments
        .iter()
        .map(|word| if word.contains(' ') { format!("\"{word}\"") } else { (*word).to_owned() })
        .collect();
    say(&format!("\n$ recall {}\n", shown.join(" ")));
    let status = Command::new(program)
        .args(arguments)
        .env("RECALL_HOME", home)
        .current_dir(workspace())
        .status()
        .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    // Exit code 1 means that nothing was found, which is a valid answer.
    if matches!(status.code(), Some(0 | 1)) {
        Ok(())
    } else {
        Err(format!("`recall {}` failed ({status})", shown.join(" ")))
    }
}
