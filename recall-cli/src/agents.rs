//! Registration of recall in coding agents, as the commands need it: the changes that were made, and their text.

mod change;
mod text;

use std::path::{Path, PathBuf};

use recall_agents::{Folders, Ledger, RegisterError, SHIM, ServerVariables, System, agent};
use recall_api::Reason;
use recall_os::{Folder, read_own};

pub(crate) use change::{Action, AgentChange, Mode};
pub(crate) use text::{AgentRow, change_text, is_present, list_text};

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};

/// The agent whose settings other agents read too.
pub(crate) const CLAUDE_CODE: &str = "claude-code";

/// The most bytes that are read of Claude Code's list of plugins.
const PLUGINS_BYTES: u64 = 1024 * 1024;

/// Returns the folders of the user below which agents keep their files.
pub(crate) fn folders(context: &CommandContext) -> Result<Folders, CommandError> {
    let process_env = &context.process_env;
    let Some(home) = process_env.environment.home.clone() else {
        let cli_error = CliError::usage("there is no home folder for the configuration of agents");
        return Err(cli_error.with_hint("set HOME").into());
    };
    Ok(Folders { system: System::here(), home, variables: process_env.agent_variables.clone() })
}

/// Opens the list of registrations; for a dry run it is only read.
pub(crate) fn ledger(mode: Mode, context: &CommandContext) -> Result<Ledger, CommandError> {
    let folder = &context.dirs().state;
    let opened = match mode {
        Mode::Make => Ledger::open(folder),
        Mode::DryRun => Ledger::read(folder),
    };
    opened.map_err(CommandError::from)
}

/// Returns what the server needs of this environment to find the user's files: an agent that is started from a desktop does not have
/// what a shell sets.
pub(crate) fn server_variables(context: &CommandContext) -> ServerVariables {
    let recall_home = context.process_env.environment.recall_home.as_deref().and_then(Path::to_str);
    recall_home.map(|home| ("RECALL_HOME".to_owned(), home.to_owned())).into_iter().collect()
}

/// Returns the path of the program that agents start.
pub(crate) fn shim(context: &CommandContext) -> Result<String, CommandError> {
    program(SHIM, context)
}

/// Returns the path of one of recall's programs.
pub(crate) fn program(name: &str, context: &CommandContext) -> Result<String, CommandError> {
    let path = context.process_env.programs.own_program(name).ok_or_else(|| {
        let cli_error = CliError::new(Exit::Refused, Reason::NotFound, format!("the program `{name}` was not found"));
        cli_error.with_hint("put it next to `recall` or on PATH")
    })?;
    Ok(path.display().to_string())
}

/// Returns Claude Code's list of plugins if recall's is in it.
pub(crate) fn plugin(folders: &Folders) -> Option<PathBuf> {
    let settings = agent(CLAUDE_CODE)?.hook_files(folders).pop()?;
    let path = settings.parent()?.join("plugins/installed_plugins.json");
    let text = read_own(&path, PLUGINS_BYTES).ok()?;
    String::from_utf8_lossy(&text).contains("\"recall@").then_some(path)
}

/// Whether recall's hooks are registered for the user in the agent of a name.
pub(crate) fn has_hooks(name: &str, context: &CommandContext) -> bool {
    let folders = folders(context).ok();
    folders.is_some_and(|folders| agent(name).and_then(|agent| agent.has_hooks(&folders)) == Some(true))
}

/// Whether recall's hooks are in the user's or the project's settings of Claude Code.
pub(crate) fn settings_have_hooks(context: &CommandContext) -> bool {
    let user = folders(context).ok().and_then(|folders| agent(CLAUDE_CODE)?.hook_files(&folders).pop());
    let project = context.process_env.claude_project_dir.as_deref().and_then(|project| Folder::open(project).ok());
    // A clone may have a link in place of the file.
    let settings = |folder: Folder| {
        let names = [".claude/settings.json", ".claude/settings.local.json"].into_iter();
        names.filter(|name| folder.has_file(name)).map(|name| folder.path().join(name)).collect::<Vec<_>>()
    };
    let project = project.map(settings).unwrap_or_default();
    recall_agents::settings_have_hooks(&user.into_iter().chain(project).collect::<Vec<_>>())
}

impl From<&RegisterError> for CliError {
    fn from(error: &RegisterError) -> Self {
        let by_hand = "nothing was changed; `recall mcp print` shows what to put there";
        let (reason, hint) = match error {
            RegisterError::Document { .. } => (Reason::Conflict, by_hand),
            RegisterError::Io { .. } => (Reason::PermissionDenied, by_hand),
            RegisterError::LinkOut { .. } | RegisterError::LinkToNothing { .. } | RegisterError::NotAFile { .. } => {
                (Reason::PermissionDenied, "nothing was changed; recall writes through no link that leaves this folder")
            }
            RegisterError::ReadOnly { .. } => (Reason::ReadOnly, by_hand),
            RegisterError::TooLarge { .. } => (Reason::LimitExceeded, by_hand),
            RegisterError::Meanwhile { .. } => (Reason::Conflict, "run the command again"),
            RegisterError::Taken { .. } => (Reason::Conflict, "rename or remove that entry first"),
            RegisterError::NotOurs { .. } => (Reason::Conflict, "move that file away first"),
            RegisterError::Run { .. }
            | RegisterError::Failed { .. }
            | RegisterError::TooSlow { .. }
            | RegisterError::NoEffect { .. } => {
                (Reason::Unavailable, "register by hand with the output of `recall mcp print`")
            }
            RegisterError::NoProjectFile { .. } => (Reason::Unsupported, "leave out `--target project`"),
            RegisterError::NoHooks { .. } => (Reason::Unsupported, "leave out `--hooks`"),
            RegisterError::Ledger { .. } => {
                (Reason::Conflict, "move the file away; entries are then found by their command")
            }
        };
        let exit = match error {
            RegisterError::NoProjectFile { .. } | RegisterError::NoHooks { .. } => Exit::Usage,
            _ => Exit::Refused,
        };
        let mut cli_error = Self::new(exit, reason, error.to_string()).with_causes_of(error).with_hint(hint);
        if let RegisterError::Failed { said, .. } = error {
            cli_error.causes.extend((!said.is_empty()).then(|| said.clone()));
        }
        cli_error
    }
}

impl From<RegisterError> for CommandError {
    fn from(error: RegisterError) -> Self {
        CliError::from(&error).into()
    }
}
