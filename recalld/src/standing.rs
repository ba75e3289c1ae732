//! The daemon's place: the two locks that keep other daemons out, and the socket by which clients find it.
//!
//! The lock in the data home decides who serves the user's data, the one in the runtime folder who may bind the socket there. The
//! second alone was not enough: that folder is deleted by cleaners of temporary files and at the end of a login, and a second daemon
//! then started on the same data (ADR 17). Which process writes an index is a third lock, of the engine.
//!
//! Any of the three files may be deleted at any time, by a person, a script or a cleaner of temporary folders. The daemon
//! then restores it; if another daemon has taken the place by then, this one ends.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use recall_config::{Dirs, LockNote, RuntimeError};
use recall_text::error_chain;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, MissedTickBehavior};

use crate::configuration::Tenure;
use crate::daemon::Daemon;
use crate::event::{Event, Events};
use crate::lock::{Claim, DaemonLock, LockError};
use crate::socket::{self, Bound, FileId, SocketError, SocketFile};

/// How long to wait for another daemon that is starting or ending: longer than the longest drain.
const LOCK_PATIENCE: Duration = Duration::from_secs(10);

/// The capacity of the channel of new sockets. There is one socket at a time.
const SOCKETS_WAITING: usize = 1;

/// The place that a daemon holds.
#[derive(Debug)]
pub(crate) struct Standing {
    dirs: Dirs,
    note: LockNote,
    /// The right to serve the data. A private daemon has none, because it serves them in addition to the shared daemon.
    data: Option<DaemonLock>,
    /// The right to bind the socket.
    runtime: DaemonLock,
    /// The path of the daemon's own socket, or of the service manager's.
    path: PathBuf,
    /// The identity of the socket's file. `None` before the socket is bound.
    socket: Option<FileId>,
}

/// The creator of the socket that a daemon listens on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SocketMaker {
    Daemon,
    /// The service manager, which accepts connections whether or not a daemon is running.
    ServiceManager,
}

impl Standing {
    /// Takes the daemon's place; returns `None` if another daemon has it and answers.
    ///
    /// # Errors
    /// A lock cannot be taken.
    pub(crate) fn claim(
        dirs: &Dirs,
        tenure: Tenure,
        note: &LockNote,
        maker: SocketMaker,
    ) -> Result<Option<Self>, LockError> {
        let is_live = |holder: Option<&LockNote>| {
            let elsewhere = holder.and_then(|note| note.socket.as_ref());
            maker == SocketMaker::Daemon
                && (socket::is_live(&dirs.socket()) || elsewhere.is_some_and(|path| socket::is_live(path)))
        };
        let claim = |path: PathBuf| DaemonLock::claim(&path, note, LOCK_PATIENCE, is_live);
        // The data first: without them a daemon has nothing to serve, and must not take the socket from another one.
        let data = match tenure {
            Tenure::Private => None,
            Tenure::Detached | Tenure::Kept => match claim(dirs.data_lock())? {
                Claim::Ours(lock) => Some(lock),
                Claim::Theirs => return Ok(None),
            },
        };
        let Claim::Ours(runtime) = claim(dirs.lock())? else { return Ok(None) };
        let path = dirs.socket();
        Ok(Some(Self { dirs: dirs.clone(), note: note.clone(), data, runtime, path, socket: None }))
    }

    /// Records the socket's path in the locks. From then on clients may send the signal that makes the daemon check its socket.
    ///
    /// # Errors
    /// The note in a lock cannot be written.
    pub(crate) fn listens(&mut self, bound: &Bound) -> Result<(), LockError> {
        // Clients cannot reach a socket of the service manager that has no path: the next check binds one.
        self.path = bound.path.clone().unwrap_or_else(|| self.dirs.socket());
        self.socket = bound.file.as_ref().map(SocketFile::id).or_else(|| FileId::at(&self.path));
        self.note.socket = Some(self.path.clone());
        self.runtime.record(&self.note)?;
        self.data.iter_mut().try_for_each(|lock| lock.record(&self.note))
    }

    /// Checks the locks and the socket and restores what is missing; returns the socket if it was bound again.
    ///
    /// Must be called within a tokio runtime.
    ///
    /// # Errors
    /// A file cannot be restored, or another daemon has the place.
    pub(crate) fn look(&mut self) -> Result<Option<Bound>, Displaced> {
        // In the order of `claim`: a daemon that has lost the data must not bind the socket again.
        if let Some(lock) = &mut self.data {
            lock.hold_in_place(&self.note)?;
        }
        let is_in_place = self.socket.is_some() && FileId::at(&self.path) == self.socket;
        if !is_in_place {
            self.dirs.prepare_runtime()?;
        }
        self.runtime.hold_in_place(&self.note)?;
        if is_in_place {
            return Ok(None);
        }
        let path = self.dirs.socket();
        let bound = socket::bind(&path)?;
        self.listens(&bound)?;
        tracing::warn!(socket = %path.display(), "the socket was gone and is bound again");
        Ok(Some(bound))
    }
}

