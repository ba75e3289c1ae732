//! The environment of this process.
//!
//! Only this module reads the working directory and the environment variables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use recall_config::{Dirs, Environment};
use recall_proto::Reason;

use crate::Exit;
use crate::caller::Caller;
use crate::complaint::{CommandError, Complaint};

/// The environment of this process.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    /// The working directory, absolute.
    pub(crate) directory: PathBuf,
    /// The environment variables that recall uses.
    pub(crate) environment: Environment,
    /// Where recall's files live.
    pub(crate) dirs: Dirs,
    /// The calling agent.
    pub(crate) caller: Caller,
    /// The search path for programs.
    pub(crate) programs: Programs,
    /// `CLAUDE_CONFIG_DIR`: the folder of Claude Code's configuration, if it is not the home folder.
    pub(crate) claude_config_dir: Option<PathBuf>,
}

/// The search path for programs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Programs {
    /// The folder of this program.
    pub(crate) beside: Option<PathBuf>,
    /// `PATH`.
    pub(crate) path: Option<OsString>,
}

impl Surroundings {
    pub(crate) fn capture() -> Result<Self, CommandError> {
        #[expect(clippy::disallowed_methods, reason = "this is where the working directory enters the program")]
        let directory = std::env::current_dir().map_err(|source| {
            let mut complaint = Complaint::new(Exit::Usage, Reason::NotFound, "cannot determine the current directory")
                .with_hint("`cd` elsewhere");
            complaint.causes.push(source.to_string());
            complaint
        })?;
        let environment = Environment::capture();
        let dirs = Dirs::from_environment(&environment)?;
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Ok(Self {
            directory,
            environment,
            dirs,
            caller: Caller::read(variable),
            programs: Programs {
                beside: std::env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_owned)),
                path: std::env::var_os("PATH"),
            },
            claude_config_dir: variable("CLAUDE_CONFIG_DIR").map(PathBuf::from),
        })
    }
}

impl Programs {
    /// Finds a program on `PATH`.
    pub(crate) fn on_path(&self, name: &str) -> Option<PathBuf> {
        let folders = self.path.iter().flat_map(std::env::split_paths).filter(|folder| folder.is_absolute());
        folders.map(|folder| folder.join(file_name(name))).find(|file| is_program(file))
    }

    /// Finds a program that belongs to this one: in the same folder, else on `PATH`.
    pub(crate) fn own(&self, name: &str) -> Option<PathBuf> {
        let beside = self.beside.as_ref().map(|folder| folder.join(file_name(name))).filter(|file| is_program(file));
        beside.or_else(|| self.on_path(name))
    }
}

fn file_name(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    file.metadata().is_ok_and(|seen| seen.is_file() && seen.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}
