//! The lock that makes one process the daemon.
//!
//! It is an OS lock on a file, never the file's existence: the system releases the lock with its process, however that
//! ends. The file contains a note about the holder.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use recall_config::LockNote;

/// How long to wait between two tries to take a lock that another process holds. One try costs a few microseconds.
const RETRY: Duration = Duration::from_millis(5);

/// How long to retry taking a lock again: a program that tests whether the lock is held holds it for an instant.
const RETAKE_PATIENCE: Duration = Duration::from_millis(100);

/// The maximum length of a note.
const NOTE_BYTES: u64 = 16 * 1024;

/// The right to be the daemon at a place, held until it is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct DaemonLock {
    file: File,
    /// The file with the note; on Unix the locked file itself.
    note: File,
    path: PathBuf,
}

/// The process that is the daemon.
#[derive(Debug)]
pub(crate) enum Claim {
    /// This process.
    Ours(DaemonLock),
    /// Another process, which answers.
    Theirs,
}

/// The result of one try to take a lock.
#[derive(Debug)]
enum Try {
    Taken(DaemonLock),
    Held(Option<LockNote>),
}

impl DaemonLock {
    /// Claims the right to be the daemon. Creates the folder if it does not exist.
    ///
    /// While another process holds the lock, calls `is_live` with its note to learn whether it answers. A process that holds
    /// the lock and does not answer is starting or ending: the call waits for it, up to `patience`.
    ///
    /// # Errors
    /// The file cannot be created or locked, or the other process neither answered nor ended in time.
    pub(crate) fn claim(
        path: &Path,
        note: &LockNote,
        patience: Duration,
        is_live: impl Fn(Option<&LockNote>) -> bool,
    ) -> Result<Claim, LockError> {
        let failed = |source| LockError::Open { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            platform::make_folder(folder).map_err(failed)?;
        }
        let deadline = Instant::now() + patience;
        loop {
            match Self::try_once(path, note).map_err(failed)? {
                Try::Taken(lock) => return Ok(Claim::Ours(lock)),
                Try::Held(holder) if is_live(holder.as_ref()) => return Ok(Claim::Theirs),
                Try::Held(holder) if Instant::now() >= deadline => {
                    return Err(LockError::Held { path: path.to_owned(), holder: pid_of(holder), waited: patience });
                }
                Try::Held(_) => std::thread::sleep(RETRY),
            }
        }
    }

    /// Takes the lock again if the path no longer leads to the locked file.
    ///
    /// # Errors
    /// Another process holds the lock on the new file, or the file cannot be created.
    pub(crate) fn hold_in_place(&mut self, note: &LockNote) -> Result<(), LockError> {
        let path = &self.path;
        if platform::leads_to(path, &self.file) {
            return Ok(());
        }
        let failed = |source| LockError::Open { path: path.clone(), source };
        let deadline = Instant::now() + RETAKE_PATIENCE;
        loop {
            match Self::try_once(path, note).map_err(failed)? {
                Try::Taken(lock) => {
                    tracing::warn!(path = %path.display(), "the lock was gone and is held again");
                    *self = lock;
                    return Ok(());
                }
                Try::Held(_) if Instant::now() < deadline => std::thread::sleep(RETRY),
                Try::Held(holder) => {
                    return Err(LockError::Held {
                        path: path.clone(),
                        holder: pid_of(holder),
                        waited: RETAKE_PATIENCE,
                    });
                }
            }
        }
    }

