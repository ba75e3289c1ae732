//! `recall uninstall`

use std::fmt::Write as _;

use clap::Args;
use recall_agents::{Folders, Ledger, Registrar, Target, agent, agents};
use recall_client::daemon::{self, Stopped};
use serde::Serialize;

use super::service::{self, ServiceChange};
use crate::Exit;
use crate::agents::{self as registrations, Action, AgentChange, Mode, change_text};
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;

/// Arguments of `recall uninstall`.
#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    /// Show what would be done, without doing it.
    #[arg(long)]
    dry_run: bool,
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
    kept: Vec<Kept>,
}

/// Something of recall that stays.
#[derive(Debug, Serialize)]
struct Kept {
    what: &'static str,
    path: String,
}

pub(super) async fn run(args: &UninstallArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let mode = if args.dry_run { Mode::DryRun } else { Mode::Make };
    let folders = registrations::folders(context)?;
    let agents = unregister_all(&folders, mode, context)?;
    let service = if service::is_supported() { Some(service::remove(args.dry_run, context)?) } else { None };
    let stopped_pid = if args.dry_run { None } else { stop(context).await? };
    let changed = agents.iter().any(AgentChange::is_change) || service.as_ref().is_some_and(|service| service.changed);
    let failed = agents.iter().any(|change| change.action == Action::Failed);
    let changed = changed && !args.dry_run;
    let kept = kept(&folders, context);
    let undone = Undone { dry_run: args.dry_run, changed, agents, service, stopped_pid, kept };
    match context.output.format {
        Format::Json => context.output.json(&recall_json::answer(&undone))?,
        Format::Human => context.output.text(&text(&undone, mode))?,
    }
    Ok(if failed { Exit::Refused } else { Exit::Done })
}

/// Undoes every registration: those of the list, the latest first, then those that are found in the agents' files.
fn unregister_all(folders: &Folders, mode: Mode, context: &CommandContext) -> Result<Vec<AgentChange>, CommandError> {
    let on_path = |name: &str| context.process_env.programs.on_path(name);
    let registrar = Registrar { folders, on_path: &on_path };
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
        let change = AgentChange::of(agent, record.part, planned, mode, ledger);
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

/// Returns what is left: recall's own folders, and what the user installed by other programs.
fn kept(folders: &Folders, context: &CommandContext) -> Vec<Kept> {
    let dirs = context.dirs();
    let own = [
        ("memories of the global store, indexes, models", &dirs.data),
        ("settings", &dirs.config),
        ("cache", &dirs.cache),
        ("logs, and the list of registrations", &dirs.state),
    ];
    let mut kept: Vec<Kept> = Vec::new();
    for (what, path) in own.into_iter().filter(|(_, path)| path.exists()) {
        let path = path.display().to_string();
        if !kept.iter().any(|known| known.path == path) {
            kept.push(Kept { what, path });
        }
    }
    if let Some(path) = registrations::plugin(folders) {
        kept.push(Kept { what: "the plugin of Claude Code", path: path.display().to_string() });
    }
    kept
}

fn text(undone: &Undone, mode: Mode) -> String {
    let mut text = change_text(&undone.agents, mode);
    if let Some(service) = undone.service.as_ref().filter(|service| service.is_installed()) {
        text += &service::change_text(service);
    }
    if let Some(pid) = undone.stopped_pid {
        let _ = writeln!(text, "stopped the daemon, pid {pid}");
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
