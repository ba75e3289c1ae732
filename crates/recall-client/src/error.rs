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
        /// The socket.
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
        /// The program.
        binary: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The daemon ended during its start.
    #[error("the daemon ended with {status} while it started: {message}")]
    StartFailed {
        /// Its exit status.
        status: String,
        /// Its standard error.
        message: String,
        /// Its log.
        log: PathBuf,
    },
    /// No daemon answered in time.
    #[error("no daemon answered on `{}` within {waited:?}", socket.display())]
    Timeout {
        /// The socket.
        socket: PathBuf,
        /// How long the client waited.
        waited: Duration,
        /// Its log.
        log: PathBuf,
    },
    /// A daemon is running, but could not be reached in time.
    #[error("the daemon is running ({holder}) and cannot be reached: {}", why.describe(socket, *waited))]
    Unreachable {
        /// The holder of its lock.
        holder: Box<Holder>,
        /// The socket.
        socket: PathBuf,
        /// The obstacle.
        why: Unreached,
        /// How long the client waited.
        waited: Duration,
        /// Its log.
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
        /// The socket.
        socket: PathBuf,
        /// The owner of the listener; `None` if the system does not report it.
        owner: Option<crate::socket::User>,
    },
    /// The socket cannot be used.
    #[error("cannot connect to `{}`", socket.display())]
    Socket {
        /// The socket.
        socket: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The connection broke before the handshake.
    #[error("the daemon on `{}` did not accept the connection", socket.display())]
    Transport {
        /// The socket.
        socket: PathBuf,
        /// The cause.
        #[source]
        source: tonic::transport::Error,
    },
    /// The daemon answered the first call with an error.
    #[error("the daemon refused the handshake: {}", source.message())]
    Refused {
        /// Its answer.
        #[source]
        source: Box<tonic::Status>,
    },
    /// The folder of a private daemon cannot be created.
    #[error("cannot create the folder `{}` for a private daemon", path.display())]
    PrivateFolder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
}

/// The reason why a running daemon cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreached {
    /// It has no socket.
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
