//! Errors of connecting to the daemon.

use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::holder::Holder;

/// The daemon could not be reached.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No daemon is running, and none may be started.
    #[error("the daemon is not running: no process listens on `{}`", socket.display())]
    NotRunning {
        /// The path on which no process listens.
        socket: PathBuf,
    },
    /// The daemon's program was not found.
    #[error("the program `recalld` was not found")]
    NoBinary {
        /// The paths that were searched.
        searched: Vec<PathBuf>,
    },
    /// The daemon's program cannot be run.
    #[error("cannot run `{}`", binary.display())]
    Spawn {
        /// The program that was to be started.
        binary: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// The daemon ended during its start.
    #[error("the daemon ended with {status} while it started: {message}")]
    StartFailed {
        /// Its exit status or the signal that ended it, in words.
        status: String,
        /// The lines of its standard error, joined by `; `.
        message: String,
        /// The path of its log file.
        log: PathBuf,
    },
    /// No daemon answered in time.
    #[error("no daemon answered on `{}` within {waited:?}", socket.display())]
    Timeout {
        /// The path on which a daemon was expected.
        socket: PathBuf,
        /// How long the client waited.
        waited: Duration,
        /// The log file that a daemon of these folders writes.
        log: PathBuf,
    },
    /// A daemon is running, but could not be reached in time.
    #[error("the daemon is running ({holder}) and cannot be reached: {}", why.describe(socket, *waited))]
    Unreachable {
        /// The holder of its lock.
        holder: Box<Holder>,
        /// The path on which it should listen.
        socket: PathBuf,
        /// What it does not do.
        why: Unreached,
        /// How long the client waited.
        waited: Duration,
        /// Its log file.
        log: PathBuf,
    },
    /// The daemon is newer and no longer supports this program's protocol.
    #[error("the daemon is newer ({version}) than this program and speaks another protocol")]
    Newer {
        /// The daemon's version.
        version: String,
        /// The revisions that it supports.
        protocols: RangeInclusive<u32>,
    },
    /// The daemon is older, does not support this program's protocol, and could not be replaced.
    #[error("the daemon is older ({version}) than this program and speaks another protocol")]
    Older {
        /// The daemon's version.
        version: String,
        /// The revisions that it supports.
        protocols: RangeInclusive<u32>,
    },
    /// Another user's process listens in the daemon's place.
    #[error("the listener on `{}` belongs to another user", socket.display())]
    ForeignOwner {
        /// The path on which the other process listens.
        socket: PathBuf,
        /// The owner of the listener; `None` if the system does not report it.
        owner: Option<crate::socket::User>,
    },
    /// The socket cannot be used.
    #[error("cannot connect to `{}`", socket.display())]
    Socket {
        /// The path of the socket.
        socket: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
    /// The connection broke before the handshake.
    #[error("the daemon on `{}` did not accept the connection", socket.display())]
    Transport {
        /// The path of the socket that accepted the connection.
        socket: PathBuf,
        /// What broke the connection.
        #[source]
        source: tonic::transport::Error,
    },
    /// The daemon answered the first call with an error.
    #[error("the daemon refused the handshake: {}", source.message())]
    Refused {
        /// The status with which it answered.
        #[source]
        source: Box<tonic::Status>,
    },
    /// The folder of a private daemon cannot be created.
    #[error("cannot create the folder `{}` for a private daemon", path.display())]
    PrivateFolder {
        /// The folder for its socket.
        path: PathBuf,
        /// The operating system's error.
        #[source]
        source: io::Error,
    },
}

/// The reason why a running daemon cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreached {
    /// No process listens on the socket, although the lock is held.
    NoSocket,
    /// It accepts the connection and does not answer.
    Silent,
}

impl Unreached {
    /// Describes the obstacle, as the end of a sentence.
    pub fn describe(self, socket: &Path, waited: Duration) -> String {
        // Rounded to tenths of a second.
        let waited = Duration::from_millis(waited.as_millis() as u64 / 100 * 100);
        match self {
            Self::NoSocket => format!("no process has listened on `{}` for {waited:?}", socket.display()),
            Self::Silent => format!("it did not answer on `{}` within {waited:?}", socket.display()),
        }
    }
}
