//! Incremental reading of a folder's journals.
//!
//! What was read of a file is known by its metadata and by a hash of the content. A file that only grew is read from where the last
//! read ended; anything else (a branch switch, a merge, an edit) means that all journals are read again. Removed lines cannot be
//! taken out of a fold one by one, and a full read is rare enough.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use recall_core::{Event, Timestamp};

use crate::line::read_line;
use crate::lines::{Lines, read_some};
use crate::{Day, Fault, FaultKind, ReadError, Stat, Storage, StoredFile};

/// How long a file's modification time is not trusted. The file may be written again within one tick of the file
/// system's clock, and the coarsest clocks tick every two seconds. Until then the hash decides.
const RACY_NANOSECONDS: i64 = 2_000_000_000;

/// The number of faults listed one by one per file: more than a person will read.
const FAULTS: usize = 1000;

/// Reads the journals of a folder and remembers how far it has read.
#[derive(Debug)]
pub struct Follower {
    storage: Arc<dyn Storage>,
    seen: BTreeMap<Day, FileState>,
}

/// What was added to the journals since the last read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Every file is as it was.
    None,
    /// New events. Some of them may have been returned before.
    Added(Vec<Event>),
    /// Earlier lines changed, so this is a full replay: every event of every journal.
    Rewritten(Vec<Event>),
}

/// How far a file was read.
#[derive(Debug)]
struct FileState {
    /// The file's metadata from before it was read; `None` if it could not be queried.
    stat: Option<Stat>,
    /// Whether equal metadata proves that nothing was written since.
    is_settled: bool,
    /// The offset at which the last complete line ends.
    end: u64,
    /// The offset at which the last line with events ends. It is past `end` if the file's last line has events but no
    /// newline.
    events_end: u64,
    /// The number of lines up to `end`.
    lines: u64,
    /// The fingerprint of the content up to `events_end`; `None` if it could not be read.
    fingerprint: Option<Fingerprint>,
    faults: Vec<Fault>,
}

/// How a file changed since it was read.
enum FileChange {
    Unchanged,
    /// It was not there, or could not be opened.
    New,
    /// It begins as before. It is read through the handle that was compared: git may put another file in its place.
    Grown(Box<dyn StoredFile>),
    Rewritten,
}

impl Follower {
    /// Creates a follower of a folder. Nothing is read yet.
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage, seen: BTreeMap::new() }
    }

    /// Reads all journals from their beginning.
    ///
    /// A line or file that cannot be read is reported by [`faults`](Self::faults); everything else is still read.
    ///
    /// # Errors
    /// The folder cannot be listed. The state from the last read is kept.
    pub fn replay(&mut self, now: Timestamp) -> Result<Vec<Event>, ReadError> {
        let days = self.days()?;
        self.seen.clear();
        let mut events = Vec::new();
        for day in days {
            self.read_day(day, now, &mut events);
        }
        Ok(events)
    }

    /// Returns what changed since the last read, by this process, another one, git or an editor.
    ///
    /// An unchanged file costs one `stat`. Of a file that only grew, only the new part is read.
    ///
    /// # Errors
    /// The folder cannot be listed. The state from the last read is kept.
    pub fn changes(&mut self, now: Timestamp) -> Result<Changes, ReadError> {
        let days = self.storage.stats().map_err(|source| self.list_error(source))?;
        if self.seen.keys().any(|seen| days.binary_search_by_key(seen, |(day, _)| *day).is_err()) {
            return self.replay(now).map(Changes::Rewritten);
        }
        let mut events = Vec::new();
        let mut has_grown = false;
        for (day, there) in days {
            match self.compare(day, there, now) {
                FileChange::Unchanged => continue,
                FileChange::New => self.read_day(day, now, &mut events),
                FileChange::Grown(file) => self.read_opened(day, Ok(Some(file)), now, &mut events),
                FileChange::Rewritten => return self.replay(now).map(Changes::Rewritten),
            }
            has_grown = true;
        }
        Ok(if has_grown { Changes::Added(events) } else { Changes::None })
    }

    /// Returns the parts that could not be read, in the order of days and lines, as of the last read.
    pub fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.seen.values().flat_map(|seen| &seen.faults)
    }

    /// Returns the total size of the journals in bytes, as of the last read.
    pub fn bytes(&self) -> u64 {
        self.seen.values().map(|seen| seen.events_end).sum()
    }

    fn days(&self) -> Result<Vec<Day>, ReadError> {
        self.storage.days().map_err(|source| self.list_error(source))
    }

    fn list_error(&self, source: io::Error) -> ReadError {
        ReadError { folder: self.storage.folder().to_owned(), source }
    }

    /// Compares a file's present metadata and content with what was read of it.
    fn compare(&mut self, day: Day, there: io::Result<Option<Stat>>, now: Timestamp) -> FileChange {
        let Some(seen) = self.seen.get_mut(&day) else {
            return if matches!(there, Ok(None)) { FileChange::Unchanged } else { FileChange::New };
        };
        let there = there.ok().flatten();
        if there == seen.stat && (seen.is_settled || there.is_none()) {
            return FileChange::Unchanged;
        }
        let (Some(stat), Some(fingerprint)) = (there, seen.fingerprint) else { return FileChange::Rewritten };
        let Some(file) = self.storage.open(day).ok().flatten() else { return FileChange::Rewritten };
        if Fingerprint::compute(&*file, seen.events_end).ok() != Some(fingerprint) {
            return FileChange::Rewritten;
        }
        // A last line without a newline may have been replaced by one of the same length, so it is read again.
        if seen.stat.is_some_and(|seen| seen.length == stat.length) && stat.length == seen.events_end {
            (seen.stat, seen.is_settled) = (there, is_settled(stat, now));
            return FileChange::Unchanged;
        }
        FileChange::Grown(file)
    }

    /// Reads a file from where the last read ended.
    fn read_day(&mut self, day: Day, now: Timestamp, events: &mut Vec<Event>) {
        self.read_opened(day, self.storage.open(day), now, events);
    }

    fn read_opened(
        &mut self,
        day: Day,
        opened: io::Result<Option<Box<dyn StoredFile>>>,
        now: Timestamp,
        events: &mut Vec<Event>,
    ) {
        let mut seen = self.seen.remove(&day).unwrap_or_else(FileState::unread);
        seen.faults.retain(|fault| fault.offset < seen.end);
        match opened {
            Ok(None) => return,
            Ok(Some(file)) => {
                if let Err(error) = seen.read(day, &*file, now, events) {
                    seen.mark_unreadable(day, &error);
                }
            }
            Err(error) => {
                seen.stat = self.storage.stat(day).ok().flatten();
                seen.mark_unreadable(day, &error);
            }
        }
        self.seen.insert(day, seen);
    }
}

