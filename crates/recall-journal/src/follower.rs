//! What do the journals say, and what do they say that they did not say before?

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use recall_core::{Event, Timestamp};

use crate::fingerprint::Fingerprint;
use crate::line::read_line;
use crate::lines::Lines;
use crate::{Day, Fault, FaultKind, ReadError, Stat, Storage, StoredFile};

/// For how long a file's time proves nothing: it may be written again within one tick of its clock, of which the coarsest are
/// two seconds long. Until then its hash decides.
const RACY_NANOSECONDS: i64 = 2_000_000_000;

/// How many faults of a file are kept one by one: as many as a person may want to look at.
const FAULTS: usize = 1000;

/// Reads the journals of a folder, and knows what it has read.
#[derive(Debug)]
pub struct Follower {
    storage: Arc<dyn Storage>,
    seen: BTreeMap<Day, Seen>,
}

/// What the journals say beyond what they said before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Nothing.
    None,
    /// More. Some of it may have been told before.
    Added(Vec<Event>),
    /// Something else: lines were changed or taken away. These are all events that there are.
    Rewritten(Vec<Event>),
}

/// What was read of a file.
#[derive(Debug)]
struct Seen {
    /// What the file looked like before it was read; none where it could not be.
    stat: Option<Stat>,
    /// Whether that proves that nothing was written since.
    is_settled: bool,
    /// Where the last whole line ends.
    end: u64,
    /// Where the last line ends that told events: behind that one, if the last line of all has no newline and is one.
    told: u64,
    /// How many lines that is.
    lines: u64,
    /// Of all up to `told`; none where it could not be read.
    fingerprint: Option<Fingerprint>,
    faults: Vec<Fault>,
}

/// What became of a file.
enum Look {
    Same,
    Grown,
    Rewritten,
}

impl Follower {
    /// Takes a folder of which nothing was read.
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage, seen: BTreeMap::new() }
    }

    /// Reads everything, whatever was read before.
    ///
    /// A line that cannot be read, or a file, is told by [`faults`](Self::faults) and keeps nothing else from being read.
    ///
    /// # Errors
    /// The folder cannot be listed. What was read before is still known.
    pub fn replay(&mut self, now: Timestamp) -> Result<Vec<Event>, ReadError> {
        let days = self.days()?;
        self.seen.clear();
        let mut events = Vec::new();
        for day in days {
            self.read_day(day, now, &mut events);
        }
        Ok(events)
    }

    /// Tells what was changed since the last time, by this process, another, git or an editor.
    ///
    /// Costs a look at each file where nothing was changed. Of a file that only grew, what is new is read.
    ///
    /// # Errors
    /// The folder cannot be listed. What was read before is still known.
    pub fn changes(&mut self, now: Timestamp) -> Result<Changes, ReadError> {
        let days = self.storage.stats().map_err(|source| self.unlisted(source))?;
        if self.seen.keys().any(|seen| days.binary_search_by_key(seen, |(day, _)| *day).is_err()) {
            return self.replay(now).map(Changes::Rewritten);
        }
        let mut events = Vec::new();
        let mut has_grown = false;
        for (day, there) in days {
            match self.look(day, there, now) {
                Look::Same => continue,
                Look::Grown => self.read_day(day, now, &mut events),
                Look::Rewritten => return self.replay(now).map(Changes::Rewritten),
            }
            has_grown = true;
        }
        Ok(if has_grown { Changes::Added(events) } else { Changes::None })
    }

    /// What could not be read as it stands, in the order of days and lines, as of the last reading.
    pub fn faults(&self) -> impl Iterator<Item = &Fault> {
        self.seen.values().flat_map(|seen| &seen.faults)
    }

    /// How many bytes of journals were read, as of the last reading.
    pub fn bytes(&self) -> u64 {
        self.seen.values().map(|seen| seen.told).sum()
    }

    fn days(&self) -> Result<Vec<Day>, ReadError> {
        self.storage.days().map_err(|source| self.unlisted(source))
    }

    fn unlisted(&self, source: io::Error) -> ReadError {
        ReadError { folder: self.storage.folder().to_owned(), source }
    }

    /// Compares a file, as it is there, with what was read of it.
    fn look(&mut self, day: Day, there: io::Result<Option<Stat>>, now: Timestamp) -> Look {
        let Some(seen) = self.seen.get_mut(&day) else {
            return if matches!(there, Ok(None)) { Look::Same } else { Look::Grown };
        };
        let there = there.ok().flatten();
        if there == seen.stat && (seen.is_settled || there.is_none()) {
            return Look::Same;
        }
        let (Some(stat), Some(fingerprint)) = (there, seen.fingerprint) else { return Look::Rewritten };
        let opened = self.storage.open(day).ok().flatten();
        let holds =
            opened.is_some_and(|file| Fingerprint::of(&*file, seen.told).is_ok_and(|found| found == fingerprint));
        match holds {
            false => Look::Rewritten,
            // An end without newline may have been replaced by another as long as itself; it is read again.
            true if seen.stat.is_some_and(|seen| seen.length == stat.length) && stat.length == seen.told => {
                (seen.stat, seen.is_settled) = (there, is_settled(stat, now));
                Look::Same
            }
            true => Look::Grown,
        }
    }

    /// Reads a file from where it was read up to.
    fn read_day(&mut self, day: Day, now: Timestamp, events: &mut Vec<Event>) {
        let mut seen = self.seen.remove(&day).unwrap_or_else(Seen::nothing);
        seen.faults.retain(|fault| fault.offset < seen.end);
        match self.storage.open(day) {
            Ok(None) => return,
            Ok(Some(file)) => {
                if let Err(error) = seen.read(day, &*file, now, events) {
                    seen.cannot_be_read(day, &error);
                }
            }
            Err(error) => {
                seen.stat = self.storage.stat(day).ok().flatten();
                seen.cannot_be_read(day, &error);
            }
        }
        self.seen.insert(day, seen);
    }
}

