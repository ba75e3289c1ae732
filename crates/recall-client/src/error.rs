//! Why was the daemon not reached?

use std::error::Error as _;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tonic::{Code, Status};

use crate::holder::Holder;

/// Whether a call failed because the daemon went away or is about to: what is safe to repeat may be asked once more, of a
/// new connection.
pub fn is_gone(status: &Status) -> bool {
    status.source().is_some() || status.code() == Code::Unavailable
}

/// The daemon was not reached.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No daemon runs, and none was to be started.
    #[error("the daemon is not running: nobody listens on `{}`", socket.display())]
    NotRunning {
        /// Where it would listen.
        socket: PathBuf,
    },
    /// The daemon's program was not found.
    #[error("the program `recalld` was not found")]
    NoBinary {
        /// Where it was looked for.
        searched: Vec<PathBuf>,
    },
    /// The daemon's program cannot be run.
    #[error("cannot run `{}`", binary.display())]
    Spawn {
        /// The program.
        binary: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The daemon began and ended at once.
    #[error("the daemon ended with {status} while it started: {message}")]
    StartFailed {
        /// How it ended, in the words of the system.
        status: String,
        /// What it said.
        message: String,
        /// Its log.
        log: PathBuf,
    },
    /// No daemon answered in time.
    #[error("no daemon answered on `{}` within {waited:?}", socket.display())]
    Timeout {
        /// Where it listens.
        socket: PathBuf,
        /// How long it was waited for.
        waited: Duration,
        /// Its log.
        log: PathBuf,
    },
    /// A daemon runs and was not reached in time.
    #[error("the daemon is running ({holder}) and cannot be reached: {}", why.told(socket, *waited))]
    Unreachable {
        /// Who holds its lock.
        holder: Box<Holder>,
        /// Where it should listen.
        socket: PathBuf,
        /// What is in the way.
        why: Unreached,
        /// How long it was waited for.
        waited: Duration,
        /// Its log.
        log: PathBuf,
    },
    /// The daemon is newer and does not speak this program's protocol any more.
    #[error("the daemon is newer ({version}) than this program and speaks another protocol")]
    Newer {
        /// The daemon's version.
        version: String,
        /// The revisions that it speaks.
        protocols: RangeInclusive<u32>,
    },
    /// The daemon is older, does not speak this program's protocol, and was not to be replaced or came back.
    #[error("the daemon is older ({version}) than this program and speaks another protocol")]
    Older {
        /// The daemon's version.
        version: String,
        /// The revisions that it speaks.
        protocols: RangeInclusive<u32>,
    },
    /// Somebody else listens in the daemon's place.
    #[error("the listener on `{}` belongs to another user", socket.display())]
    ForeignOwner {
        /// The socket.
        socket: PathBuf,
        /// Who listens; `None` when the system does not say.
        owner: Option<u32>,
    },
    /// The socket cannot be used.
    #[error("cannot connect to `{}`", socket.display())]
    Socket {
        /// The socket.
        socket: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The connection broke before versions were exchanged.
    #[error("the daemon on `{}` does not take the connection", socket.display())]
    Transport {
        /// The socket.
        socket: PathBuf,
        /// Why.
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
    /// The folder of a private daemon cannot be made.
    #[error("cannot make the folder `{}` for a private daemon", path.display())]
    PrivateFolder {
        /// The folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// Why a daemon that runs is not reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreached {
    /// It has no socket.
    NoSocket,
    /// It takes the connection and does not answer.
    Silent,
}

impl Unreached {
    /// What is in the way, as the end of a sentence.
    pub fn told(self, socket: &Path, waited: Duration) -> String {
        // Nobody is interested in less than a tenth of a second.
        let waited = Duration::from_millis(waited.as_millis() as u64 / 100 * 100);
        match self {
            Self::NoSocket => format!("nobody has listened on `{}` for {waited:?}", socket.display()),
            Self::Silent => format!("it did not answer on `{}` within {waited:?}", socket.display()),
        }
    }
}
