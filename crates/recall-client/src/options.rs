//! How is the daemon looked for?

use std::path::PathBuf;
use std::time::Duration;

use recall_config::Dirs;

/// How the daemon is looked for.
#[derive(Clone, Debug)]
pub struct ConnectOptions {
    /// Where the socket, the lock and the log live.
    pub dirs: Dirs,
    /// What happens when no daemon runs.
    pub launch: Launch,
    /// The program to start; `None` takes `$RECALL_DAEMON`, else the `recalld` beside this program, else the one on `PATH`.
    pub daemon_binary: Option<PathBuf>,
    /// `RECALL_HOME` of a private daemon; `None` gives it that of this program. `dirs` are then those below it.
    pub daemon_home: Option<PathBuf>,
    /// Who asks: `recall`, `recall-shim`.
    pub client_name: String,
    /// How long it may take in all until the daemon answers.
    pub deadline: Duration,
    /// How often a call that is safe to repeat is made in all when the daemon goes away over it; 1 never repeats.
    pub attempts: u32,
}

impl ConnectOptions {
    /// How often a call is made for a person or a script. The connection may have broken long ago, and the daemon that
    /// is started for the call may be killed as well; a call that breaks every daemon is given up.
    pub const ATTEMPTS: u32 = 3;
}

/// What happens when no daemon runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Launch {
    /// One is started, which outlives this program; one that is older than this program is replaced.
    #[default]
    IfNeeded,
    /// The connection fails.
    Never,
    /// One is started in any case, for this client alone; it ends with the client.
    Private,
}
