//! Is there a daemon already?
//!
//! An OS lock on a file decides, never the file's existence: the lock dies with its process, whatever ends it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often a lock that somebody else holds is tried again. One try costs a few microseconds.
const RETRY: Duration = Duration::from_millis(5);

/// The right to be the daemon of this user, held until it is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct DaemonLock {
    _file: File,
}

/// Who is the daemon.
#[derive(Debug)]
pub(crate) enum Claim {
    /// This process.
    Ours(DaemonLock),
    /// Another process, which answers.
    Theirs,
}

impl DaemonLock {
    /// Claims the right to be the daemon.
    ///
    /// While another process holds the lock, asks `is_live` whether that one answers. One that holds the lock and does
    /// not answer is starting or ending: it is waited for, up to `patience`.
    ///
    /// # Errors
    /// The file cannot be made or locked, or the other process neither answered nor ended in time.
    pub(crate) fn claim(path: &Path, patience: Duration, is_live: impl Fn() -> bool) -> Result<Claim, LockError> {
        let failed = |source| LockError::Open { path: path.to_owned(), source };
        let mut file = open(path).map_err(failed)?;
        let deadline = Instant::now() + patience;
        loop {
            match file.try_lock() {
                Ok(()) => {
                    record_owner(&mut file).map_err(failed)?;
                    return Ok(Claim::Ours(Self { _file: file }));
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
                Err(TryLockError::WouldBlock) if is_live() => return Ok(Claim::Theirs),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    return Err(LockError::Held { path: path.to_owned(), waited: patience });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(RETRY),
            }
        }
    }
}

/// Opens the file without truncating it: its holder's note stands in it.
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Notes the holder's process id, for whoever wants to say which process it was.
fn record_owner(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    writeln!(file, "{}", std::process::id())
}

/// The right to be the daemon could not be claimed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    /// The lock file cannot be made, written or locked.
    #[error("cannot lock `{}`", path.display())]
    Open {
        /// The lock file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Another process holds the lock and does not answer.
    #[error("another process holds `{}` and did not answer within {waited:?}", path.display())]
    Held {
        /// The lock file.
        path: PathBuf,
        /// How long it was waited for.
        waited: Duration,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time_and_the_next_takes_over() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("recalld.lock");
        let Ok(Claim::Ours(first)) = DaemonLock::claim(&path, Duration::ZERO, || false) else {
            panic!("nobody held the lock");
        };
        assert!(matches!(DaemonLock::claim(&path, Duration::ZERO, || true), Ok(Claim::Theirs)));
        assert!(matches!(DaemonLock::claim(&path, Duration::ZERO, || false), Err(LockError::Held { .. })));
        drop(first);
        assert!(matches!(DaemonLock::claim(&path, Duration::ZERO, || false), Ok(Claim::Ours(_))));
    }

    #[test]
    fn a_holder_that_ends_is_waited_for() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("recalld.lock");
        let Ok(Claim::Ours(ending)) = DaemonLock::claim(&path, Duration::ZERO, || false) else {
            panic!("nobody held the lock");
        };
        let ending = std::cell::Cell::new(Some(ending));
        let claim = DaemonLock::claim(&path, Duration::from_secs(30), || {
            ending.take();
            false
        });
        assert!(matches!(claim, Ok(Claim::Ours(_))));
    }

    #[test]
    fn a_file_left_behind_is_no_lock() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("recalld.lock");
        std::fs::write(&path, "4711\n").expect("a writable directory");
        assert!(matches!(DaemonLock::claim(&path, Duration::ZERO, || false), Ok(Claim::Ours(_))));
        let noted = std::fs::read_to_string(&path).expect("a readable file");
        assert_eq!(noted, format!("{}\n", std::process::id()));
    }
}
