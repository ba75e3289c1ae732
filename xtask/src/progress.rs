//! A build of the programs with one line of progress.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, IsTerminal as _};
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::{programs, say};

/// How often the line is written again on a terminal.
const TICK: Duration = Duration::from_secs(1);

/// How many lines a build writes elsewhere.
const LINES: usize = 10;

/// Builds the programs with a profile, and says how many of the packages are compiled; returns their folder.
///
/// # Errors
/// The build failed; cargo has said why.
pub(crate) fn build(profile: &str, packages: usize) -> Result<PathBuf, String> {
    let begin = Instant::now();
    let mut command = programs::cargo_build(profile);
    command.args(["--quiet", "--message-format", "json-render-diagnostics"]).stdout(Stdio::piped());
    let mut cargo = command.spawn().map_err(|error| format!("cannot start cargo: {error}"))?;
    let messages = BufReader::new(cargo.stdout.take().expect("the output is piped"));
    let (sender, receiver) = mpsc::channel();
    let reader = thread::spawn(move || {
        let built = messages.lines().map_while(Result::ok).filter_map(|message| package(&message));
        // The receiver lives until the output ends.
        built.for_each(|package| drop(sender.send(package)));
    });
    let is_terminal = std::io::stderr().is_terminal();
    let (mut built, mut tenths) = (BTreeSet::new(), 0);
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(package) => drop(built.insert(package)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        let line = format!("compiled {} of {packages} packages, {}", built.len(), clock(begin.elapsed()));
        if is_terminal {
            // Spaces instead of an escape sequence, which not every terminal knows.
            say(&format!("\r{line:<60}"));
        } else if built.len() * LINES / packages.max(1) > tenths {
            tenths = built.len() * LINES / packages.max(1);
            say(&format!("{line}\n"));
        }
    }
    if is_terminal {
        say("\n");
    }
    reader.join().map_err(|_| "the output of cargo could not be read")?;
    let status = cargo.wait().map_err(|error| format!("cargo was lost: {error}"))?;
    if status.success() {
        Ok(programs::target_folder().join(profile))
    } else {
        Err(format!("the build failed ({status})"))
    }
}

/// Returns the package of a message of cargo about something that it compiled, or found compiled.
fn package(message: &str) -> Option<String> {
    let rest = message.strip_prefix("{\"reason\":\"compiler-artifact\",\"package_id\":\"")?;
    rest.split('"').next().map(str::to_owned)
}

/// Minutes and seconds.
pub(crate) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min {:02} s", seconds / 60, seconds % 60) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_its_package() {
        let message =
            "{\"reason\":\"compiler-artifact\",\"package_id\":\"registry+x#anstream@1.0.0\",\"manifest_path\":\"/a\"}";
        assert_eq!(package(message).as_deref(), Some("registry+x#anstream@1.0.0"));
        assert_eq!(package("{\"reason\":\"build-script-executed\",\"package_id\":\"x\"}"), None);
    }

    #[test]
    fn a_time_has_minutes_and_seconds() {
        let times = [0, 59, 60, 754].map(|seconds| clock(Duration::from_secs(seconds)));
        assert_eq!(times, ["0 s", "59 s", "1 min 00 s", "12 min 34 s"]);
    }
}
