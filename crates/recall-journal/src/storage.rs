//! What does a journal need of a file system?
//!
//! Two lives: [`Disk`], and the tests' storage that crashes, fills up and breaks at every step.

mod disk;

use std::fmt::Debug;
use std::io;
use std::path::Path;

use recall_core::Timestamp;

use crate::Day;

pub use disk::Disk;

/// A folder of journals.
pub trait Storage: Debug + Send + Sync {
    /// The folder, to be told to people.
    fn folder(&self) -> &Path;

    /// The days that may have a file, in order. A folder that is missing has none.
    fn days(&self) -> io::Result<Vec<Day>>;

    /// Tells what the day's file looks like; none where there is none.
    fn stat(&self, day: Day) -> io::Result<Option<Stat>>;

    /// The days that may have a file, in order, each with what [`stat`](Self::stat) tells of it: what every search asks of all
    /// days.
    fn stats(&self) -> io::Result<Vec<(Day, io::Result<Option<Stat>>)>> {
        Ok(self.days()?.into_iter().map(|day| (day, self.stat(day))).collect())
    }

    /// Opens the day's file for reading; none where there is none.
    fn open(&self, day: Day) -> io::Result<Option<Box<dyn StoredFile>>>;

    /// Opens the day's file for appending and waits until nobody else has it open so, in this process or another.
    ///
    /// # Errors
    /// Beside the system's: `NotFound` where there is no file and none is to be made.
    fn open_locked(&self, day: Day, missing: Missing) -> io::Result<Box<dyn LockedFile>>;

    /// Returns when the names of the day's file and of its folders are on disk.
    fn sync_folders(&self, day: Day) -> io::Result<()>;
}

/// What becomes of a file that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It is made, with its folders.
    Create,
    /// That is an error.
    Refuse,
}

/// A file that can be read.
pub trait StoredFile: Debug {
    /// Tells what the file looks like.
    fn stat(&self) -> io::Result<Stat>;

    /// Reads some bytes from an offset on; 0 at the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

/// A file that nobody else appends to while this is held.
pub trait LockedFile: StoredFile {
    /// Adds bytes at the end. After an error some of them may be there.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Cuts the file to a length.
    fn truncate(&mut self, length: u64) -> io::Result<()>;

    /// Returns when all that was written is on disk. After an error nothing is known of that.
    fn sync(&mut self) -> io::Result<()>;
}

/// What a file looks like from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// How long it is, in bytes.
    pub length: u64,
    /// When its content was last written.
    pub modified: Timestamp,
    /// When anything about it was last changed, where the system keeps that.
    pub changed: Timestamp,
    /// What tells it from another file of the same name.
    pub identity: (u64, u64),
}
