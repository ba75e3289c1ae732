//! A small file of lines that several processes append to, each after reading the others' lines.

use std::io;
use std::path::{Path, PathBuf};

use crate::writer::read_range;
use crate::{Day, Disk, LockedFile, Missing, Stat, Storage};

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
