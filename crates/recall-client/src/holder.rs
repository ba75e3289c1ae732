//! The process that holds the daemon's lock, whether or not it can be reached.
//!
//! The lock is what decides that a daemon runs: the system releases it when the process ends, however it ends. The note in the lock's
//! file says which process it is. A process id may be reused, so a signal is sent only to a process that is open and whose start time
//! and program match the note.

use std::fmt;
use std::fs::{File, TryLockError};
use std::io::Read as _;
use std::path::Path;

use recall_config::{Dirs, LockNote};
use recall_core::Timestamp;

/// The longest note that is read.
const NOTE_BYTES: u64 = 16 * 1024;

/// The process that holds the daemon's lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its note about itself; `None` if the note cannot be read.
    note: Option<LockNote>,
}

/// A signal to the daemon. On Windows, which has no signals, `Terminate` is `Kill`, and `CheckSocket` is refused: a pipe cannot
/// be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DaemonSignal {
    /// Check at once whether the socket exists.
    CheckSocket,
    /// Finish and end.
    Terminate,
    /// End immediately.
    Kill,
}

impl Holder {
    /// Returns the process that holds the lock of the user's data, or else that of the socket; `None` if neither is
    /// held.
    pub fn find(dirs: &Dirs) -> Option<Self> {
        [dirs.data_lock(), dirs.lock()].iter().find_map(|lock| holder_of(lock))
    }

    /// Returns the process that holds the lock of the socket.
    pub(crate) fn at_socket(dirs: &Dirs) -> Option<Self> {
        holder_of(&dirs.lock())
    }

    /// Returns its process id; `None` if unknown.
    pub fn pid(&self) -> Option<u32> {
        self.note.as_ref().map(|note| note.pid)
    }

    /// Returns its start time; `None` if unknown.
    pub fn since(&self) -> Option<Timestamp> {
        self.note.as_ref()?.since
    }

    /// Returns its socket; `None` if it does not listen yet or did not note it.
    pub(crate) fn socket(&self) -> Option<&Path> {
        self.note.as_ref()?.socket.as_deref()
    }

    /// Whether both are the same process, even if the note has changed.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let identity = |holder: &Self| holder.note.as_ref().map(|note| (note.pid, note.started));
        identity(self) == identity(other)
    }

    /// Sends a signal after verifying that the process is the daemon that wrote the note.
    ///
    /// # Errors
    /// The process cannot be verified, has ended, or cannot be signalled.
    pub(crate) fn signal(&self, kind: DaemonSignal) -> Result<(), NotSignalled> {
        let note = self.note.as_ref().ok_or(NotSignalled::Unverified)?;
        if kind == DaemonSignal::CheckSocket && note.socket.is_none() {
            // It has no handler for the signal yet, so the signal would kill it.
            return Err(NotSignalled::NotListening);
        }
        let process = platform::Process::open(note.pid).ok_or(NotSignalled::Unverified)?;
        // After the process was opened: from here on it is this process, even if its id is reused.
        if !note.is_verified() {
            return Err(NotSignalled::Unverified);
        }
        let sent = match kind {
            DaemonSignal::CheckSocket => process.hang_up(),
            DaemonSignal::Terminate => process.terminate(),
            DaemonSignal::Kill => process.kill(),
        };
        sent.map_err(NotSignalled::Refused)
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pid() {
            Some(pid) => write!(f, "pid {pid}"),
            None => f.write_str("pid unknown"),
        }
    }
}

/// Returns the holder of a lock; `None` if the lock is free.
fn holder_of(path: &Path) -> Option<Holder> {
    let lock = File::open(path).ok()?;
    if !matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return None;
    }
    let mut text = String::new();
    // An unreadable note is treated as missing.
    if let Some(note) = platform::note_of(lock, path) {
        let _ = note.take(NOTE_BYTES).read_to_string(&mut text);
    }
    Some(Holder { note: LockNote::parse(&text) })
}

/// The daemon could not be signalled.
#[derive(Debug, thiserror::Error)]
pub enum NotSignalled {
    /// The process cannot be verified to be the daemon.
    #[error("the process cannot be verified to be the daemon")]
    Unverified,
    /// It has just started, or is of an earlier version.
    #[error("the daemon does not listen yet")]
    NotListening,
    /// The system refused the signal.
    #[error("the system refused the signal")]
    Refused(#[source] std::io::Error),
}

#[cfg(unix)]
mod platform {
    //! The daemon's process and its note on Unix.

    use std::fs::File;
    use std::io;
    use std::path::Path;

    use rustix::process::{Pid, Signal};

    /// A process that can be signalled.
    pub(super) struct Process {
        pid: Pid,
        /// A descriptor of the process; `None` if the kernel has none.
        #[cfg(target_os = "linux")]
        descriptor: Option<std::os::fd::OwnedFd>,
    }

