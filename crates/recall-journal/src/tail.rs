//! Does a file end as it should, and if not, what becomes of its end?

use std::fmt;
use std::io;

use memchr::memrchr;

use crate::line;
use crate::lines::read_some;
use crate::{Day, LINE_BYTES, LockedFile, StoredFile};

/// How much is read at once, from the end backwards.
const BLOCK_BYTES: u64 = 64 * 1024;

/// Whether a line of a day's file tells something, as it stands.
pub(crate) type IsWhole = fn(&[u8], Day) -> bool;

/// The end of a file was mended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The day whose file it was.
    pub day: Day,
    /// Where the last line began.
    pub offset: u64,
    /// How long that line was.
    pub bytes: u64,
    /// What was done.
    pub kind: RepairKind,
}

/// What was done to the last line of a file, which had no newline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepairKind {
    /// It was torn, so nobody was ever told that it is kept; it was cut off.
    Cut,
    /// It is whole, or was not written here; its newline was added.
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

/// Whether a file ends in the middle of a line.
pub(crate) fn is_open(file: &dyn StoredFile) -> io::Result<bool> {
    let length = file.stat()?.length;
    let mut last = [b'\n'];
    if length > 0 {
        read_some(file, &mut last, length - 1)?;
    }
    Ok(last != *b"\n")
}

/// Sees to it that a file ends with a whole line. On error it ends as it did, or as it should.
pub(crate) fn mend(day: Day, file: &mut dyn LockedFile, is_whole: IsWhole) -> io::Result<Option<Repair>> {
    if !is_open(file)? {
        return Ok(None);
    }
    let length = file.stat()?.length;
    let (offset, line) = last_line(file, length)?;
    let kind =
        if line.is_some_and(|line| is_torn(&line, day, is_whole)) { RepairKind::Cut } else { RepairKind::Completed };
    match kind {
        RepairKind::Cut => file.truncate(offset)?,
        RepairKind::Completed => file.append(b"\n")?,
    }
    file.sync()?;
    Ok(Some(Repair { day, offset, bytes: length - offset, kind }))
}

/// Whether a line without newline is what is left of a write of ours: the beginning of an event, or the zeros of blocks that
/// were not filled. What somebody else wrote looks otherwise, and is theirs.
fn is_torn(line: &[u8], day: Day, is_whole: IsWhole) -> bool {
    let begun = line.len().min(line::BEGINNING.len());
    let is_ours = line[..begun] == line::BEGINNING[..begun] || line.iter().all(|byte| *byte == 0);
    is_ours && !is_whole(line, day)
}

/// Where the last line begins, and what it holds; none where it is too long.
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
