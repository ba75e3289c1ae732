//! The daemon as a service of the user's service manager: the files, and the commands that enable and disable it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

pub(crate) mod launchd;
pub(crate) mod sealed_file;
pub(crate) mod systemd;
pub(crate) mod task_scheduler;

use sealed_file::SealedFile;

/// What the files of a service depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServiceInput<'a> {
    /// The absolute path of the daemon's program.
    pub(crate) program: &'a Path,
    /// The variables that decide which data home the daemon serves.
    pub(crate) variables: &'a [(String, OsString)],
    /// The folder of the service manager's files of this user.
    pub(crate) folder: &'a Path,
    /// The user id.
    pub(crate) user: u32,
    /// The socket on which the service manager listens; `None` if the manager decides, or has no sockets.
    pub(crate) socket: Option<&'a Path>,
}

/// The files of a service and the commands about it. The first word of a command is the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServicePlan {
    pub(crate) files: Vec<SealedFile>,
    /// Created for this user alone before the service is enabled.
    pub(crate) folders: Vec<PathBuf>,
    /// Run after the files were written.
    pub(crate) enable: Vec<Vec<String>>,
    /// Run before the files are removed.
    pub(crate) disable: Vec<Vec<String>>,
    /// Run after files were removed.
    pub(crate) reload: Vec<Vec<String>>,
    /// Ends successfully if the service is enabled.
    pub(crate) is_enabled: Vec<String>,
    /// Ends successfully if the service is active.
    pub(crate) is_active: Vec<String>,
    /// When the installation stops a running daemon.
    pub(crate) stop: StopTime,
}

/// When the installation stops a running daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopTime {
    /// Before the service starts its daemon, which would give way to a running one.
    BeforeEnable,
    /// When the service listens, so that every later client reaches the service.
    AfterEnable,
}

/// A service cannot have this program or variable.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlanError {
    /// The file format cannot express the value.
    #[error("the file of the service cannot contain `{}`: it is not UTF-8 or has control characters", value.display())]
    NotText {
        /// The value.
        value: PathBuf,
    },
}

/// Splits a line of words.
pub(crate) fn words(line: &str) -> Vec<String> {
    line.split(' ').map(ToOwned::to_owned).collect()
}
