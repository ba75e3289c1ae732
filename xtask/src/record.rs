//! The recording of the README: real commands on a real project, their output as a terminal shows it, drawn as an SVG that CSS animates.
//!
//! Runs on Linux, with the program `script` of util-linux, which gives the commands a terminal.

mod drawing;
mod screen;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};

use crate::{programs, say, workspace};
use drawing::{Scene, Theme};

/// Where the recordings are.
const IMAGES: &str = "docs/images";

/// The columns of the terminal.
const COLUMNS: usize = 96;

/// What is shown: a line for the viewer, and the command, which may go on in a second row.
const SCENES: &[(&str, &str)] = &[
    ("Ask in plain words.", "recall search 'where is the request context pushed' -k 1"),
    ("Paste a failure, from any machine: the line that failed.", "recall search - -k 1 < failure.txt"),
    (
        "Keep what was learnt, tied to the code that it names. git merges it.",
        "recall remember --type lesson --file src/flask/sessions.py \\\n    \
         'Sessions are signed, not encrypted: keep secrets out of `SecureCookieSession`.'",
    ),
    ("Any agent finds it, in other words.", "recall search 'may I store a password in the session' -k 1"),
    ("Then somebody changes that code …", "sed -i 's/signed cookies/encrypted cookies/' src/flask/sessions.py"),
    ("… and the memory says so, in every answer and here.", "recall verify --diff"),
];

/// A row with this text counts matches and milliseconds. It is left out: the machine that draws is busy with something else.
const COUNTED: &str = " matches · ";

/// The failure that is pasted. Its paths are those of a container.
const FAILURE: &str = "\
Traceback (most recent call last):
  File \"/app/.venv/lib/python3.12/site-packages/flask/ctx.py\", line 479, in pop
    raise RuntimeError(
RuntimeError: Cannot pop this context (<AppContext 4711>), it is not pushed.
";

/// Records the commands in a clone of a project, with the programs in a folder or those of the tour.
pub(crate) fn run(project: &str, folder: Option<&str>) -> ExitCode {
    let place = programs::target_folder().join("record");
    let outcome = record(Path::new(project), folder, &place);
    let removed = fs::remove_dir_all(&place).map_err(|error| format!("cannot delete {}: {error}", place.display()));
    match outcome.and_then(|written| removed.map(|()| written)) {
        Ok(written) => {
            for (path, bytes) in written {
                say(&format!("{}: {bytes} bytes\n", path.display()));
            }
            ExitCode::SUCCESS
        }
        Err(why) => {
            say(&format!("error: {why}\n"));
            ExitCode::FAILURE
        }
    }
}

fn record(project: &Path, folder: Option<&str>, place: &Path) -> Result<Vec<(PathBuf, usize)>, String> {
    let programs = match folder {
        Some(folder) => Path::new(folder).canonicalize().map_err(|error| format!("cannot open {folder}: {error}"))?,
        None => programs::build("tour")?,
    };
    let _ = fs::remove_dir_all(place);
    let clone = place.join(project.file_name().ok_or("the project has no name")?);
    programs::run_quietly(Command::new("git").args(["clone", "--quiet"]).arg(project).arg(&clone))?;
    fs::write(place.join("failure.txt"), FAILURE).map_err(|error| format!("cannot write the failure: {error}"))?;
    let terminal = Terminal { programs, home: place.join("home"), clone };
    let scenes = terminal.play();
    terminal.output("recall daemon stop")?;
    let scenes = scenes?;
    let images = workspace().join(IMAGES);
    let mut written = Vec::new();
    for theme in [Theme::Dark, Theme::Light] {
        let path = images.join(format!("recall-{}.svg", theme.name()));
        let svg = drawing::draw(&scenes, theme, COLUMNS);
        fs::write(&path, &svg).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        written.push((path, svg.len()));
    }
    Ok(written)
}

/// A terminal in a project, with a home of its own.
struct Terminal {
    programs: PathBuf,
    home: PathBuf,
    clone: PathBuf,
}

impl Terminal {
    fn play(&self) -> Result<Vec<Scene>, String> {
        let mut scenes = Vec::new();
        for &(caption, command) in SCENES {
            self.wait_for_index()?;
            let mut rows = screen::rows(&self.output(command)?, COLUMNS);
            rows.retain(|row| !row.iter().any(|run| run.text.contains(COUNTED)));
            scenes.push(Scene { caption, command, rows });
        }
        Ok(scenes)
    }

    /// Waits until an answer lacks nothing.
    fn wait_for_index(&self) -> Result<(), String> {
        for _ in 0..600 {
            if programs::is_whole(&self.output("recall search 'is everything here' --json | cat")?) {
                return Ok(());
            }
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
        Err("the index is not whole after five minutes".to_owned())
    }

    /// Returns what a command writes to its terminal.
    fn output(&self, command: &str) -> Result<String, String> {
        let path = format!("{}:{}", self.programs.display(), std::env::var("PATH").unwrap_or_default());
        let line = format!("stty cols {COLUMNS} rows 40; {}", command.replace("failure.txt", "../failure.txt"));
        let Output { status, stdout, .. } = Command::new("script")
            .args(["--quiet", "--return", "--command", &line, "/dev/null"])
            .current_dir(&self.clone)
            .stdin(Stdio::null())
            .env_clear()
            .envs([("PATH", path.as_str()), ("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("PAGER", "")])
            .env("HOME", &self.home)
            .env("RECALL_HOME", &self.home)
            .output()
            .map_err(|error| format!("cannot start `script`, which this task needs: {error}"))?;
        if !matches!(status.code(), Some(0 | 1)) {
            return Err(format!("`{command}` failed ({status}): {}", String::from_utf8_lossy(&stdout)));
        }
        Ok(String::from_utf8_lossy(&stdout).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_and_commands_fit_the_terminal() {
        for (caption, command) in SCENES {
            for line in std::iter::once(*caption).chain(command.lines()) {
                assert!(line.chars().count() + 3 <= COLUMNS, "{line}");
            }
        }
    }
}