impl FileState {
    fn unread() -> Self {
        Self { stat: None, is_settled: false, end: 0, events_end: 0, lines: 0, fingerprint: None, faults: Vec::new() }
    }

    fn read(&mut self, day: Day, file: &dyn StoredFile, now: Timestamp, events: &mut Vec<Event>) -> io::Result<()> {
        let stat = file.stat()?;
        // From before the lines are read: a write during the read then shows as a difference.
        (self.stat, self.is_settled) = (Some(stat), is_settled(stat, now));
        let mut lines = Lines::new(file, self.end, stat.length, self.lines);
        while let Some(line) = lines.next()? {
            let mut fault =
                |kind| push_fault(&mut self.faults, Fault { day, line: line.number, offset: line.offset, kind });
            match line.bytes {
                None => fault(FaultKind::TooLong { bytes: line.length, limit: crate::LINE_BYTES }),
                Some(bytes) => {
                    let read = read_line(bytes, day);
                    let is_torn = !line.ends && read.events.is_empty() && read.faults.iter().any(FaultKind::is_loss);
                    if is_torn {
                        fault(FaultKind::Torn);
                    } else {
                        read.faults.into_iter().for_each(fault);
                    }
                    if !read.events.is_empty() {
                        self.events_end = line.offset + line.length;
                    }
                    events.extend(read.events);
                }
            }
            if line.ends {
                (self.end, self.lines) = (line.offset + line.length, line.number);
                self.events_end = self.end;
            }
        }
        self.fingerprint = Some(Fingerprint::compute(file, self.events_end)?);
        Ok(())
    }

    /// Records that a file could not be read. What was read is kept; the rest is retried, at once or when its metadata
    /// changes.
    fn mark_unreadable(&mut self, day: Day, error: &io::Error) {
        let kind = FaultKind::Unreadable { reason: error.to_string() };
        (self.fingerprint, self.is_settled) = (None, is_stable(error));
        push_fault(&mut self.faults, Fault { day, line: self.lines + 1, offset: self.end, kind });
    }
}

fn is_settled(stat: Stat, now: Timestamp) -> bool {
    stat.modified.max(stat.changed).0 < now.0.saturating_sub(RACY_NANOSECONDS)
}

/// Records a fault, or counts it if there are already many.
fn push_fault(faults: &mut Vec<Fault>, fault: Fault) {
    if faults.len() < FAULTS {
        return faults.push(fault);
    }
    match faults.last_mut() {
        Some(Fault { kind: FaultKind::More { count }, .. }) => *count += 1,
        _ => faults.push(Fault { kind: FaultKind::More { count: 1 }, ..fault }),
    }
}

/// Returns whether an error persists until the file is changed. Any other error may be transient.
fn is_stable(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, PermissionDenied, Unsupported};
    matches!(error.kind(), IsADirectory | NotADirectory | PermissionDenied | Unsupported)
}

/// Up to this length, all of the content is hashed again if a file grew; this takes a few milliseconds.
const WHOLE_BYTES: u64 = 8 * 1024 * 1024;

/// The number of bytes hashed at the beginning and at the end of longer content. An edit between them that keeps the
/// file's identity, shifts nothing and comes together with an append is only noticed by the next full read.
const PART_BYTES: u64 = 256 * 1024;

/// The number of bytes read at once.
const BLOCK_BYTES: usize = 64 * 1024;

/// The hash of the first bytes of a file; of their beginning and end if they are long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Hashes the first `length` bytes of a file, or fewer if the file is shorter.
    pub(crate) fn compute(file: &dyn StoredFile, length: u64) -> io::Result<Self> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&length.to_le_bytes());
        if length <= WHOLE_BYTES {
            update(&mut hasher, file, 0, length)?;
        } else {
            update(&mut hasher, file, 0, PART_BYTES)?;
            update(&mut hasher, file, length - PART_BYTES, length)?;
        }
        Ok(Self(*hasher.finalize().as_bytes()))
    }
}

fn update(hasher: &mut blake3::Hasher, file: &dyn StoredFile, mut from: u64, to: u64) -> io::Result<()> {
    let mut block = vec![0; BLOCK_BYTES];
    while from < to {
        let wanted = usize::try_from(to - from).unwrap_or(BLOCK_BYTES).min(BLOCK_BYTES);
        let count = read_some(file, &mut block[..wanted], from)?;
        if count == 0 {
            break;
        }
        hasher.update(&block[..count]);
        from += count as u64;
    }
    Ok(())
}
