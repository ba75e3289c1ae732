//! Rotation of log files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};

/// A log file that is rotated when it is full: `recalld.log` becomes `recalld.log.1`, that one `recalld.log.2`, and the
/// oldest is deleted.
///
/// A line is never split, so a file exceeds its bound only if a single line does.
#[derive(Debug)]
pub(crate) struct RotatingFile {
    path: PathBuf,
    file: File,
    written_bytes: u64,
    most_bytes: u64,
    keep: NonZero<usize>,
}

impl RotatingFile {
    /// Opens the file for appending. Keeps at most `keep` files of about `most_bytes` each, including the open one.
    ///
    /// # Errors
    /// The file cannot be created or opened.
    pub(crate) fn open(path: &Path, most_bytes: u64, keep: NonZero<usize>) -> io::Result<Self> {
        let file = append_to(path)?;
        let written_bytes = file.metadata()?.len();
        Ok(Self { path: path.to_owned(), file, written_bytes, most_bytes, keep })
    }

    fn rotate(&mut self) -> io::Result<()> {
        for age in (1..self.keep.get()).rev() {
            let younger = self.name_by_age(age - 1);
            if younger.exists() {
                fs::rename(younger, self.name_by_age(age))?;
            }
        }
        if self.keep.get() == 1 {
            fs::remove_file(&self.path)?;
        }
        self.file = append_to(&self.path)?;
        self.written_bytes = 0;
        Ok(())
    }

    /// Returns the path of the file that was rotated `age` times; 0 is the open one.
    fn name_by_age(&self, age: usize) -> PathBuf {
        if age == 0 {
            return self.path.clone();
        }
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{age}"));
        name.into()
    }
}

impl Write for RotatingFile {
    /// Writes the whole of `line`, to a new file if the open one has no room for it.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let line_bytes = line.len() as u64;
        if self.written_bytes > 0 && self.written_bytes + line_bytes > self.most_bytes {
            self.rotate()?;
        }
        self.file.write_all(line)?;
        self.written_bytes += line_bytes;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn append_to(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes the lines into files of at most 12 bytes and compares the contents of the files, youngest first.
    fn check(keep: usize, lines: &[&str], expected: &[&str]) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("recalld.log");
        let keep = NonZero::new(keep).expect("at least one");
        for line in lines {
            let mut log = RotatingFile::open(&path, 12, keep).expect("writable");
            log.write_all(line.as_bytes()).expect("writable");
        }
        let log = RotatingFile::open(&path, 12, keep).expect("writable");
        let found: Vec<_> = (0..).map_while(|age| fs::read_to_string(log.name_by_age(age)).ok()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_full_file_is_rotated_and_the_oldest_is_deleted() {
        check(3, &["one\n", "two\n"], &["one\ntwo\n"]);
        check(3, &["one\n", "two\n", "three\n"], &["three\n", "one\ntwo\n"]);
        check(2, &["11111111\n", "22222222\n", "33333333\n", "44444444\n"], &["44444444\n", "33333333\n"]);
    }

    #[test]
    fn a_single_kept_file_is_replaced_when_full() {
        check(1, &["11111111\n", "22222222\n"], &["22222222\n"]);
    }

    #[test]
    fn a_line_longer_than_a_file_stays_whole() {
        check(
            3,
            &["one\n", "a line of more than twelve bytes\n", "two\n"],
            &["two\n", "a line of more than twelve bytes\n", "one\n"],
        );
    }
}