    impl Process {
        pub(super) fn open(pid: u32) -> Option<Self> {
            let pid = i32::try_from(pid).ok().and_then(Pid::from_raw)?;
            Some(Self {
                pid,
                #[cfg(target_os = "linux")]
                descriptor: rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok(),
            })
        }

        pub(super) fn hang_up(&self) -> io::Result<()> {
            self.send(Signal::HUP)
        }

        pub(super) fn terminate(&self) -> io::Result<()> {
            self.send(Signal::TERM)
        }

        pub(super) fn kill(&self) -> io::Result<()> {
            self.send(Signal::KILL)
        }

        fn send(&self, signal: Signal) -> io::Result<()> {
            #[cfg(target_os = "linux")]
            if let Some(process) = &self.descriptor {
                return Ok(rustix::process::pidfd_send_signal(process, signal)?);
            }
            Ok(rustix::process::kill_process(self.pid, signal)?)
        }
    }

    /// Returns the file with the holder's note: the locked file.
    #[expect(clippy::unnecessary_wraps, reason = "on Windows there may be none")]
    pub(super) fn note_of(lock: File, _path: &Path) -> Option<File> {
        Some(lock)
    }
}

#[cfg(windows)]
mod platform {
    //! The daemon's process and its note on Windows.

    use std::fs::File;
    use std::io;
    use std::path::Path;

    use recall_config::LockNote;

    /// A process that can be ended.
    pub(super) struct Process {
        pid: u32,
    }

    impl Process {
        #[expect(clippy::unnecessary_wraps, reason = "on Unix, not every number is a process id")]
        pub(super) fn open(pid: u32) -> Option<Self> {
            Some(Self { pid })
        }

        /// A pipe cannot be deleted, so no daemon needs to check it.
        #[expect(clippy::unused_self, reason = "the same function as on Unix")]
        pub(super) fn hang_up(&self) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }

        /// A process without a console cannot be asked to end. What it acknowledged is on the disk.
        pub(super) fn terminate(&self) -> io::Result<()> {
            self.kill()
        }

        pub(super) fn kill(&self) -> io::Result<()> {
            if recall_config::kill(self.pid) { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
        }
    }

    /// Returns the file with the holder's note, which is next to the locked file.
    pub(super) fn note_of(_lock: File, path: &Path) -> Option<File> {
        File::open(LockNote::file_of(path)).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use recall_config::Environment;

    use super::*;

    fn dirs(place: &Path) -> Dirs {
        let environment = Environment { recall_home: Some(place.to_owned()), ..Environment::default() };
        let dirs = Dirs::from_environment(&environment).expect("absolute");
        dirs.prepare_runtime().expect("writable");
        fs::create_dir(&dirs.data).expect("writable");
        dirs
    }

    fn hold(path: &Path, note: &str) -> File {
        fs::write(path, note).expect("writable");
        let lock = File::open(path).expect("there");
        lock.try_lock().expect("free");
        lock
    }

    #[test]
    fn the_holder_of_a_lock_is_known_by_its_note() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let dirs = dirs(place.path());
        assert_eq!(Holder::find(&dirs), None);
        fs::write(dirs.data_lock(), "11\n").expect("writable");
        assert_eq!(Holder::find(&dirs), None, "the lock is free");
        let _socket = hold(&dirs.lock(), "12\n");
        assert_eq!(Holder::find(&dirs).expect("held").pid(), Some(12));
        let _data = hold(&dirs.data_lock(), "13\nsince 5\nsocket /s\n");
        let holder = Holder::find(&dirs).expect("held");
        assert_eq!((holder.pid(), holder.socket()), (Some(13), Some(Path::new("/s"))));
        assert_eq!(holder.since().expect("noted").as_millis(), 5);
        assert_eq!(Holder::at_socket(&dirs).expect("held").pid(), Some(12));
    }

    #[test]
    fn an_unverified_process_is_not_signalled() {
        let mut stranger = std::process::Command::new("sleep").arg("1000").spawn().expect("it runs");
        let place = tempfile::tempdir().expect("a temporary directory");
        let dirs = dirs(place.path());
        for note in [format!("{}\n", stranger.id()), format!("{}\nstarted 1\n", stranger.id()), "no note".to_owned()] {
            let _held = hold(&dirs.lock(), &note);
            let holder = Holder::find(&dirs).expect("held");
            assert!(matches!(holder.signal(DaemonSignal::Kill), Err(NotSignalled::Unverified)), "{note}");
        }
        assert!(stranger.try_wait().expect("ours").is_none(), "it still runs");
        stranger.kill().expect("ours");
        stranger.wait().expect("ours");
    }
}
