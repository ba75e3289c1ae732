//! `recall daemon logs`

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;

use clap::Args;
use recall_client::daemon::log_file;

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::human::daemon;
use crate::output::{Format, Output};

/// The interval between two looks for new lines.
const LOOK: Duration = Duration::from_millis(200);

/// Arguments of `recall daemon logs`.
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// The number of lines to show, from the end.
    #[arg(long, short = 'n', default_value_t = 50, value_name = "N")]
    lines: usize,
    /// Keep printing new lines as they are written.
    #[arg(long, short)]
    follow: bool,
}

pub(super) async fn run(args: &LogsArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let path = log_file(&context.process_env.dirs);
    let mut log = match Log::open(&path) {
        Ok(log) => log,
        Err(error) if error.kind() == io::ErrorKind::NotFound && !args.follow => {
            context.output.note(&format!("there is no log yet: `{}`", path.display()));
            return Ok(Exit::NothingFound);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Log::default(),
        Err(error) => return Err(unreadable(&path, &error).into()),
    };
    let text = log.more().map_err(|error| unreadable(&path, &error))?;
    let lines: Vec<&str> = text.lines().collect();
    show(&lines[lines.len().saturating_sub(args.lines)..], &context.output)?;
    if !args.follow {
        return Ok(Exit::Done);
    }
    loop {
        tokio::time::sleep(LOOK).await;
        let text = log.follow(&path).map_err(|error| unreadable(&path, &error))?;
        show(&text.lines().collect::<Vec<_>>(), &context.output)?;
    }
}

/// Prints lines of the log. Each is a JSON object already, so `--json` prints it unchanged.
fn show(lines: &[&str], output: &Output) -> Result<(), CommandError> {
    if lines.is_empty() {
        return Ok(());
    }
    match output.format {
        Format::Json => Output::raw(&(lines.join("\n") + "\n")),
        Format::Human => output.text(&lines.iter().map(|line| daemon::render_log(line)).collect::<String>()),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> CliError {
    CliError::refusal(format!("cannot read the log `{}`", path.display()), error)
}

/// A reader of a growing log.
#[derive(Default)]
struct Log {
    file: Option<File>,
    /// The start of a line that is not complete yet.
    rest: Vec<u8>,
}

impl Log {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { file: Some(File::open(path)?), rest: Vec::new() })
    }

    /// Returns the complete lines written since the last call.
    fn more(&mut self) -> io::Result<String> {
        if let Some(file) = &mut self.file {
            file.read_to_end(&mut self.rest)?;
        }
        let end = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let whole: Vec<u8> = self.rest.drain(..end).collect();
        Ok(String::from_utf8_lossy(&whole).into_owned())
    }

    /// Returns the complete lines written since the last call, including those of a file that replaced the log.
    fn follow(&mut self, path: &Path) -> io::Result<String> {
        let mut text = self.more()?;
        if self.is_put_aside(path)? {
            match Self::open(path) {
                Ok(newer) => *self = newer,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(text),
                Err(error) => return Err(error),
            }
            text.push_str(&self.more()?);
        }
        Ok(text)
    }

    /// Whether the log was rotated: the path names another file, or the file was truncated.
    fn is_put_aside(&mut self, path: &Path) -> io::Result<bool> {
        let Some(file) = &mut self.file else { return Ok(true) };
        let read = file.stream_position()?;
        let Ok(there) = path.metadata() else { return Ok(false) };
        if there.len() < read {
            file.seek(SeekFrom::Start(0))?;
            return Ok(true);
        }
        Ok(!is_same(&file.metadata()?, &there))
    }
}

#[cfg(unix)]
fn is_same(one: &std::fs::Metadata, other: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &std::fs::Metadata, other: &std::fs::Metadata) -> bool {
    one.created().ok() == other.created().ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn whole_lines_are_followed_across_a_rotation() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("recalld.log");
        fs::write(&path, "one\ntw").expect("written");
        let mut log = Log::open(&path).expect("opened");
        assert_eq!(log.more().expect("read"), "one\n");
        let mut file = fs::OpenOptions::new().append(true).open(&path).expect("opened");
        file.write_all(b"o\n").expect("written");
        assert_eq!(log.follow(&path).expect("read"), "two\n");
        file.write_all(b"three\n").expect("written");
        fs::rename(&path, folder.path().join("recalld.log.1")).expect("rotated");
        fs::write(&path, "four\n").expect("written");
        assert_eq!(log.follow(&path).expect("read"), "three\nfour\n");
        assert_eq!(log.follow(&path).expect("read"), "");
    }

    #[test]
    fn a_log_that_does_not_exist_yet_is_awaited() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("recalld.log");
        let mut log = Log::default();
        assert_eq!(log.follow(&path).expect("nothing yet"), "");
        fs::write(&path, "first\n").expect("written");
        assert_eq!(log.follow(&path).expect("read"), "first\n");
    }
}