    /// Replaces the note about the holder.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn record(&mut self, note: &LockNote) -> Result<(), LockError> {
        write_note(&mut self.note, note).map_err(|source| LockError::Open { path: self.path.clone(), source })
    }

    fn try_once(path: &Path, note: &LockNote) -> io::Result<Try> {
        // Neither truncated, since the holder's note is in it, nor written before the lock is held.
        let file = platform::open(path)?;
        match file.try_lock() {
            Ok(()) if platform::leads_to(path, &file) => {
                let mut noted = platform::note_to_write(path, &file)?;
                write_note(&mut noted, note)?;
                Ok(Try::Taken(Self { file, note: noted, path: path.to_owned() }))
            }
            // The file was deleted after it was opened: the next process to open the path would lock another file.
            Ok(()) => Ok(Try::Held(None)),
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // A note that is not text is treated as no note.
                if let Some(noted) = platform::note_to_read(path, file) {
                    let _ = noted.take(NOTE_BYTES).read_to_string(&mut text);
                }
                Ok(Try::Held(LockNote::parse(&text)))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Writes the new note over the old one and truncates afterwards, so that a reader never finds an empty file. It finds the end of the
/// note by its last line.
fn write_note(file: &mut File, note: &LockNote) -> io::Result<()> {
    let text = note.to_text();
    file.rewind()?;
    file.write_all(text.as_bytes())?;
    file.set_len(text.len() as u64)
}

fn pid_of(holder: Option<LockNote>) -> Option<u32> {
    holder.map(|note| note.pid)
}

/// The right to be the daemon could not be claimed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    /// The lock file cannot be made, written or locked.
    #[error("cannot lock `{}`", path.display())]
    Open {
        /// The lock file.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// Another process holds the lock and does not answer.
    #[error("another process{} holds `{}` and did not answer within {waited:?}", pid_suffix(*holder), path.display())]
    Held {
        /// The lock file.
        path: PathBuf,
        /// The process id that it noted.
        holder: Option<u32>,
        /// How long the call waited for it.
        waited: Duration,
    },
}

fn pid_suffix(holder: Option<u32>) -> String {
    holder.map(|pid| format!(" (pid {pid})")).unwrap_or_default()
}

#[cfg(unix)]
mod platform {
    //! Lock files on Unix: the note is in the locked file, which may be deleted while it is locked.

    use std::fs::{DirBuilder, File, OpenOptions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
    use std::path::Path;

    /// Creates a folder that only this user may access.
    pub(super) fn make_folder(path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    pub(super) fn open(path: &Path) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
    }

    /// Returns whether the path leads to the given file.
    pub(super) fn leads_to(path: &Path, file: &File) -> bool {
        let (Ok(there), Ok(held)) = (std::fs::symlink_metadata(path), file.metadata()) else { return false };
        (there.dev(), there.ino()) == (held.dev(), held.ino())
    }

    pub(super) fn note_to_write(_path: &Path, file: &File) -> io::Result<File> {
        file.try_clone()
    }

    #[expect(clippy::unnecessary_wraps, reason = "on Windows there may be none")]
    pub(super) fn note_to_read(_path: &Path, file: File) -> Option<File> {
        Some(file)
    }
}

#[cfg(windows)]
mod platform {
    //! Lock files on Windows: nobody else can read a locked file, so the note is in another one; and nobody can delete it while a
    //! program has it open.

    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::windows::fs::OpenOptionsExt as _;
    use std::path::Path;

    use recall_config::LockNote;

    /// `FILE_SHARE_READ | FILE_SHARE_WRITE`: others may open the file, but not delete or rename it.
    const NOT_TO_DELETE: u32 = 0x1 | 0x2;

    /// Creates a folder, with the access list of the user's profile.
    pub(super) fn make_folder(path: &Path) -> io::Result<()> {
        std::fs::create_dir_all(path)
    }

    pub(super) fn open(path: &Path) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).create(true).truncate(false).share_mode(NOT_TO_DELETE).open(path)
    }

    /// An open lock file can neither be deleted nor renamed.
    pub(super) fn leads_to(_path: &Path, _file: &File) -> bool {
        true
    }

    pub(super) fn note_to_write(path: &Path, _file: &File) -> io::Result<File> {
        open(&LockNote::file_of(path))
    }

    pub(super) fn note_to_read(path: &Path, _file: File) -> Option<File> {
        File::open(LockNote::file_of(path)).ok()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn note(pid: u32) -> LockNote {
        LockNote { pid, started: None, since: None, socket: None }
    }

    fn claim(path: &Path, is_live: bool) -> Result<Claim, LockError> {
        DaemonLock::claim(path, &note(1), Duration::ZERO, |_| is_live)
    }

    fn read_note(path: &Path) -> Option<LockNote> {
        LockNote::parse(&std::fs::read_to_string(path).expect("a readable file"))
    }

    #[test]
    fn one_holder_at_a_time_and_the_next_takes_over() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("made/on the way/recalld.lock");
        let Ok(Claim::Ours(first)) = claim(&path, false) else { panic!("nobody held the lock") };
        assert!(matches!(claim(&path, true), Ok(Claim::Theirs)));
        assert!(matches!(claim(&path, false), Err(LockError::Held { holder: Some(1), .. })));
        drop(first);
        assert!(matches!(claim(&path, false), Ok(Claim::Ours(_))));
    }

    #[test]
    fn a_holder_that_ends_is_waited_for() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("recalld.lock");
        let Ok(Claim::Ours(ending)) = claim(&path, false) else { panic!("nobody held the lock") };
        let ending = std::cell::Cell::new(Some(ending));
        let claimed = DaemonLock::claim(&path, &note(2), Duration::from_secs(30), |holder| {
            assert_eq!(holder, Some(&note(1)));
            ending.take();
            false
        });
        assert!(matches!(claimed, Ok(Claim::Ours(_))));
        assert_eq!(read_note(&path), Some(note(2)));
    }

    #[test]
    fn a_file_without_an_os_lock_is_not_a_lock() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("recalld.lock");
        std::fs::write(&path, "a note that is much longer than the one that replaces it\n").expect("writable");
        let Ok(Claim::Ours(mut lock)) = claim(&path, false) else { panic!("nobody held the lock") };
        assert_eq!(read_note(&path), Some(note(1)));
        lock.record(&LockNote { socket: Some("/s".into()), ..note(1) }).expect("writable");
        assert_eq!(std::fs::read_to_string(&path).expect("readable"), "1\nsocket /s\nend\n");
        lock.record(&note(1)).expect("writable");
        assert_eq!(std::fs::read_to_string(&path).expect("readable"), "1\nend\n");
    }

    #[test]
    fn a_deleted_file_is_locked_again_unless_another_process_was_faster() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("recalld.lock");
        let Ok(Claim::Ours(mut lock)) = claim(&path, false) else { panic!("nobody held the lock") };
        lock.hold_in_place(&note(1)).expect("it is in place");
        std::fs::remove_file(&path).expect("there");
        lock.hold_in_place(&note(1)).expect("nobody was faster");
        assert!(matches!(claim(&path, false), Err(LockError::Held { holder: Some(1), .. })));

        std::fs::remove_file(&path).expect("there");
        let Ok(Claim::Ours(faster)) = DaemonLock::claim(&path, &note(2), Duration::ZERO, |_| false) else {
            panic!("the new file is not locked")
        };
        assert!(matches!(lock.hold_in_place(&note(1)), Err(LockError::Held { holder: Some(2), .. })));
        drop(faster);
        std::fs::remove_dir_all(directory.path()).expect("there");
        assert!(matches!(lock.hold_in_place(&note(1)), Err(LockError::Open { .. })), "a folder is not made");
    }
}
