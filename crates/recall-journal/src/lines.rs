//! Iteration over the lines of a file, and a small file of lines that several processes append to, each after reading the
//! others' lines.

use std::io;
use std::path::{Path, PathBuf};

use memchr::memchr;

use crate::{Day, Disk, LockedFile, Missing, Stat, Storage, StoredFile};

/// The longest line that is read or written, in bytes. A memory's content has at most 1 MiB, which JSON escapes can
/// make six times as long.
pub const LINE_BYTES: usize = 8 * 1024 * 1024;

/// The number of bytes read at once.
const BLOCK_BYTES: usize = 256 * 1024;

/// An iterator over the lines of a file between two offsets. It buffers one line at most, and nothing of a line over
/// the limit.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    file: &'a dyn StoredFile,
    end: u64,
    /// The offset up to which the file was read.
    read: u64,
    buffer: Vec<u8>,
    /// The position in the buffer at which the next line begins.
    start: usize,
    number: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RawLine<'a> {
    /// The line number, counted from 1.
    pub(crate) number: u64,
    /// The byte offset at which it begins.
    pub(crate) offset: u64,
    /// Its length in the file in bytes, with its newline.
    pub(crate) length: u64,
    /// Its content without the newline; `None` if it is over the limit.
    pub(crate) bytes: Option<&'a [u8]>,
    /// Whether it ends with a newline.
    pub(crate) ends: bool,
}

impl<'a> Lines<'a> {
    /// Reads from `offset`, where line `number + 1` begins, to `end`.
    pub(crate) fn new(file: &'a dyn StoredFile, offset: u64, end: u64, number: u64) -> Self {
        Self { file, end, read: offset, buffer: Vec::new(), start: 0, number }
    }

    /// Returns the next line, or `None` after the last one.
    pub(crate) fn next(&mut self) -> io::Result<Option<RawLine<'_>>> {
        let offset = self.read - (self.buffer.len() - self.start) as u64;
        // The length known to hold no newline.
        let mut scanned = 0;
        let mut skipped = 0;
        let (length, ends) = loop {
            let rest = &self.buffer[self.start..];
            if let Some(found) = memchr(b'\n', &rest[scanned..]) {
                break (scanned + found, true);
            }
            scanned = rest.len();
            if skipped + scanned as u64 > LINE_BYTES as u64 {
                skipped += scanned as u64;
                (self.start, scanned) = (self.buffer.len(), 0);
            }
            if !self.fill()? {
                break (scanned, false);
            }
        };
        let total = skipped + length as u64 + u64::from(ends);
        if total == 0 {
            return Ok(None);
        }
        self.number += 1;
        let content = self.start..self.start + length;
        self.start = content.end + usize::from(ends);
        let bytes = (skipped == 0 && length <= LINE_BYTES).then(|| &self.buffer[content]);
        Ok(Some(RawLine { number: self.number, offset, length: total, bytes, ends }))
    }

    /// Reads the next block. Returns whether there was more to read.
    fn fill(&mut self) -> io::Result<bool> {
        self.buffer.drain(..self.start);
        self.start = 0;
        // A file that git has put in the place of a longer one may end before the offset.
        let left = self.end.saturating_sub(self.read);
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(BLOCK_BYTES);
        let filled = self.buffer.len();
        self.buffer.resize(filled + wanted, 0);
        let outcome = read_some(self.file, &mut self.buffer[filled..], self.read);
        self.buffer.truncate(filled + *outcome.as_ref().unwrap_or(&0));
        let count = outcome?;
        self.read += count as u64;
        Ok(count > 0)
    }
}

