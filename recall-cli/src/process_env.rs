//! The environment of this process.
//!
//! Only this module reads the working directory and the environment variables.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use recall_agents::Folders;
use recall_api::Reason;
use recall_api::v1::Provenance;
use recall_config::{Dirs, Environment};

use crate::Exit;
use crate::error::{CliError, CommandError};

/// The environment of this process.
#[derive(Clone, Debug)]
pub(crate) struct ProcessEnv {
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
    /// `VISUAL`, else `EDITOR`.
    pub(crate) editor: Option<String>,
    /// `PAGER`; empty for none.
    pub(crate) pager: Option<String>,
    /// The variables that configure pagers and are set.
    pub(crate) pager_variables: Vec<String>,
    /// Whether the terminal shows hyperlinks.
    pub(crate) shows_links: bool,
    /// The address of this machine in `SSH_CONNECTION`, if the session comes over SSH.
    pub(crate) ssh_address: Option<String>,
    /// The user's name; empty if it is unknown.
    pub(crate) user: String,
    /// The name of this machine; empty if it is unknown.
    pub(crate) host: String,
    /// The time at which the program was started.
    pub(crate) started: SystemTime,
    /// `CLAUDE_CONFIG_DIR`: the folder of Claude Code's configuration, if it is not the home folder.
    pub(crate) claude_config_dir: Option<PathBuf>,
    /// The variables that move the files of agents, if they are absolute.
    pub(crate) agent_variables: BTreeMap<String, PathBuf>,
    /// `CLAUDE_PROJECT_DIR`: the project that Claude Code was started for, if it is absolute.
    pub(crate) claude_project_dir: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`, if it is absolute.
    pub(crate) xdg_config_home: Option<PathBuf>,
    /// The set variables that decide where recall's files live, except `RECALL_HOME`. Relative paths do not count.
    pub(crate) home_variables: Vec<(String, OsString)>,
}

/// The variables that decide where recall's files live, except `RECALL_HOME`.
const HOME_VARIABLES: [&str; 5] = ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"];

/// The search path for programs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Programs {
    /// The folder of this program.
    pub(crate) beside: Option<PathBuf>,
    /// `PATH`.
    pub(crate) path: Option<OsString>,
}

/// The variables that configure the pagers less and lv.
const PAGER_VARIABLES: [&str; 2] = ["LESS", "LV"];

#[expect(clippy::disallowed_methods, reason = "this is where the time enters the program")]
fn now() -> SystemTime {
    SystemTime::now()
}

impl ProcessEnv {
    pub(crate) fn capture() -> Result<Self, CommandError> {
        #[expect(clippy::disallowed_methods, reason = "this is where the working directory enters the program")]
        let directory = std::env::current_dir().map_err(|source| {
            let mut cli_error = CliError::new(Exit::Usage, Reason::NotFound, "cannot determine the current directory")
                .with_hint("`cd` elsewhere");
            cli_error.causes.push(source.to_string());
            cli_error
        })?;
        let environment = Environment::capture();
        let dirs = Dirs::from_environment(&environment)?;
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let home_variables =
            HOME_VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?)));
        let home_variables: Vec<_> = home_variables.filter(|(_, value)| Path::new(value).is_absolute()).collect();
        let xdg_config_home = home_variables.iter().find(|(name, _)| name == "XDG_CONFIG_HOME");
        Ok(Self {
            xdg_config_home: xdg_config_home.map(|(_, value)| value.into()),
            home_variables,
            directory,
            environment,
            dirs,
            caller: Caller::read(variable),
            programs: Programs {
                beside: std::env::current_exe().ok().and_then(|exe| exe.parent().map(Path::to_owned)),
                path: std::env::var_os("PATH"),
            },
            editor: variable("VISUAL").or_else(|| variable("EDITOR")),
            pager: std::env::var("PAGER").ok(),
            pager_variables: PAGER_VARIABLES
                .iter()
                .filter(|name| std::env::var_os(name).is_some())
                .map(|name| (*name).to_owned())
                .collect(),
            shows_links: supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout),
            ssh_address: variable("SSH_CONNECTION").map(|text| text.split(' ').nth(2).unwrap_or_default().to_owned()),
            user: variable(platform::USER).unwrap_or_default(),
            host: platform::host(),
            started: now(),
            claude_config_dir: variable("CLAUDE_CONFIG_DIR").map(PathBuf::from),
            agent_variables: Folders::VARIABLES
                .iter()
                .filter_map(|name| Some(((*name).to_owned(), PathBuf::from(variable(name)?))))
                .filter(|(_, path)| path.is_absolute())
                .collect(),
            claude_project_dir: variable("CLAUDE_PROJECT_DIR").map(PathBuf::from).filter(|path| path.is_absolute()),
        })
    }
}

impl ProcessEnv {
    /// Returns the account of the user as the task scheduler knows it; `None` if the system has no such thing.
    #[expect(clippy::unused_self, reason = "only this module asks the system")]
    pub(crate) fn account(&self) -> Option<String> {
        platform::account()
    }

    /// Returns a variable for another program.
    #[expect(clippy::unused_self, reason = "only this module reads the environment")]
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name)
    }
}

impl Programs {
    /// Finds a program on `PATH`.
    pub(crate) fn on_path(&self, name: &str) -> Option<PathBuf> {
        let folders = self.path.iter().flat_map(std::env::split_paths).filter(|folder| folder.is_absolute());
        folders.map(|folder| folder.join(file_name(name))).find(|file| platform::is_program(file))
    }

    /// Finds a program that belongs to this one: in the same folder, else on `PATH`.
    pub(crate) fn own_program(&self, name: &str) -> Option<PathBuf> {
        let beside =
            self.beside.as_ref().map(|folder| folder.join(file_name(name))).filter(|file| platform::is_program(file));
        beside.or_else(|| self.on_path(name))
    }
}

fn file_name(name: &str) -> String {
    format!("{name}{}", std::env::consts::EXE_SUFFIX)
}

#[cfg(unix)]
mod platform {
    //! The process and its machine on Unix.

    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    /// The variable with the user's name.
    pub(super) const USER: &str = "USER";

    pub(super) fn host() -> String {
        rustix::system::uname().nodename().to_string_lossy().into_owned()
    }

    pub(super) fn is_program(file: &Path) -> bool {
        file.metadata().is_ok_and(|seen| seen.is_file() && seen.permissions().mode() & 0o111 != 0)
    }

    /// Returns none: only Windows has a task scheduler.
    pub(super) fn account() -> Option<String> {
        None
    }
}

#[cfg(windows)]
mod platform {
    //! The process and its machine on Windows.

    use std::path::Path;

    /// The variable with the user's name.
    pub(super) const USER: &str = "USERNAME";

    pub(super) fn host() -> String {
        std::env::var("COMPUTERNAME").unwrap_or_default()
    }

    pub(super) fn is_program(file: &Path) -> bool {
        file.is_file()
    }

    /// Returns the security identifier of the user.
    pub(super) fn account() -> Option<String> {
        recall_config::user_of(std::process::id())
    }
}

/// The agent session that the command runs in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caller {
    /// The session's id; empty outside a session.
    pub(crate) session_id: String,
    /// Whether EDI named the session.
    pub(crate) is_edi_session: bool,
    /// The agent; empty for a person.
    pub(crate) agent: String,
    /// The source recorded with what this caller writes.
    pub(crate) provenance: Provenance,
}

impl Caller {
    /// Reads the variables, of which `variable` gives the value.
    pub(crate) fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let text = |name: &str| variable(name).unwrap_or_default();
        let edis = variable("EDI_SESSION_ID");
        Self {
            is_edi_session: edis.is_some(),
            session_id: edis.or_else(|| variable("CLAUDE_CODE_SESSION_ID")).unwrap_or_default(),
            agent: if variable("CLAUDECODE").is_some() { "claude-code".to_owned() } else { String::new() },
            provenance: Provenance {
                agent_mode: text("EDI_AGENT_MODE"),
                git_branch: text("EDI_GIT_BRANCH"),
                git_commit: text("EDI_GIT_SHA"),
                project_path: text("EDI_PROJECT_PATH"),
                project_name: text("EDI_PROJECT_NAME"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(variables: &[(&str, &str)]) -> Caller {
        Caller::read(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn a_person_at_a_shell_has_no_session() {
        assert_eq!(caller(&[("HOME", "/h")]), Caller::default());
    }

    #[test]
    fn an_agent_is_known_by_its_variables() {
        let read = caller(&[("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "c"), ("EDI_GIT_BRANCH", "main")]);
        assert_eq!((read.session_id.as_str(), read.agent.as_str()), ("c", "claude-code"));
        assert_eq!(read.provenance.git_branch, "main");
        assert_eq!(caller(&[("CLAUDE_CODE_SESSION_ID", "c"), ("EDI_SESSION_ID", "e")]).session_id, "e");
    }
}
