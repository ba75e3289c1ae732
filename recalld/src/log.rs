//! The daemon's log.
//!
//! No event at a level above `trace` carries the text of a document or a query.

mod rotation;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use recall_config::{DaemonSettings, LogLevel};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

pub(crate) use rotation::RotatingFile;

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
}
