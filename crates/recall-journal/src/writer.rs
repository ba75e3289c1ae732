//! Durable, all-or-nothing appends of complete lines to a day's file, and repair of an incomplete last line.
//!
//! An append is acknowledged when its bytes and the file's name are on disk, and when a look afterwards finds the bytes in the file
//! of that name: git and editors replace and overwrite files without taking the lock. A write that fails is truncated again. If that
//! fails too, the error says that its lines may come to count, and the next write truncates them first. After a failed sync nothing
//! is known about a descriptor, so each write opens the file again.

use std::collections::BTreeMap;
use std::{fmt, io};

use memchr::memrchr;

use crate::lines::{read_range, read_some};
use crate::{Day, LINE_BYTES, LockedFile, Missing, Storage, StoredFile, line};

/// How often lines are written again because another file took the name of theirs, or another program overwrote them.
/// Each time means a checkout within milliseconds.
const ATTEMPTS: usize = 100;

/// The state kept between two writes.
#[derive(Debug)]
pub(crate) struct Writer {
    is_complete: IsComplete,
    /// For each day, the identity of the file whose name is known to be on disk.
    synced_names: BTreeMap<Day, (u64, u64)>,
    /// Failed writes that could not be rolled back.
    unsettled: BTreeMap<Day, Unsettled>,
    repairs: Vec<Repair>,
}

/// A failed write whose bytes may still be in the file.
#[derive(Debug)]
struct Unsettled {
    begin: u64,
    bytes: Vec<u8>,
}

#[derive(Debug)]
pub(crate) enum WriteError {
    /// None of the lines is in the file.
    NotWritten(io::Error),
    /// Some of the lines may be in the file.
    Unsettled(io::Error),
}

impl Writer {
    /// Creates a writer. `is_complete` decides how a last line without a newline is repaired.
    pub(crate) fn new(is_complete: IsComplete) -> Self {
        Self { is_complete, synced_names: BTreeMap::new(), unsettled: BTreeMap::new(), repairs: Vec::new() }
    }

    /// Takes the repairs made since the last call.
    pub(crate) fn take_repairs(&mut self) -> Vec<Repair> {
        std::mem::take(&mut self.repairs)
    }

    /// Repairs the end of a file if necessary. A missing file needs no repair.
    pub(crate) fn repair(&mut self, storage: &dyn Storage, day: Day) -> io::Result<()> {
        let mut file = match storage.open_locked(day, Missing::Refuse) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            file => file?,
        };
        self.repairs.extend(repair_end(day, &mut *file, self.is_complete)?);
        Ok(())
    }

    /// Appends lines to a day's file. When this returns, the lines and the file's name are on disk.
    pub(crate) fn write(&mut self, storage: &dyn Storage, day: Day, lines: &[u8]) -> Result<(), WriteError> {
        for _ in 0..ATTEMPTS {
            let mut file = storage.open_locked(day, Missing::Create).map_err(WriteError::NotWritten)?;
            let begin = self.prepare(storage, day, &mut *file).map_err(WriteError::NotWritten)?;
            let written = file.append(lines).and_then(|()| file.sync());
            // Git and editors do not take the lock. If they just replaced or overwrote the file, the lines are lost.
            match written.and_then(|()| Ok(is_in_place(storage, day, &*file)? && holds(&*file, begin, lines)?)) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) => {
                    return Err(self.roll_back(day, &mut *file, Unsettled { begin, bytes: lines.to_owned() }, error));
                }
            }
        }
        Err(WriteError::Unsettled(io::Error::other("the file was replaced too many times")))
    }

    /// Prepares a file for an append. Returns its length.
    fn prepare(&mut self, storage: &dyn Storage, day: Day, file: &mut dyn LockedFile) -> io::Result<u64> {
        let identity = file.stat()?.identity;
        // The name goes to disk before the lines: a synced file without a name is lost.
        if self.synced_names.get(&day) != Some(&identity) {
            storage.sync_folders(day)?;
            self.synced_names.insert(day, identity);
        }
        // Lines after the rest of a failed write would make it permanent, and its callers were told that it failed.
        if let Some(unsettled) = self.unsettled.get(&day) {
            retry_roll_back(file, unsettled)?;
            self.unsettled.remove(&day);
        }
        self.repairs.extend(repair_end(day, file, self.is_complete)?);
        Ok(file.stat()?.length)
    }

    /// Rolls a failed write back. If that fails too, the next write tries again.
    fn roll_back(&mut self, day: Day, file: &mut dyn LockedFile, left: Unsettled, error: io::Error) -> WriteError {
        match truncate_write(file, &left) {
            Ok(true) if file.sync().is_ok() => return WriteError::NotWritten(error),
            // It is gone from the file, but perhaps not from the disk.
            Ok(true) => drop(self.unsettled.insert(day, Unsettled { bytes: Vec::new(), ..left })),
            Ok(false) => {}
            Err(_) => drop(self.unsettled.insert(day, left)),
        }
        WriteError::Unsettled(error)
    }
}

