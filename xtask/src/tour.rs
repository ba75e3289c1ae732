//! A tour of the programs on a clone of this repository. It leaves nothing but what cargo built.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::{programs, progress, say, workspace};

/// The profile that is built for the tour.
const PROFILE: &str = "tour";

/// What one core needs to build the programs, roughly.
const BUILD_CORE_MINUTES: usize = 20;

/// How long the first index of this repository may take.
const PATIENCE: Duration = Duration::from_mins(10);

/// The interval between two questions whether the index is whole.
const INTERVAL: Duration = Duration::from_millis(500);

/// When the daemon of an interrupted tour ends by itself.
const IDLE_EXIT: &str = "2m";

/// The file that the failure and the memory are about.
const FILE: &str = "recalld/src/lock.rs";

/// The first line of [`FILE`] with this text is the one that failed.
const FAILED: &str = "Try::Held(holder) if is_live";

/// What is edited in [`FILE`]: the constant that the memory names.
const EDIT: [&str; 2] = ["from_millis(5);", "from_millis(50);"];

/// One line of explanation, and what is done.
struct Stop(&'static str, Action);

enum Action {
    /// Runs a command.
    Ask(&'static [&'static str]),
    /// Runs a command with the text of a failure as its input.
    Paste(&'static [&'static str]),
    /// Edits [`FILE`].
    Edit,
}

const PARAPHRASE: Action =
    Action::Ask(&["search", "how long do competing processes pause between attempts", "--type", "lesson", "-k", "1"]);

const STOPS: &[Stop] = &[
    Stop("A question in plain words: the place that answers is first.", {
        Action::Ask(&["search", "where is the lock of the daemon taken", "-k", "1"])
    }),
    Stop("A name: its definition is first, and what else there is can be asked.", {
        Action::Ask(&["search", "DaemonLock", "-k", "1"])
    }),
    Stop("An exact text: every line that has it, and whether these are all.", {
        Action::Ask(&["search", "--exact", "Duration::from_millis(5)"])
    }),
    Stop("A failure, pasted from another machine: the line that failed, where it is here.", {
        Action::Paste(&["search", "-", "-k", "1"])
    }),
    Stop("A memory, tied to the code that it names. It is a line that git merges.", {
        Action::Ask(&[
            "remember",
            "A second daemon retries every five milliseconds (`RETRY`), since a program that only looks holds the lock for an instant.",
            "--type",
            "lesson",
            "--file",
            FILE,
        ])
    }),
    Stop("The same in other words. Its file is unchanged, so the memory holds.", PARAPHRASE),
    Stop("Somebody edits that code.", Action::Edit),
    Stop("The question again: the memory says that it may no longer hold.", PARAPHRASE),
];

/// Runs the tour with the programs in a folder; without one, builds them.
pub(crate) fn run(folder: Option<&str>) -> ExitCode {
    let place = programs::target_folder().join("tour-clone");
    let outcome = tour(folder, &place);
    let removed = remove(&place);
    match outcome.and_then(|programs| removed.map(|()| programs)) {
        Ok(programs) => {
            say(&format!(
                "\nThe clone and its index are deleted. Three commands to go on with:\n\n  \
                 export PATH=\"{}:$PATH\"        # these programs, in this terminal\n  \
                 recall search \"how does …\"    # in a project of yours; the first search indexes it\n  \
                 recall mcp install --hooks     # for Claude Code; `recall uninstall` takes everything back\n",
                programs.display()
            ));
            ExitCode::SUCCESS
        }
        Err(why) => {
            say(&format!("error: {why}\n"));
            ExitCode::FAILURE
        }
    }
}

/// Returns the folder of the programs.
fn tour(folder: Option<&str>, place: &Path) -> Result<PathBuf, String> {
    let packages = if folder.is_some() { 0 } else { programs::packages()? };
    announce(packages, place);
    // Before the build, which takes minutes: this fails without git.
    remove(place)?;
    let clone = place.join("recall");
    programs::run_quietly(Command::new("git").args(["clone", "--quiet"]).arg(workspace()).arg(&clone))?;
    let programs = match folder {
        Some(folder) => Path::new(folder).canonicalize().map_err(|error| format!("cannot open {folder}: {error}"))?,
        None => progress::build(PROFILE, packages)?,
    };
    let program = programs.join(format!("recall{}", std::env::consts::EXE_SUFFIX));
    let recall = Recall { program, home: place.join("home"), clone };
    let walked = recall.walk();
    let stopped = recall.command(&["daemon", "stop"]).output();
    walked?;
    stopped.map_err(|error| start_error(&recall.program, &error))?;
    Ok(programs)
}

/// Says what is done, how long it takes and what it writes.
fn announce(packages: usize, place: &Path) {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let minutes = BUILD_CORE_MINUTES.div_ceil(cores);
    let (builds, time, writes) = if packages == 0 {
        (String::new(), "less than a minute".to_owned(), String::new())
    } else {
        let folder = programs::target_folder().join(PROFILE);
        (
            format!("builds recall ({packages} packages), "),
            format!("about {minutes} minutes on {cores} cores the first time, then less than one"),
            format!("the programs in {}, and ", folder.display()),
        )
    };
    say(&format!(
        "The tour {builds}clones this repository, indexes the clone and asks it about itself.\n  \
         time:   {time}; Ctrl+C ends it\n  \
         writes: {writes}the clone in {}, which is deleted at the end\n\n",
        place.display()
    ));
}

