//! Is somebody else fetching the same?

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A file that one process at a time has; it goes with the value.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the lock, or tells that somebody else has it.
    pub(crate) fn take(path: &Path) -> io::Result<Option<Self>> {
        let file = File::create(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { path: path.to_owned(), _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // One that stays is taken by the next all the same.
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_it_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = Lock::take(&path).unwrap();
        assert!(held.is_some());
        assert!(Lock::take(&path).unwrap().is_none());
        drop(held);
        assert!(!path.exists());
        assert!(Lock::take(&path).unwrap().is_some());
    }
}
