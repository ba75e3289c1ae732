//! Options for connecting to the daemon.

use std::path::PathBuf;
use std::time::Duration;

use recall_config::Dirs;

/// Options for connecting to the daemon.
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    /// The folders of the socket, the lock and the log.
    pub dirs: Dirs,
    /// What to do if no daemon is running.
    pub launch: Launch,
    /// The program to start; `None` uses `$RECALL_DAEMON`, then `recalld` next to this program, then the one on `PATH`.
    pub daemon_binary: Option<PathBuf>,
    /// `RECALL_HOME` of a private daemon; `None` passes on that of this program. `dirs` are then below it.
    pub daemon_home: Option<PathBuf>,
    /// The name of the client: `recall`, `recall-shim`.
    pub client_name: String,
    /// The version of this program.
    pub version: String,
    /// Whether to replace an older daemon.
    pub replace: Replace,
    /// The time limit for connecting.
    pub deadline: Duration,
    /// How many times in total a call that is safe to repeat is made if the daemon goes away; 1 disables retries. Until the
    /// deadline, attempts that reach no process do not count.
    pub attempts: u32,
}

impl ConnectOptions {
    /// The attempts for interactive use and scripts. The connection may have broken long ago, and the daemon started
    /// for the call may be killed too; a call that breaks every daemon must not be repeated forever.
    pub const ATTEMPTS: u32 = 3;
}

/// Whether a client that starts daemons replaces an older one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replace {
    /// If its version is older than that of the program that is started instead.
    #[default]
    Older,
    /// Never: an older daemon is used as long as a protocol revision is in common.
    Never,
}

/// What to do if no daemon is running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Launch {
    /// Start one, which outlives this program; replace an older one if [`ConnectOptions::replace`] says so.
    #[default]
    IfNeeded,
    /// Start none: the connection fails.
    Never,
    /// Start one in any case, for this client alone; it ends with the client.
    Private,
}