fn remove(place: &Path) -> Result<(), String> {
    if !place.exists() {
        return Ok(());
    }
    fs::remove_dir_all(place).map_err(|error| format!("cannot delete {}: {error}", place.display()))
}

/// The command line, with a home and a project of its own.
struct Recall {
    program: PathBuf,
    home: PathBuf,
    clone: PathBuf,
}

impl Recall {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .arg("--no-pager")
            // What agents remember in the user's own home is no part of the tour.
            .env("HOME", &self.home)
            .env("RECALL_HOME", &self.home)
            .env("RECALL_DAEMON__IDLE_EXIT", IDLE_EXIT)
            .current_dir(&self.clone)
            .stdin(Stdio::null());
        command
    }

    fn walk(&self) -> Result<(), String> {
        let begin = Instant::now();
        self.wait_for_index()?;
        say(&format!("Indexed the clone in {} seconds.\n", begin.elapsed().as_secs()));
        STOPS.iter().enumerate().try_for_each(|(at, stop)| self.visit(at + 1, stop))
    }

    /// Waits until an answer lacks nothing.
    fn wait_for_index(&self) -> Result<(), String> {
        let end = Instant::now() + PATIENCE;
        loop {
            let output = self.command(&["search", "is everything here", "--json"]).output();
            let output = output.map_err(|error| start_error(&self.program, &error))?;
            let answer = String::from_utf8_lossy(&output.stdout);
            if programs::is_whole(&answer) {
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

    fn visit(&self, number: usize, Stop(says, action): &Stop) -> Result<(), String> {
        // What is shown is the answer of a project at rest, not of one that was just edited.
        self.wait_for_index()?;
        say(&format!("\n── {number} of {}. {says}\n", STOPS.len()));
        match action {
            Action::Ask(arguments) => self.ask(arguments, None),
            Action::Paste(arguments) => self.ask(arguments, Some(&self.failure()?)),
            Action::Edit => self.edit(),
        }
    }

    /// Runs a command, whose output goes to the terminal.
    fn ask(&self, arguments: &[&str], input: Option<&str>) -> Result<(), String> {
        let shown = arguments.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
        match input {
            Some(text) => say(&format!("$ cat failure.txt\n{text}$ recall {shown} < failure.txt\n")),
            None => say(&format!("$ recall {shown}\n")),
        }
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .map_err(|error| start_error(&self.program, &error))?;
        let mut standard_input = child.stdin.take().expect("the input is piped");
        standard_input.write_all(input.unwrap_or_default().as_bytes()).map_err(|error| error.to_string())?;
        drop(standard_input);
        let status = child.wait().map_err(|error| error.to_string())?;
        if is_answer(status.code()) { Ok(()) } else { Err(format!("`recall {shown}` failed ({status})")) }
    }

    /// Returns the failure of a build on another machine, at the line that [`FILE`] has in this clone.
    fn failure(&self) -> Result<String, String> {
        let line = self.text()?.lines().position(|line| line.contains(FAILED)).ok_or("the tour's line is gone")? + 1;
        Ok(format!("thread 'main' panicked at /build/src/{FILE}:{line}:17:\nthe holder of the lock has no note\n"))
    }

    fn edit(&self) -> Result<(), String> {
        let [before, after] = EDIT;
        let text = self.text()?;
        if !text.contains(before) {
            return Err(format!("{FILE} no longer has `{before}`"));
        }
        fs::write(self.clone.join(FILE), text.replacen(before, after, 1)).map_err(|error| error.to_string())?;
        say(&format!("{FILE}: `{before}` becomes `{after}`\n"));
        Ok(())
    }

    fn text(&self) -> Result<String, String> {
        fs::read_to_string(self.clone.join(FILE)).map_err(|error| format!("cannot read {FILE}: {error}"))
    }
}

fn quote(word: &str) -> String {
    let is_plain = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./".contains(c));
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Whether a command has an answer: exit code 1 means that nothing was found.
fn is_answer(code: Option<i32>) -> bool {
    matches!(code, Some(0 | 1))
}

fn start_error(program: &Path, error: &std::io::Error) -> String {
    format!("cannot start {}: {error}", program.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_the_tour_has_what_fails_and_what_is_edited() {
        let text = fs::read_to_string(workspace().join(FILE)).expect("the file is there");
        for part in [FAILED, EDIT[0]] {
            assert!(text.contains(part), "{FILE} no longer has `{part}`");
        }
    }

    #[test]
    fn a_shell_reads_a_quoted_word_as_it_was() {
        assert_eq!(["-k", "a b", "it's", ""].map(quote), ["-k", "'a b'", r"'it'\''s'", "''"]);
    }
}
