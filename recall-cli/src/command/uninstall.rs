//! `recall uninstall`

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use clap::Args;
use recall_agents::{Folders, Ledger, Registrar, Target, agent, agents};
use recall_api::Reason;
use recall_client::daemon::{self, Stopped};
use recall_os::{Folder, OpenError};
use serde::Serialize;

use super::service::{self, ServiceChange};
use crate::agents::{Action, AgentChange, Mode, change_text};
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::standard_input::{ask_yes, can_ask};
use crate::{Exit, agents as registrations};

/// Arguments of `recall uninstall`.
#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    /// Show what would be done, without doing it.
    #[arg(long)]
    dry_run: bool,
    /// Delete recall's own folders too: the memories of the global store, which are nowhere else, indexes, models, settings,
    /// cache and logs. `.recall/` in projects stays.
    #[arg(long)]
    purge: bool,
    /// With --purge: do not ask.
    #[arg(long, requires = "purge")]
    yes: bool,
}

/// What was undone, or would be with `--dry-run`, and what stays.
#[derive(Debug, Serialize)]
struct Undone {
    dry_run: bool,
    changed: bool,
    agents: Vec<AgentChange>,
    /// Absent on a system without a service manager that recall knows.
    service: Option<ServiceChange>,
    /// The process id of the daemon that was stopped.
    stopped_pid: Option<u32>,
    /// The folders of recall that were deleted, or would be.
    purged: Vec<Kept>,
    kept: Vec<Kept>,
}

/// Something of recall that stays, or that was deleted.
#[derive(Debug, Serialize)]
struct Kept {
    what: &'static str,
    path: String,
}

pub(super) async fn run(args: &UninstallArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let mode = if args.dry_run { Mode::DryRun } else { Mode::Make };
    if args.purge {
        refuse_others(context)?;
        if !args.dry_run && !args.yes {
            check_allowed(context).await?;
        }
    }
    let folders = registrations::folders(context)?;
    let agents = unregister_all(&folders, mode, context)?;
    let service = if service::is_supported() { Some(service::remove(args.dry_run, context)?) } else { None };
    let stopped_pid = if args.dry_run { None } else { stop(context).await? };
    let changed = agents.iter().any(AgentChange::is_change) || service.as_ref().is_some_and(|service| service.changed);
    let failed = agents.iter().any(|change| change.action == Action::Failed);
    let changed = changed && !args.dry_run;
    let purged = if args.purge { own_files(context) } else { Vec::new() };
    if args.purge && !args.dry_run {
        purged.iter().try_for_each(|folder| purge(Path::new(&folder.path)))?;
    }
    let mut kept = if args.purge { Vec::new() } else { own_files(context) };
    kept.extend(other_files(&folders));
    let changed = changed || (!args.dry_run && !purged.is_empty());
    let undone = Undone { dry_run: args.dry_run, changed, agents, service, stopped_pid, purged, kept };
    match context.output.format {
        Format::Json => context.output.answer(&undone)?,
        Format::Human => context.output.text(&text(&undone, mode))?,
    }
    Ok(if failed { Exit::Refused } else { Exit::Done })
}

/// Undoes every registration: those of the list, the latest first, then those that are found in the agents' files.
fn unregister_all(folders: &Folders, mode: Mode, context: &CommandContext) -> Result<Vec<AgentChange>, CommandError> {
    let on_path = |name: &str| context.process_env.programs.on_path(name);
    let variables = registrations::server_variables(context);
    let registrar = Registrar { folders, on_path: &on_path, variables: &variables };
    let mut ledger = registrations::ledger(mode, context)?;
    let mut changes = undo_recorded(registrar, mode, &mut ledger);
    for agent in agents() {
        let found = super::mcp::unregister(registrar, agent, &Target::User, mode, &mut ledger);
        // A dry run has undone nothing, and finds the same again.
        let is_new = |change: &AgentChange| {
            change.action != Action::None
                && !changes.iter().any(|known| known.part == change.part && known.file == change.file)
        };
        let found: Vec<AgentChange> = found.into_iter().filter(is_new).collect();
        changes.extend(found);
    }
    Ok(changes)
}

fn undo_recorded(registrar: Registrar<'_>, mode: Mode, ledger: &mut Ledger) -> Vec<AgentChange> {
    let mut changes = Vec::new();
    for record in ledger.records().to_vec().iter().rev() {
        let Some(agent) = agent(&record.agent) else { continue };
        let planned = registrar.undo(record, ledger);
        let change = AgentChange::make(agent, record.part, planned, mode, ledger);
        changes.extend((change.action != Action::None).then_some(change));
    }
    changes
}