/// Reads once, and again if a signal interrupts the read.
pub(crate) fn read_some(file: &dyn StoredFile, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    loop {
        match file.read_at(buffer, offset) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
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

/// A file of lines in a folder of the user.
///
/// A crash may leave a torn last line. The next append terminates it with a newline, so only that line is lost. A
/// caller must skip lines that it cannot parse.
#[derive(Debug)]
pub struct LineLog {
    storage: Disk,
    path: PathBuf,
}

impl LineLog {
    /// Names the file. Neither the file nor its folder needs to exist: the first append creates them.
    pub fn new(folder: impl Into<PathBuf>, name: &'static str) -> Self {
        Self::below(folder, "", name)
    }

    /// Names the file in a folder at a plain path below a root. Below the root no link is followed.
    pub fn below(root: impl Into<PathBuf>, below: impl Into<PathBuf>, name: &'static str) -> Self {
        let storage = Disk::below(root, below).single(name);
        Self { path: storage.folder().join(name), storage }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the file's metadata; `None` if there is no file.
    ///
    /// # Errors
    /// The file's metadata cannot be read.
    pub fn stat(&self) -> io::Result<Option<Stat>> {
        self.storage.stat(Day::SINGLE)
    }

    /// Reads the whole file. A missing file is empty.
    ///
    /// # Errors
    /// The file cannot be opened or read.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let Some(file) = self.storage.open(Day::SINGLE)? else { return Ok(Vec::new()) };
        let length = file.stat()?.length;
        read_range(&*file, 0, length)
    }

    /// Appends the lines that `lines` returns for the present content. No other process appends in between. The lines
    /// are on disk when this returns. If `lines` returns nothing, nothing is written.
    ///
    /// # Errors
    /// The file cannot be read or written. A partial append is rolled back if possible.
    pub fn append(&self, lines: impl FnOnce(&[u8]) -> Vec<u8>) -> io::Result<()> {
        let mut file = self.storage.open_locked(Day::SINGLE, Missing::Create)?;
        let length = file.stat()?.length;
        let known = read_range(&*file, 0, length)?;
        let mut added = lines(&known);
        if added.is_empty() {
            return Ok(());
        }
        if !known.is_empty() && !known.ends_with(b"\n") {
            added.insert(0, b'\n');
        }
        self.storage.sync_folders(Day::SINGLE)?;
        let written = file.append(&added).and_then(|()| file.sync());
        written.inspect_err(|_| roll_back(&mut *file, length))
    }
}

/// Cuts off a partial append. If this fails too, the next append terminates the torn line.
fn roll_back(file: &mut dyn LockedFile, length: u64) {
    let _ = file.truncate(length).and_then(|()| file.sync());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stat;

    /// A file that returns a few bytes per read.
    #[derive(Debug)]
    struct Slow(Vec<u8>, usize);

    impl StoredFile for Slow {
        fn stat(&self) -> io::Result<Stat> {
            unreachable!("`Lines` does not call stat")
        }

        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            let rest = &self.0[(offset as usize).min(self.0.len())..];
            let count = rest.len().min(buffer.len()).min(self.1);
            buffer[..count].copy_from_slice(&rest[..count]);
            Ok(count)
        }
    }

    fn check(text: &[u8], expected: &[(u64, u64, Option<&[u8]>, bool)]) {
        for step in [1, 2, 3, 7, 1 << 20] {
            if text.len() > 1000 && step < 1000 {
                continue;
            }
            let file = Slow(text.to_vec(), step);
            let mut lines = Lines::new(&file, 0, text.len() as u64, 0);
            for (at, (offset, length, bytes, ends)) in expected.iter().enumerate() {
                let line = lines.next().expect("readable").expect("a line");
                let number = at as u64 + 1;
                assert_eq!(line, RawLine { number, offset: *offset, length: *length, bytes: *bytes, ends: *ends });
            }
            assert_eq!(lines.next().expect("readable"), None);
        }
    }

    #[test]
    fn lines_come_with_their_offsets() {
        check(b"", &[]);
        check(b"\n", &[(0, 1, Some(b""), true)]);
        check(b"a", &[(0, 1, Some(b"a"), false)]);
        check(
            b"ab\n\ncd\r\ne",
            &[
                (0, 3, Some(b"ab"), true),
                (3, 1, Some(b""), true),
                (4, 4, Some(b"cd\r"), true),
                (8, 1, Some(b"e"), false),
            ],
        );
    }

    #[test]
    fn a_line_over_the_limit_is_skipped() {
        let long = vec![b'x'; LINE_BYTES + 1];
        let text = [b"a\n".as_slice(), &long, b"\nb\n", &long, &long].concat();
        let length = LINE_BYTES as u64 + 1;
        check(
            &text,
            &[
                (0, 2, Some(b"a"), true),
                (2, length + 1, None, true),
                (length + 3, 2, Some(b"b"), true),
                (length + 5, 2 * length, None, false),
            ],
        );
        let longest = vec![b'x'; LINE_BYTES];
        check(&longest, &[(0, LINE_BYTES as u64, Some(&longest), false)]);
    }

    #[test]
    fn nothing_past_the_end_offset_is_read() {
        let file = Slow(b"ab\ncd\nef\n".to_vec(), 4);
        let mut lines = Lines::new(&file, 3, 7, 1);
        let line = lines.next().expect("readable").expect("a line");
        assert_eq!((line.number, line.offset, line.bytes), (2, 3, Some(b"cd".as_slice())));
        let line = lines.next().expect("readable").expect("a line");
        assert_eq!((line.bytes, line.ends), (Some(b"e".as_slice()), false));
    }

    #[test]
    fn a_file_that_ends_before_the_offset_has_no_line() {
        let file = Slow(b"ab\ncd\n".to_vec(), 4);
        assert_eq!(Lines::new(&file, 9, 6, 3).next().expect("readable"), None);
    }

    #[test]
    fn a_torn_line_is_terminated_and_other_writers_lines_are_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, other) = (LineLog::new(folder.path(), "n.jsonl"), LineLog::new(folder.path(), "n.jsonl"));
        assert_eq!((one.read().expect("nothing"), one.stat().expect("nothing")), (Vec::new(), None));
        one.append(|known| {
            assert!(known.is_empty());
            b"a\n".to_vec()
        })
        .expect("kept");
        std::fs::write(one.path(), "a\nto").expect("written");
        other
            .append(|known| {
                assert_eq!(known, b"a\nto");
                b"b\n".to_vec()
            })
            .expect("kept");
        assert_eq!(one.read().expect("read"), b"a\nto\nb\n");
        one.append(|_| Vec::new()).expect("nothing to do");
        assert_eq!(one.read().expect("read"), b"a\nto\nb\n");
    }
}