/// Retries a rollback and syncs it.
fn retry_roll_back(file: &mut dyn LockedFile, unsettled: &Unsettled) -> io::Result<()> {
    if truncate_write(file, unsettled)? { file.sync() } else { Ok(()) }
}

/// Truncates a failed write, unless another program wrote after or over it: then the bytes stay and count. Returns
/// whether nothing of the write is left.
fn truncate_write(file: &mut dyn LockedFile, unsettled: &Unsettled) -> io::Result<bool> {
    let Unsettled { begin, bytes } = unsettled;
    let length = file.stat()?.length;
    let left = length.checked_sub(*begin).and_then(|left| usize::try_from(left).ok());
    let Some(left) = left.filter(|left| *left <= bytes.len()) else { return Ok(false) };
    if left > 0 && read_range(file, *begin, length)? != bytes[..left] {
        return Ok(false);
    }
    // Truncate even if nothing is left: this lets a file be used again after a failed sync.
    file.truncate(*begin)?;
    Ok(true)
}

/// Returns whether a file still has its name.
fn is_in_place(storage: &dyn Storage, day: Day, file: &dyn LockedFile) -> io::Result<bool> {
    let there = storage.stat(day)?;
    Ok(there.is_some_and(|there| file.stat().is_ok_and(|stat| stat.identity == there.identity)))
}

/// Returns whether a file holds the bytes at the offset.
fn holds(file: &dyn LockedFile, begin: u64, bytes: &[u8]) -> io::Result<bool> {
    let end = begin + bytes.len() as u64;
    Ok(file.stat()?.length >= end && read_range(file, begin, end)? == bytes)
}

/// The number of bytes read at once, from the end backwards.
const BLOCK_BYTES: u64 = 64 * 1024;

/// A function that returns whether a line of a day's file is a complete event.
pub(crate) type IsComplete = fn(&[u8], Day) -> bool;

/// A repair of the end of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The day whose file it was.
    pub day: Day,
    /// The byte offset at which the last line began.
    pub offset: u64,
    /// The length of that line in bytes.
    pub bytes: u64,
    /// Whether bytes were cut off or a newline was added.
    pub kind: RepairKind,
}

/// How a last line without a newline was repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepairKind {
    /// The line was torn, so it was never acknowledged; it was cut off.
    Cut,
    /// The line is complete, or another program wrote it; a newline was added.
    Completed,
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { day, offset, bytes, kind } = self;
        let done = match kind {
            RepairKind::Cut => "a torn line was cut off",
            RepairKind::Completed => "a newline was added to the last line",
        };
        write!(f, "{}: {done}, {bytes} bytes from byte {offset}", day.path().display())
    }
}

/// Returns whether a file ends in the middle of a line.
pub(crate) fn ends_mid_line(file: &dyn StoredFile) -> io::Result<bool> {
    let length = file.stat()?.length;
    let mut last = [b'\n'];
    if length > 0 {
        read_some(file, &mut last, length - 1)?;
    }
    Ok(last != *b"\n")
}

/// Repairs a file that does not end with a newline. After an error the file's end is either unchanged or repaired.
pub(crate) fn repair_end(day: Day, file: &mut dyn LockedFile, is_complete: IsComplete) -> io::Result<Option<Repair>> {
    if !ends_mid_line(file)? {
        return Ok(None);
    }
    let length = file.stat()?.length;
    let (offset, line) = last_line(file, length)?;
    let kind =
        if line.is_some_and(|line| is_torn(&line, day, is_complete)) { RepairKind::Cut } else { RepairKind::Completed };
    match kind {
        RepairKind::Cut => file.truncate(offset)?,
        RepairKind::Completed => file.append(b"\n")?,
    }
    file.sync()?;
    Ok(Some(Repair { day, offset, bytes: length - offset, kind }))
}

/// Returns whether a line without a newline is the rest of a write by this crate: the beginning of an event, or the
/// zero bytes of unwritten blocks. Any other text belongs to another program.
fn is_torn(line: &[u8], day: Day, is_complete: IsComplete) -> bool {
    let begun = line.len().min(line::BEGINNING.len());
    let is_ours = line[..begun] == line::BEGINNING[..begun] || line.iter().all(|byte| *byte == 0);
    is_ours && !is_complete(line, day)
}

/// Returns the offset and content of the last line; the content is `None` if it is over the limit.
fn last_line(file: &dyn StoredFile, length: u64) -> io::Result<(u64, Option<Vec<u8>>)> {
    let mut begin = length;
    let mut line = Vec::new();
    while begin > 0 {
        let from = begin.saturating_sub(BLOCK_BYTES);
        let block = read_range(file, from, begin)?;
        let found = memrchr(b'\n', &block).map(|found| found + 1);
        begin = from + found.unwrap_or_default() as u64;
        if line.len() <= LINE_BYTES {
            line.splice(..0, block[found.unwrap_or_default()..].iter().copied());
        }
        if found.is_some() {
            break;
        }
    }
    Ok((begin, (line.len() <= LINE_BYTES).then_some(line)))
}