async fn stop(context: &CommandContext) -> Result<Option<u32>, CommandError> {
    let drain = context.settings().daemon.drain;
    Ok(match daemon::stop(context.dirs(), "uninstall", drain).await? {
        Stopped::Ended { pid, .. } => Some(pid),
        Stopped::NotRunning => None,
    })
}

/// The folders that recall makes in `RECALL_HOME`.
const IN_HOME: [&str; 5] = ["data", "config", "cache", "state", "run"];

/// Refuses if `RECALL_HOME` is a folder with other things in it: its `data` may be somebody else's then.
fn refuse_others(context: &CommandContext) -> Result<(), CommandError> {
    let Some(home) = &context.process_env.environment.recall_home else { return Ok(()) };
    let unreadable = |error: &io::Error| CliError::refusal(format!("cannot read {}", home.display()), error);
    let entries = match fs::read_dir(home) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|error| unreadable(&error))?,
    };
    for entry in entries {
        let name = entry.map_err(|error| unreadable(&error))?.file_name();
        if !IN_HOME.iter().any(|known| name == *known) {
            let message = format!("{} has `{}`, which is not recall's", home.display(), name.to_string_lossy());
            let error = CliError::new(Exit::Refused, Reason::PermissionDenied, message);
            return Err(error.with_hint("delete what is recall's by hand; `recall uninstall` lists it").into());
        }
    }
    Ok(())
}

/// Asks whether recall's folders may be deleted.
///
/// # Errors
/// Nobody can be asked, or the answer is no.
async fn check_allowed(context: &CommandContext) -> Result<(), CommandError> {
    let refused = |message: &str| CliError::new(Exit::Refused, Reason::PermissionDenied, message);
    if !can_ask(context) {
        let error = refused("--purge deletes the memories of the global store, and nobody can be asked here");
        return Err(error.with_hint("add --yes if that is wanted; `recall backup` saves them first").into());
    }
    let list: String =
        own_files(context).iter().flat_map(|Kept { what, path }| ["  ", path, ": ", what, "\n"]).collect();
    let question = format!("{list}Delete these folders? Memories of the global store are nowhere else.");
    if ask_yes(&question, false).await? { Ok(()) } else { Err(refused("nothing was deleted").into()) }
}

/// Deletes a folder. Links in it are deleted, not what they lead to.
fn purge(path: &Path) -> Result<(), CommandError> {
    let refused = |error: OpenError| CliError::refusal(format!("cannot delete {}", path.display()), &error.into());
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    match Folder::open(above).and_then(|above| above.remove(name)) {
        Err(OpenError::Missing { .. }) | Ok(()) => Ok(()),
        Err(error) => Err(refused(error).into()),
    }
}

/// Returns recall's own folders that exist. One that is below another is left out.
fn own_files(context: &CommandContext) -> Vec<Kept> {
    let dirs = context.dirs();
    let own = [
        ("memories of the global store, indexes, models", &dirs.data),
        ("settings", &dirs.config),
        ("cache", &dirs.cache),
        ("logs, and the list of registrations", &dirs.state),
    ];
    let mut folders: Vec<(&'static str, &Path)> = Vec::new();
    for (what, path) in own.into_iter().filter(|(_, path)| path.exists()) {
        if !folders.iter().any(|(_, known)| path.starts_with(known)) {
            folders.push((what, path));
        }
    }
    folders.into_iter().map(|(what, path)| Kept { what, path: path.display().to_string() }).collect()
}

/// Returns what the user installed by other programs.
fn other_files(folders: &Folders) -> Option<Kept> {
    let path = registrations::plugin(folders)?;
    Some(Kept { what: "the plugin of Claude Code", path: path.display().to_string() })
}

fn text(undone: &Undone, mode: Mode) -> String {
    let mut text = change_text(&undone.agents, mode);
    if let Some(service) = undone.service.as_ref().filter(|service| service.is_installed()) {
        text += &service::change_text(service);
    }
    if let Some(pid) = undone.stopped_pid {
        let _ = writeln!(text, "stopped the daemon, pid {pid}");
    }
    let deleted = if mode == Mode::DryRun { "would delete" } else { "deleted" };
    for Kept { what, path } in &undone.purged {
        let _ = writeln!(text, "{deleted} {path}: {what}");
    }
    if text.is_empty() {
        text += "nothing to undo\n";
    }
    text += "\nkept, because only you can decide about it:\n";
    for Kept { what, path } in &undone.kept {
        let _ = writeln!(text, "  {path}: {what}");
    }
    text += "  `.recall/` in each project: its memories, settings and git files\n";
    text += "  what you wrote with `recall completions` and `recall man`, and the programs themselves\n";
    text
}