/// Checks the place periodically and on each notification, until the daemon stops or the place is lost. The place of a
/// private daemon is not checked: its only client is already connected, and removes the folder.
///
/// Returns the receiver of new sockets. The place is held until the process has ended: a thread that was abandoned may
/// write until then.
pub(crate) fn keep(
    standing: Standing,
    tenure: Tenure,
    daemon: &Daemon,
    asked: Arc<Notify>,
    events: Events,
) -> mpsc::Receiver<Bound> {
    let (sockets, received) = mpsc::channel(SOCKETS_WAITING);
    let standing: &'static Mutex<Standing> = Box::leak(Box::new(Mutex::new(standing)));
    if tenure == Tenure::Private {
        return received;
    }
    let (period, stop) = (daemon.settings.daemon.socket_check, daemon.stop.clone());
    tokio::spawn(async move {
        // The place was taken just now: the first check is a period later.
        let mut ticks = tokio::time::interval_at(Instant::now() + period, period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                _ = ticks.tick() => {}
                () = asked.notified() => {}
            }
            let looked = standing.lock().unwrap_or_else(PoisonError::into_inner).look();
            match looked {
                Ok(None) => {}
                // If the daemon is ending, the send fails and the socket is removed with the value.
                Ok(Some(bound)) => drop(sockets.send(bound).await),
                Err(error) => {
                    // The queue is closed if the daemon is ending.
                    let _ = events.send(Event::Displaced { reason: error_chain(&error) }).await;
                    return;
                }
            }
        }
    });
    received
}

/// The daemon has lost its place.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Displaced {
    /// A lock is lost.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The runtime folder has become unusable.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The socket cannot be bound again.
    #[error(transparent)]
    Socket(#[from] SocketError),
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use recall_config::Environment;

    use super::*;

    fn dirs(place: &Path) -> Dirs {
        let environment = Environment { recall_home: Some(place.to_owned()), ..Environment::default() };
        Dirs::from_environment(&environment).expect("absolute and short")
    }

    fn note(pid: u32) -> LockNote {
        LockNote { pid, started: None, since: None, socket: None }
    }

    fn begin(dirs: &Dirs, tenure: Tenure) -> (Standing, Bound) {
        dirs.prepare_runtime().expect("writable");
        let standing = Standing::claim(dirs, tenure, &note(1), SocketMaker::Daemon).expect("free");
        let mut standing = standing.expect("no other daemon runs");
        let bound = socket::bind(&dirs.socket()).expect("free");
        standing.listens(&bound).expect("writable");
        (standing, bound)
    }

    type Deletion = fn(&Dirs) -> std::io::Result<()>;

    #[tokio::test]
    async fn deleted_files_are_restored() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let dirs = dirs(place.path());
        let (mut standing, mut bound) = begin(&dirs, Tenure::Detached);
        assert!(standing.look().expect("all is well").is_none());
        let deletions: [(Deletion, bool); 5] = [
            (|dirs| fs::remove_file(dirs.socket()), true),
            (|dirs| fs::remove_file(dirs.lock()), false),
            (|dirs| fs::remove_file(dirs.data_lock()), false),
            (|dirs| fs::remove_dir_all(&dirs.runtime), true),
            (|dirs| fs::rename(dirs.socket(), dirs.runtime.join("elsewhere")), true),
        ];
        for (number, (delete, is_bound_again)) in deletions.into_iter().enumerate() {
            delete(&dirs).expect("there");
            let again = standing.look().expect("it can be restored");
            assert_eq!(again.is_some(), is_bound_again, "deletion {number}");
            bound = again.unwrap_or(bound);
            assert!(socket::is_live(&dirs.socket()), "deletion {number}");
            for lock in [dirs.lock(), dirs.data_lock()] {
                let noted = LockNote::parse(&fs::read_to_string(lock).expect("there")).expect("a note");
                assert_eq!((noted.pid, noted.socket), (1, Some(dirs.socket())), "deletion {number}");
            }
            assert!(standing.look().expect("all is well").is_none(), "deletion {number}");
        }
        drop(bound);
    }

    #[tokio::test]
    async fn a_daemon_whose_place_another_has_taken_is_displaced() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let dirs = dirs(place.path());
        let (mut standing, bound) = begin(&dirs, Tenure::Detached);
        for lock in [dirs.lock(), dirs.data_lock()] {
            fs::remove_file(&lock).expect("there");
            let other = DaemonLock::claim(&lock, &note(2), Duration::ZERO, |_| false).expect("free");
            let Err(Displaced::Lock(LockError::Held { holder, .. })) = standing.look() else {
                panic!("the other holds {}", lock.display())
            };
            assert_eq!(holder, Some(2));
            drop(other);
        }
        drop(bound);
    }

    #[tokio::test]
    async fn a_socket_is_not_bound_in_a_world_writable_folder() {
        use std::os::unix::fs::PermissionsExt as _;
        let place = tempfile::tempdir().expect("a temporary directory");
        let dirs = dirs(place.path());
        let (mut standing, _bound) = begin(&dirs, Tenure::Detached);
        fs::remove_dir_all(&dirs.runtime).expect("there");
        fs::create_dir(&dirs.runtime).expect("writable");
        fs::set_permissions(&dirs.runtime, fs::Permissions::from_mode(0o777)).expect("ours");
        assert!(matches!(standing.look(), Err(Displaced::Runtime(_))));
        assert_eq!(fs::read_dir(&dirs.runtime).expect("there").count(), 0);
    }

    #[tokio::test]
    async fn the_data_have_one_shared_daemon_and_any_number_of_private_ones() {
        let place = tempfile::tempdir().expect("a temporary directory");
        let first = dirs(place.path());
        let (_standing, _bound) = begin(&first, Tenure::Kept);
        let second = first.clone().with_runtime(place.path().join("run2")).expect("short");
        second.prepare_runtime().expect("writable");
        let claim = |tenure| Standing::claim(&second, tenure, &note(2), SocketMaker::Daemon).expect("it answers");
        assert!(claim(Tenure::Detached).is_none(), "the first one has the data and answers");
        assert!(claim(Tenure::Private).is_some());
    }
}
