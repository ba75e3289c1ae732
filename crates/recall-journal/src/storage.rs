//! The file system operations that a journal needs.
//!
//! There are two implementations: [`Disk`], and the test suite's storage in memory, which injects crashes, full disks
//! and errors at every step.

mod disk;

use std::fmt::Debug;
use std::io;
use std::path::Path;

use recall_core::Timestamp;

use crate::Day;

pub use disk::Disk;

/// A folder of journals.
pub trait Storage: Debug + Send + Sync {
    /// Returns the folder's path, for messages.
    fn folder(&self) -> &Path;

    /// Lists the days that may have a file, in order. A missing folder has none.
    fn days(&self) -> io::Result<Vec<Day>>;

    /// Returns the metadata of the day's file; `None` if there is no file.
    fn stat(&self, day: Day) -> io::Result<Option<Stat>>;

    /// Lists the days that may have a file, in order, each with the result of [`stat`](Self::stat). Every search calls
    /// this, so an implementation should make it fast.
    fn stats(&self) -> io::Result<Vec<(Day, io::Result<Option<Stat>>)>> {
        Ok(self.days()?.into_iter().map(|day| (day, self.stat(day))).collect())
    }

    /// Opens the day's file for reading; `None` if there is no file.
    fn open(&self, day: Day) -> io::Result<Option<Box<dyn StoredFile>>>;

    /// Opens the day's file for appending and waits for an exclusive lock on it, across threads and processes.
    ///
    /// # Errors
    /// `NotFound` if there is no file and `missing` is [`Missing::Refuse`]; otherwise the operating system's error.
    fn open_locked(&self, day: Day, missing: Missing) -> io::Result<Box<dyn LockedFile>>;

    /// Syncs the folders that hold the day's file, so that the file's name is on disk.
    fn sync_folders(&self, day: Day) -> io::Result<()>;
}

/// How opening treats a missing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The file and its folders are created.
    Create,
    /// Opening fails with `NotFound`.
    Refuse,
}

/// A file that can be read.
pub trait StoredFile: Debug {
    /// Returns the file's metadata.
    fn stat(&self) -> io::Result<Stat>;

    /// Reads bytes from an offset. Returns 0 at the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

/// A file under an exclusive append lock.
pub trait LockedFile: StoredFile {
    /// Appends bytes. After an error, a part of them may have been written.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Truncates the file to a length.
    fn truncate(&mut self, length: u64) -> io::Result<()>;

    /// Waits until everything written is on disk. After an error, nothing is known about what is on disk.
    fn sync(&mut self) -> io::Result<()>;
}

/// The metadata of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// The length in bytes.
    pub length: u64,
    /// The time of the last write to the content.
    pub modified: Timestamp,
    /// The time of the last change to content or metadata (`ctime`), if the system keeps one; otherwise `modified`.
    pub changed: Timestamp,
    /// The device and inode, which differ if another file takes the same name.
    pub identity: (u64, u64),
}
