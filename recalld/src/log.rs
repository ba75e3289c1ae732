//! The daemon's log, and the rotation of its files.
//!
//! No event at a level above `trace` carries the text of a document or a query.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use recall_config::{DaemonSettings, LogLevel};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Where log lines go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// A rotated file, with one JSON object per line.
    File(PathBuf),
    /// Standard error, for a person or the system's journal.
    Stderr,
}

/// Starts logging.
///
/// # Errors
/// The file cannot be created or opened.
pub(crate) fn start(destination: &Destination, settings: &DaemonSettings) -> Result<(), LogError> {
    let events = tracing_subscriber::registry().with(filter(settings.log_level));
    let lines = fmt::layer().with_target(false);
    match destination {
        Destination::File(path) => {
            let file = open(path, settings).map_err(|source| LogError { path: path.clone(), source })?;
            events.with(lines.json().flatten_event(true).with_writer(Mutex::new(file))).init();
        }
        Destination::Stderr => events.with(lines.with_ansi(false).with_writer(io::stderr)).init(),
    }
    Ok(())
}

/// Returns the filter: recall's own events from `level` on, and only warnings and errors of other libraries.
///
/// More verbose events of libraries may quote their input, which is the text of documents and queries.
fn filter(level: LogLevel) -> Targets {
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    Targets::new().with_default(level.min(LevelFilter::WARN)).with_target("recall", level)
}

fn open(path: &Path, settings: &DaemonSettings) -> io::Result<RotatingFile> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)?;
    }
    RotatingFile::open(path, settings.log_file_bytes, settings.log_files)
}

/// The log cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot open the log `{}`", path.display())]
pub(crate) struct LogError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

/// A log file that is rotated when it is full: `recalld.log` becomes `recalld.log.1`, that one `recalld.log.2`, and the
/// oldest is deleted.
///
/// A line is never split, so a file exceeds its bound only if a single line does.
#[derive(Debug)]
pub(crate) struct RotatingFile {
    path: PathBuf,
    file: File,
    written_bytes: u64,
    most_bytes: u64,
    keep: NonZero<usize>,
}

impl RotatingFile {
    /// Opens the file for appending. Keeps at most `keep` files of about `most_bytes` each, including the open one.
    ///
    /// # Errors
    /// The file cannot be created or opened.
    pub(crate) fn open(path: &Path, most_bytes: u64, keep: NonZero<usize>) -> io::Result<Self> {
        let file = append_to(path)?;
        let written_bytes = file.metadata()?.len();
        Ok(Self { path: path.to_owned(), file, written_bytes, most_bytes, keep })
    }

    fn rotate(&mut self) -> io::Result<()> {
        for age in (1..self.keep.get()).rev() {
            let younger = self.name_by_age(age - 1);
            if younger.exists() {
                fs::rename(younger, self.name_by_age(age))?;
            }
        }
        if self.keep.get() == 1 {
            fs::remove_file(&self.path)?;
        }
        self.file = append_to(&self.path)?;
        self.written_bytes = 0;
        Ok(())
    }

    /// Returns the path of the file that was rotated `age` times; 0 is the open one.
    fn name_by_age(&self, age: usize) -> PathBuf {
        if age == 0 {
            return self.path.clone();
        }
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{age}"));
        name.into()
    }
}

impl Write for RotatingFile {
    /// Writes the whole of `line`, to a new file if the open one has no room for it.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let line_bytes = line.len() as u64;
        if self.written_bytes > 0 && self.written_bytes + line_bytes > self.most_bytes {
            self.rotate()?;
        }
        self.file.write_all(line)?;
        self.written_bytes += line_bytes;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn append_to(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn libraries_log_only_warnings_and_errors() {
        for (level, ours, theirs) in [
            (LogLevel::Error, Level::ERROR, Level::ERROR),
            (LogLevel::Info, Level::INFO, Level::WARN),
            (LogLevel::Trace, Level::TRACE, Level::WARN),
        ] {
            let filter = filter(level);
            let most_verbose = |target: &str| {
                let levels = [Level::TRACE, Level::DEBUG, Level::INFO, Level::WARN, Level::ERROR];
                levels.into_iter().find(|level| filter.would_enable(target, level))
            };
            assert_eq!(most_verbose("recalld::start"), Some(ours), "{level:?}");
            assert_eq!(most_verbose("recall_engine"), Some(ours), "{level:?}");
            assert_eq!(most_verbose("h2::codec"), Some(theirs), "{level:?}");
        }
    }

    /// Writes the lines into files of at most 12 bytes and compares the contents of the files, youngest first.
    fn check(keep: usize, lines: &[&str], expected: &[&str]) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("recalld.log");
        let keep = NonZero::new(keep).expect("at least one");
        for line in lines {
            let mut log = RotatingFile::open(&path, 12, keep).expect("writable");
            log.write_all(line.as_bytes()).expect("writable");
        }
        let log = RotatingFile::open(&path, 12, keep).expect("writable");
        let found: Vec<_> = (0..).map_while(|age| fs::read_to_string(log.name_by_age(age)).ok()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_full_file_is_rotated_and_the_oldest_is_deleted() {
        check(3, &["one\n", "two\n"], &["one\ntwo\n"]);
        check(3, &["one\n", "two\n", "three\n"], &["three\n", "one\ntwo\n"]);
        check(2, &["11111111\n", "22222222\n", "33333333\n", "44444444\n"], &["44444444\n", "33333333\n"]);
    }

    #[test]
    fn a_single_kept_file_is_replaced_when_full() {
        check(1, &["11111111\n", "22222222\n"], &["22222222\n"]);
    }

    #[test]
    fn a_line_longer_than_a_file_stays_whole() {
        check(
            3,
            &["one\n", "a line of more than twelve bytes\n", "two\n"],
            &["two\n", "a line of more than twelve bytes\n", "one\n"],
        );
    }
}
