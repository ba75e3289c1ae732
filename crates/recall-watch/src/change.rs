//! Is a file still as it was?

use std::fs;
use std::path::Path;

use recall_core::{DocPath, Timestamp};

/// What is at a path at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatOutcome {
    /// A regular file.
    File {
        /// Its length.
        size_bytes: u64,
        /// Its modification time.
        modified: Timestamp,
    },
    /// Nothing, or nothing that may be looked at.
    Gone,
    /// Something that is no regular file: a directory, a symlink, a fifo.
    NotRegular,
}

/// Looks at one file again. Costs a single system call and opens nothing.
pub fn stat(root: &Path, path: &DocPath) -> StatOutcome {
    match fs::symlink_metadata(root.join(path.as_str())) {
        Ok(metadata) if metadata.is_file() => {
            StatOutcome::File { size_bytes: metadata.len(), modified: modified(&metadata) }
        }
        Ok(_) => StatOutcome::NotRegular,
        Err(_) => StatOutcome::Gone,
    }
}

/// The modification time; the epoch where the file system keeps none.
pub(crate) fn modified(metadata: &fs::Metadata) -> Timestamp {
    metadata.modified().map_or_else(|_| Timestamp::default(), Timestamp::from)
}

/// Whether a file may change after it was observed without its modification time changing.
///
/// `observed_at` is a moment before the content was read, such as the start of the run. A kernel stamps files with the time
/// of its last tick, up to 10 ms old; some file systems keep whole seconds, or every second one. Two writes within one tick
/// leave the same time, so a content that was read within the tick of its last change proves nothing about the next look
/// ("racily clean" in git's words). A time behind `observed_at` may be of the very moment of reading and is racy too, but
/// not one that is more than a day ahead: a write would set that back to the present.
pub fn is_racy(modified: Timestamp, observed_at: Timestamp) -> bool {
    const NANOS_PER_SECOND: i64 = 1_000_000_000;
    /// Two ticks of the slowest kernel clock (100 Hz).
    const TICK_NANOS: i64 = NANOS_PER_SECOND / 50;
    /// FAT keeps every second second, ext3 and HFS+ every one.
    const WHOLE_SECONDS_NANOS: i64 = 2 * NANOS_PER_SECOND;
    /// No run lasts longer.
    const AHEAD_NANOS: i64 = 24 * 3600 * NANOS_PER_SECOND;

    let keeps_whole_seconds = modified.0 % NANOS_PER_SECOND == 0;
    let tick = if keeps_whole_seconds { WHOLE_SECONDS_NANOS } else { TICK_NANOS };
    let age = observed_at.0.saturating_sub(modified.0);
    (-AHEAD_NANOS..tick).contains(&age)
}

#[cfg(test)]
mod tests;
