//! Here are whole lines; how do they get to the end of a day's file for good, or not at all?

use std::collections::BTreeMap;
use std::io;

use crate::tail::{mend, read_range};
use crate::{Day, LockedFile, Missing, Repair, Storage};

/// How often lines are written anew because another file took the place of the one that they were written to. Each means a
/// checkout within milliseconds.
const ATTEMPTS: usize = 100;

/// What the writer knows of the files between two writes.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    /// The files whose names are on disk.
    named: BTreeMap<Day, (u64, u64)>,
    /// What could not be taken back.
    unsettled: BTreeMap<Day, Unsettled>,
    repairs: Vec<Repair>,
}

/// Bytes that do not count, and may still be in a file.
#[derive(Debug)]
struct Unsettled {
    begin: u64,
    bytes: Vec<u8>,
}

/// Why lines were not written.
#[derive(Debug)]
pub(crate) enum WriteError {
    /// None of them is in the file.
    NotWritten(io::Error),
    /// Some of them may be.
    Unsettled(io::Error),
}

impl Writer {
    /// Takes the repairs since the last time.
    pub(crate) fn take_repairs(&mut self) -> Vec<Repair> {
        std::mem::take(&mut self.repairs)
    }

    /// Mends the end of a file, if it has to be.
    pub(crate) fn mend(&mut self, storage: &dyn Storage, day: Day) -> io::Result<()> {
        let mut file = match storage.open_locked(day, Missing::Refuse) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            file => file?,
        };
        self.repairs.extend(mend(day, &mut *file)?);
        Ok(())
    }

    /// Writes lines to the end of a day's file and returns when they are on disk, under a name that is on disk.
    pub(crate) fn write(&mut self, storage: &dyn Storage, day: Day, lines: &[u8]) -> Result<(), WriteError> {
        for _ in 0..ATTEMPTS {
            let mut file = storage.open_locked(day, Missing::Create).map_err(WriteError::NotWritten)?;
            let begin = self.prepare(storage, day, &mut *file).map_err(WriteError::NotWritten)?;
            if let Err(error) = file.append(lines).and_then(|()| file.sync()) {
                return Err(self.take_back(day, &mut *file, Unsettled { begin, bytes: lines.to_owned() }, error));
            }
            // Git does not ask for the lock: what was written to the file that it just replaced is gone.
            match is_in_place(storage, day, &*file) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) => {
                    return Err(self.take_back(day, &mut *file, Unsettled { begin, bytes: lines.to_owned() }, error));
                }
            }
        }
        Err(WriteError::NotWritten(io::Error::other("it is replaced again and again")))
    }

    /// Makes a file ready to be appended to; returns where it ends.
    fn prepare(&mut self, storage: &dyn Storage, day: Day, file: &mut dyn LockedFile) -> io::Result<u64> {
        let identity = file.stat()?.identity;
        if self.named.get(&day) != Some(&identity) {
            storage.sync_folders(day)?;
            self.named.insert(day, identity);
        }
        if let Some(unsettled) = self.unsettled.get(&day) {
            settle(file, unsettled)?;
            self.unsettled.remove(&day);
        }
        self.repairs.extend(mend(day, file)?);
        Ok(file.stat()?.length)
    }

    /// Takes back what a failed write left. Where that fails too, it is tried again before the next write.
    fn take_back(&mut self, day: Day, file: &mut dyn LockedFile, left: Unsettled, error: io::Error) -> WriteError {
        let begin = left.begin;
        let left = match file.truncate(begin) {
            Ok(()) if file.sync().is_ok() => return WriteError::NotWritten(error),
            // It is gone, but perhaps not from the disk.
            Ok(()) => Unsettled { begin, bytes: Vec::new() },
            Err(_) => left,
        };
        self.unsettled.insert(day, left);
        WriteError::Unsettled(error)
    }
}

/// Takes back what does not count, unless somebody wrote behind it: then it stays, and counts.
fn settle(file: &mut dyn LockedFile, unsettled: &Unsettled) -> io::Result<()> {
    let Unsettled { begin, bytes } = unsettled;
    let length = file.stat()?.length;
    let left = length.checked_sub(*begin).and_then(|left| usize::try_from(left).ok());
    let Some(left) = left.filter(|left| *left <= bytes.len()) else { return Ok(()) };
    if read_range(file, *begin, length)? == bytes[..left] {
        file.truncate(*begin)?;
    }
    // Whether the cut that went before is on disk is not known either.
    file.sync()
}

/// Whether a file still is the one of that name.
fn is_in_place(storage: &dyn Storage, day: Day, file: &dyn LockedFile) -> io::Result<bool> {
    let there = storage.stat(day)?;
    Ok(there.is_some_and(|there| file.stat().is_ok_and(|stat| stat.identity == there.identity)))
}
