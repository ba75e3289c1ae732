//! A single file of a root: opening it without following links, and detection of changes to it.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use recall_core::Timestamp;
use recall_os::{Access, Folder};
use recall_text::DocPath;

/// A file could not be opened.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// A component of the path is a symbolic link.
    Symlink,
    /// Nothing is at the path.
    Gone,
    /// Something other than a regular file is at the path.
    NotRegular,
    /// The operating system refused.
    Io(io::Error),
}

/// Opens a regular file below the root for reading.
///
/// No component of the path may be a link, so the opened file is below the root, even if the path changes during the
/// call.
pub(crate) fn open_inside(root: &Path, path: &DocPath) -> Result<File, OpenError> {
    Ok(Folder::open(root)?.file(path.as_str(), Access::Read)?)
}

/// Opens a regular file at an absolute path for reading. The last component must not be a link.
pub(crate) fn open_regular(path: &Path) -> Result<File, OpenError> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Err(OpenError::NotRegular) };
    Ok(Folder::open(parent)?.file(name, Access::Read)?)
}

impl From<recall_os::OpenError> for OpenError {
    fn from(error: recall_os::OpenError) -> Self {
        use recall_os::OpenError as Error;
        match error {
            Error::Link { .. } => Self::Symlink,
            Error::Missing { .. } | Error::NotAFolder { .. } => Self::Gone,
            Error::NotAFile { .. } => Self::NotRegular,
            Error::Io { source, .. } => Self::Io(source),
            error @ (Error::NotPlain { .. } | Error::NotOurs { .. }) => Self::Io(error.into()),
        }
    }
}

/// What is at a path at the time of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatOutcome {
    /// A regular file, not reached through a link.
    File {
        /// Its length in bytes.
        size_bytes: u64,
        /// When its content was last modified, as the file system says.
        modified: Timestamp,
    },
    /// Nothing, or something that cannot be accessed.
    Gone,
    /// Something other than a regular file: a directory, a symlink, a pipe.
    NotRegular,
}

/// Returns the metadata of a file. Costs a single system call and opens nothing.
pub fn stat(root: &Path, path: &DocPath) -> StatOutcome {
    match fs::symlink_metadata(root.join(path.as_str())) {
        Ok(metadata) if metadata.is_file() => {
            StatOutcome::File { size_bytes: metadata.len(), modified: modification_time(&metadata) }
        }
        Ok(_) => StatOutcome::NotRegular,
        Err(_) => StatOutcome::Gone,
    }
}

/// Returns the modification time, or the epoch if the file system keeps none.
pub(crate) fn modification_time(metadata: &fs::Metadata) -> Timestamp {
    metadata.modified().map_or_else(|_| Timestamp::default(), Timestamp::from)
}

/// Returns when the content or the metadata last changed. No program can set this time, as `cp -p` and `touch` set that of the
/// modification. The modification time where the system keeps no other.
#[cfg(unix)]
pub(crate) fn change_time(metadata: &fs::Metadata) -> Timestamp {
    use std::os::unix::fs::MetadataExt as _;

    Timestamp(metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec()))
}

#[cfg(not(unix))]
pub(crate) fn change_time(metadata: &fs::Metadata) -> Timestamp {
    modification_time(metadata)
}

/// Returns whether a file may change after it was observed without a change of its modification time.
///
/// `observed_at` is a time before the content was read, such as the start of the run. A kernel stamps files with the
/// time of its last tick, up to 10 ms old; some file systems keep whole seconds, or even seconds only. Two writes
/// within one tick leave the same time, so a file read within a tick of its last change cannot be compared by time
/// later (git calls it "racily clean"). A time after `observed_at` may be the very time of reading and is racy too,
/// except one more than a day ahead: a write would set that back to the present.
pub fn is_racy(modified: Timestamp, observed_at: Timestamp) -> bool {
    const NANOS_PER_SECOND: i64 = 1_000_000_000;
    /// Two ticks of the slowest kernel clock (100 Hz).
    const TICK_NANOS: i64 = NANOS_PER_SECOND / 50;
    /// FAT has a resolution of two seconds, ext3 and HFS+ of one.
    const WHOLE_SECONDS_NANOS: i64 = 2 * NANOS_PER_SECOND;
    /// No run takes longer.
    const AHEAD_NANOS: i64 = 24 * 3600 * NANOS_PER_SECOND;

    let keeps_whole_seconds = modified.0 % NANOS_PER_SECOND == 0;
    let tick = if keeps_whole_seconds { WHOLE_SECONDS_NANOS } else { TICK_NANOS };
    let age = observed_at.0.saturating_sub(modified.0);
    (-AHEAD_NANOS..tick).contains(&age)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_racy_within_one_tick_of_the_observation() {
        const MILLI: i64 = 1_000_000;
        const NOW: i64 = 1_800_000_000_123_456_789;
        const WHOLE: i64 = 1_800_000_000_000_000_000;
        for (modified, observed_at, expected) in [
            (NOW, NOW, true),
            (NOW - 9 * MILLI, NOW, true),
            (NOW - 21 * MILLI, NOW, false),
            (NOW + 9 * MILLI, NOW, true),
            // Written and read late in a long run.
            (NOW + 3_600_000 * MILLI, NOW, true),
            (NOW + 48 * 3_600_000 * MILLI, NOW, false),
            (i64::MIN, NOW, false),
            (i64::MAX, NOW, false),
            (WHOLE, WHOLE + 1_900 * MILLI, true),
            (WHOLE, WHOLE + 2_100 * MILLI, false),
            (0, NOW, false),
        ] {
            assert_eq!(
                is_racy(Timestamp(modified), Timestamp(observed_at)),
                expected,
                "{modified} seen at {observed_at}"
            );
        }
    }
}
