//! The lock on the index of a store, which one process holds at a time.
//!
//! The process that opens a store takes the lock and keeps it until it closes the store. Another process that opens the store
//! meanwhile only reads the index, and appends to the journals. Whenever it needs to write to the index, it tries to take the
//! lock.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::error::StoreError;

/// How long to try for a lock that another process holds. A child process holds its parent's open files until it calls `exec`,
/// and a killed process closes its files one after the other.
const PATIENCE: Duration = Duration::from_millis(50);

/// The pause between two tries.
const LOOK: Duration = Duration::from_millis(2);

/// The most bytes read of the holder's note, which is its process id.
const NOTE_BYTES: u64 = 64;

/// The locks that this process holds, by path. A store that is opened again before its last user has dropped it shares the
/// lock.
#[derive(Debug, Default)]
pub(crate) struct IndexLocks {
    held: Mutex<HashMap<PathBuf, Weak<File>>>,
}

/// The lock on the index of one store.
#[derive(Debug)]
pub(crate) struct IndexLock {
    root: PathBuf,
    path: PathBuf,
    locks: Arc<IndexLocks>,
    held: Mutex<Option<Arc<File>>>,
}

impl IndexLock {
    /// Returns the lock for the store of a root, a file at `path`. It is not taken yet.
    pub(crate) fn new(root: &Path, path: PathBuf, locks: &Arc<IndexLocks>) -> Self {
        Self { root: root.to_owned(), path, locks: Arc::clone(locks), held: Mutex::default() }
    }

    /// Takes the lock, unless this process holds it.
    ///
    /// # Errors
    /// Another process holds it, or the file cannot be used.
    pub(crate) fn take(&self) -> Result<(), StoreError> {
        let mut held = self.held.lock();
        if held.as_ref().is_some_and(|lock| leads_to(&self.path, lock)) {
            return Ok(());
        }
        // A lock whose file was deleted excludes no other process.
        *held = None;
        *held = Some(self.locks.take(&self.path).map_err(|error| match error {
            LockRefusal::Taken { pid } => StoreError::InUse { root: self.root.clone(), pid },
            LockRefusal::Io(source) => StoreError::Folder { path: self.path.clone(), source },
        })?);
        Ok(())
    }

    /// Returns whether this process holds the lock.
    pub(crate) fn is_held(&self) -> bool {
        self.held.lock().is_some()
    }
}

impl IndexLocks {
    fn take(&self, path: &Path) -> Result<Arc<File>, LockRefusal> {
        let mut held = self.held.lock();
        if let Some(lock) = held.get(path).and_then(Weak::upgrade).filter(|lock| leads_to(path, lock)) {
            return Ok(lock);
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if began.elapsed() < PATIENCE => std::thread::sleep(LOOK),
                Err(TryLockError::WouldBlock) => {
                    let mut note = String::new();
                    // If the note is not text, the holder's process id is unknown.
                    let _ = file.take(NOTE_BYTES).read_to_string(&mut note);
                    return Err(LockRefusal::Taken { pid: note.trim().parse().ok() });
                }
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
        }
        let note = format!("{}\n", std::process::id());
        file.rewind()?;
        file.write_all(note.as_bytes())?;
        file.set_len(note.len() as u64)?;
        let lock = Arc::new(file);
        held.retain(|_, lock| lock.strong_count() > 0);
        held.insert(path.to_owned(), Arc::downgrade(&lock));
        Ok(lock)
    }
}

/// Why the lock was not taken.
enum LockRefusal {
    Taken { pid: Option<u32> },
    Io(io::Error),
}

impl From<io::Error> for LockRefusal {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Returns whether the path is still that of the open file.
#[cfg(unix)]
fn leads_to(path: &Path, file: &File) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let (Ok(there), Ok(held)) = (fs::symlink_metadata(path), file.metadata()) else { return false };
    (there.dev(), there.ino()) == (held.dev(), held.ino())
}

/// Outside of Unix, an open file cannot be deleted.
#[cfg(not(unix))]
fn leads_to(_path: &Path, _file: &File) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(path: &Path, locks: &Arc<IndexLocks>) -> IndexLock {
        IndexLock::new(Path::new("/shop"), path.to_owned(), locks)
    }

    #[test]
    fn a_process_holds_the_lock_until_it_drops_its_last_handle() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let path = place.path().join("stores/0123/lock");
        // Each set stands for a process: the operating system locks by open file, not by process.
        let (ours, theirs) = (Arc::default(), Arc::default());
        let (first, again, other) = (lock(&path, &ours), lock(&path, &ours), lock(&path, &theirs));
        first.take().expect("free");
        again.take().expect("ours");
        drop(first);
        match other.take() {
            Err(StoreError::InUse { pid, .. }) => assert_eq!(pid, Some(std::process::id())),
            taken => panic!("it is held: {taken:?}"),
        }
        assert!(again.is_held() && !other.is_held());
        drop(again);
        other.take().expect("free");
    }

    #[test]
    fn a_lock_whose_file_was_deleted_is_taken_again_unless_another_process_has_taken_it() {
        let place = tempfile::tempdir().expect("a temporary folder");
        let path = place.path().join("lock");
        let (ours, theirs) = (Arc::default(), Arc::default());
        let (first, other) = (lock(&path, &ours), lock(&path, &theirs));
        first.take().expect("free");
        fs::remove_file(&path).expect("there");
        first.take().expect("it is free");
        assert!(other.take().is_err());
        fs::remove_file(&path).expect("there");
        other.take().expect("the new file is not locked");
        assert!(first.take().is_err() && !first.is_held());
    }
}
