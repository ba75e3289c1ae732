//! The process that holds the daemon's lock, whether or not it can be reached.

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
    /// What it says of itself; `None` if that cannot be read.
    note: Option<LockNote>,
}

/// What a signal asks of the daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// To look at once whether its socket is in place.
    Look,
    /// To finish what it does and end.
    End,
    /// Nothing: the system ends it.
    Kill,
}

impl Holder {
    /// The process that holds the lock of the user's data, or else that of the socket; `None` if neither is held.
    pub fn of(dirs: &Dirs) -> Option<Self> {
        [dirs.data_lock(), dirs.lock()].iter().find_map(|lock| holder_of(lock))
    }

    /// The process that holds the lock of the socket alone.
    pub(crate) fn at_socket(dirs: &Dirs) -> Option<Self> {
        holder_of(&dirs.lock())
    }

    /// Its process id; `None` if it did not note it.
    pub fn pid(&self) -> Option<u32> {
        self.note.as_ref().map(|note| note.pid)
    }

    /// When it started; `None` if it did not note it.
    pub fn since(&self) -> Option<Timestamp> {
        self.note.as_ref()?.since
    }

    /// Where it listens; `None` if it does not listen yet or did not note it.
    pub(crate) fn socket(&self) -> Option<&Path> {
        self.note.as_ref()?.socket.as_deref()
    }

    /// Whether both are the same process. Its note may have changed.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let identity = |holder: &Self| holder.note.as_ref().map(|note| (note.pid, note.started));
        identity(self) == identity(other)
    }

    /// Sends it a signal, once it is verified that the process is the daemon that wrote the note.
    ///
    /// # Errors
    /// It is not verified, it has ended, or the system refuses.
    pub(crate) fn signal(&self, ask: Ask) -> Result<(), NotSignalled> {
        let note = self.note.as_ref().ok_or(NotSignalled::Unverified)?;
        if ask == Ask::Look && note.socket.is_none() {
            // It does not handle the signal yet, which would end it.
            return Err(NotSignalled::NotListening);
        }
        signal(note, ask)
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

/// The holder of a lock; `None` if nobody holds it.
fn holder_of(path: &Path) -> Option<Holder> {
    let mut lock = File::open(path).ok()?;
    if !matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return None;
    }
    let mut text = String::new();
    // What cannot be read says nothing.
    let _ = (&mut lock).take(NOTE_BYTES).read_to_string(&mut text);
    Some(Holder { note: LockNote::parse(&text) })
}

#[cfg(unix)]
fn signal(note: &LockNote, ask: Ask) -> Result<(), NotSignalled> {
    use rustix::process::{Pid, Signal, kill_process};

    let signal = match ask {
        Ask::Look => Signal::HUP,
        Ask::End => Signal::TERM,
        Ask::Kill => Signal::KILL,
    };
    let pid = i32::try_from(note.pid).ok().and_then(Pid::from_raw).ok_or(NotSignalled::Unverified)?;
    // Opened before the check: from then on it means this process, though its id may be given again.
    #[cfg(target_os = "linux")]
    let process = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty());
    if !note.is_verified() {
        return Err(NotSignalled::Unverified);
    }
    #[cfg(target_os = "linux")]
    if let Ok(process) = process {
        return rustix::process::pidfd_send_signal(process, signal)
            .map_err(|error| NotSignalled::Refused(error.into()));
    }
    kill_process(pid, signal).map_err(|error| NotSignalled::Refused(error.into()))
}

#[cfg(not(unix))]
fn signal(_note: &LockNote, _ask: Ask) -> Result<(), NotSignalled> {
    Err(NotSignalled::Unverified)
}

/// The daemon was not sent a signal.
#[derive(Debug, thiserror::Error)]
pub enum NotSignalled {
    /// Nothing proves that the process is the daemon.
    #[error("nothing proves that the process is the daemon")]
    Unverified,
    /// It has only just started, or is a daemon of an earlier version.
    #[error("the daemon does not listen yet")]
    NotListening,
    /// The system refuses.
    #[error("the system refuses")]
    Refused(#[source] std::io::Error),
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
    fn who_holds_a_lock_is_known_by_its_note_and_a_file_alone_is_nobody() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let dirs = dirs(place.path());
        assert_eq!(Holder::of(&dirs), None);
        fs::write(dirs.data_lock(), "11\n").expect("writable");
        assert_eq!(Holder::of(&dirs), None, "nobody holds it");
        let _socket = hold(&dirs.lock(), "12\n");
        assert_eq!(Holder::of(&dirs).expect("held").pid(), Some(12));
        let _data = hold(&dirs.data_lock(), "13\nsince 5\nsocket /s\n");
        let holder = Holder::of(&dirs).expect("held");
        assert_eq!((holder.pid(), holder.socket()), (Some(13), Some(Path::new("/s"))));
        assert_eq!(holder.since().expect("noted").as_millis(), 5);
        assert_eq!(Holder::at_socket(&dirs).expect("held").pid(), Some(12));
    }

    #[test]
    fn a_process_that_is_not_proven_to_be_the_daemon_gets_no_signal() {
        let mut stranger = std::process::Command::new("sleep").arg("1000").spawn().expect("it runs");
        let place = tempfile::tempdir().expect("a temporary directory");
        let dirs = dirs(place.path());
        for note in [format!("{}\n", stranger.id()), format!("{}\nstarted 1\n", stranger.id()), "no note".to_owned()] {
            let _held = hold(&dirs.lock(), &note);
            let holder = Holder::of(&dirs).expect("held");
            assert!(matches!(holder.signal(Ask::Kill), Err(NotSignalled::Unverified)), "{note}");
        }
        assert!(stranger.try_wait().expect("ours").is_none(), "it still runs");
        stranger.kill().expect("ours");
        stranger.wait().expect("ours");
    }
}
