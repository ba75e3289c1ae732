//! Here are whole lines; how do they get to the end of a day's file for good, or not at all?

use std::collections::BTreeMap;
use std::io;

use crate::tail::{IsWhole, mend, read_range};
use crate::{Day, LockedFile, Missing, Repair, Storage};

/// How often lines are written anew because another file took the place of theirs, or somebody wrote over them. Each means a
/// checkout within milliseconds.
const ATTEMPTS: usize = 100;

/// What the writer knows of the files between two writes.
#[derive(Debug)]
pub(crate) struct Writer {
    is_whole: IsWhole,
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
    /// Knows nothing of any file yet; `is_whole` decides what becomes of a last line without a newline.
    pub(crate) fn new(is_whole: IsWhole) -> Self {
        Self { is_whole, named: BTreeMap::new(), unsettled: BTreeMap::new(), repairs: Vec::new() }
    }

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
        self.repairs.extend(mend(day, &mut *file, self.is_whole)?);
        Ok(())
    }

    /// Writes lines to the end of a day's file and returns when they are on disk, under a name that is on disk.
    pub(crate) fn write(&mut self, storage: &dyn Storage, day: Day, lines: &[u8]) -> Result<(), WriteError> {
        for _ in 0..ATTEMPTS {
            let mut file = storage.open_locked(day, Missing::Create).map_err(WriteError::NotWritten)?;
            let begin = self.prepare(storage, day, &mut *file).map_err(WriteError::NotWritten)?;
            let written = file.append(lines).and_then(|()| file.sync());
            // Git and editors do not ask for the lock: what was written to a file that was just replaced, or is just being
            // written over, is gone.
            match written.and_then(|()| Ok(is_in_place(storage, day, &*file)? && holds(&*file, begin, lines)?)) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) => {
                    return Err(self.take_back(day, &mut *file, Unsettled { begin, bytes: lines.to_owned() }, error));
                }
            }
        }
        Err(WriteError::Unsettled(io::Error::other("it is replaced again and again")))
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
        self.repairs.extend(mend(day, file, self.is_whole)?);
        Ok(file.stat()?.length)
    }

    /// Takes back what a failed write left. Where that fails too, it is tried again before the next write.
    fn take_back(&mut self, day: Day, file: &mut dyn LockedFile, left: Unsettled, error: io::Error) -> WriteError {
        match cut(file, &left) {
            Ok(true) if file.sync().is_ok() => return WriteError::NotWritten(error),
            // It is gone, but perhaps not from the disk.
            Ok(true) => drop(self.unsettled.insert(day, Unsettled { bytes: Vec::new(), ..left })),
            Ok(false) => {}
            Err(_) => drop(self.unsettled.insert(day, left)),
        }
        WriteError::Unsettled(error)
    }
}

/// Takes back what could not be before, and sees to it that this is on disk.
fn settle(file: &mut dyn LockedFile, unsettled: &Unsettled) -> io::Result<()> {
    if cut(file, unsettled)? { file.sync() } else { Ok(()) }
}

/// Cuts off what does not count, unless somebody wrote behind or over it: then it stays, and counts. Whether nothing of it is
/// left.
fn cut(file: &mut dyn LockedFile, unsettled: &Unsettled) -> io::Result<bool> {
    let Unsettled { begin, bytes } = unsettled;
    let length = file.stat()?.length;
    let left = length.checked_sub(*begin).and_then(|left| usize::try_from(left).ok());
    let Some(left) = left.filter(|left| *left <= bytes.len()) else { return Ok(false) };
    if left > 0 && read_range(file, *begin, length)? != bytes[..left] {
        return Ok(false);
    }
    // Also where nothing is left: this is how a file that was not trusted is begun with again.
    file.truncate(*begin)?;
    Ok(true)
}

/// Whether a file still is the one of that name.
fn is_in_place(storage: &dyn Storage, day: Day, file: &dyn LockedFile) -> io::Result<bool> {
    let there = storage.stat(day)?;
    Ok(there.is_some_and(|there| file.stat().is_ok_and(|stat| stat.identity == there.identity)))
}

/// Whether bytes are in a file where they were written.
fn holds(file: &dyn LockedFile, begin: u64, bytes: &[u8]) -> io::Result<bool> {
    let end = begin + bytes.len() as u64;
    Ok(file.stat()?.length >= end && read_range(file, begin, end)? == bytes)
}
