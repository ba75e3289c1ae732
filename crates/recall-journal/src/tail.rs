//! Detection and repair of an incomplete last line.

use std::fmt;
use std::io;

use memchr::memrchr;

use crate::line;
use crate::lines::read_some;
use crate::{Day, LINE_BYTES, LockedFile, StoredFile};

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

/// Reads the bytes between two offsets.
pub(crate) fn read_range(file: &dyn StoredFile, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(to - from).map_err(|_| io::ErrorKind::FileTooLarge)?];
    let mut filled = 0;
    while filled < bytes.len() {
        match read_some(file, &mut bytes[filled..], from + filled as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => filled += count,
        }
    }
    Ok(bytes)
}