impl Seen {
    fn nothing() -> Self {
        Self { stat: None, is_settled: false, end: 0, told: 0, lines: 0, fingerprint: None, faults: Vec::new() }
    }

    fn read(&mut self, day: Day, file: &dyn StoredFile, now: Timestamp, events: &mut Vec<Event>) -> io::Result<()> {
        let stat = file.stat()?;
        (self.stat, self.is_settled) = (Some(stat), is_settled(stat, now));
        let mut lines = Lines::new(file, self.end, stat.length, self.lines);
        while let Some(line) = lines.next()? {
            let mut fault = |kind| tell(&mut self.faults, Fault { day, line: line.number, offset: line.offset, kind });
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
                        self.told = line.offset + line.length;
                    }
                    events.extend(read.events);
                }
            }
            if line.ends {
                (self.end, self.lines) = (line.offset + line.length, line.number);
                self.told = self.end;
            }
        }
        self.fingerprint = Some(Fingerprint::of(file, self.told)?);
        Ok(())
    }

    /// What was read counts; the rest is tried again, at once or when the file looks otherwise.
    fn cannot_be_read(&mut self, day: Day, error: &io::Error) {
        let kind = FaultKind::Unreadable { reason: error.to_string() };
        (self.fingerprint, self.is_settled) = (None, is_stable(error));
        tell(&mut self.faults, Fault { day, line: self.lines + 1, offset: self.end, kind });
    }
}

fn is_settled(stat: Stat, now: Timestamp) -> bool {
    stat.modified.max(stat.changed).0 < now.0.saturating_sub(RACY_NANOSECONDS)
}

/// Keeps a fault, or counts it where there are many.
fn tell(faults: &mut Vec<Fault>, fault: Fault) {
    if faults.len() < FAULTS {
        return faults.push(fault);
    }
    match faults.last_mut() {
        Some(Fault { kind: FaultKind::More { count }, .. }) => *count += 1,
        _ => faults.push(Fault { kind: FaultKind::More { count: 1 }, ..fault }),
    }
}

/// Whether an error stays until somebody changes the file; any other may be gone a moment later.
fn is_stable(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, NotADirectory, PermissionDenied, Unsupported};
    matches!(error.kind(), IsADirectory | NotADirectory | PermissionDenied | Unsupported)
}
