//! `recall mcp`

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum};
use recall_agents::{
    Agent, Change, Folders, Ledger, Part, RegisterError, Registrar, SHIM, Target as Place, agent, agents, snippet,
};
use serde::Serialize;

use crate::agents::{self as registrations, Action, AgentChange, AgentRow, Mode, change_text, is_present, list_text};
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::{Format, Output};
use crate::{Exit, project_root};

/// The agent that is meant if none is named.
const DEFAULT: &str = registrations::CLAUDE_CODE;

/// The setting of Claude Code that lets it use recall's tools without asking each time.
const PERMISSION: &str = r#""permissions": { "allow": ["mcp__recall"] }"#;

/// The commands of `recall mcp`.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Register recall in coding agents.
    ///
    /// The vendor's own command is used if it is on PATH, else the agent's file is edited. Nothing else in it changes, and
    /// `uninstall` restores it.
    #[command(after_help = examples!(
        "recall mcp install",
        "recall mcp install --client codex --client cursor --dry-run",
        "recall mcp install --all --hooks",
        "recall mcp install --target project",
    ))]
    Install(InstallArgs),
    /// Remove recall's registration, and nothing else.
    #[command(after_help = examples!("recall mcp uninstall", "recall mcp uninstall --all --dry-run"))]
    Uninstall(ClientArgs),
    /// List the agents: which are on this machine, and in which recall is registered.
    #[command(after_help = examples!("recall mcp list"))]
    List,
    /// Print the entry, for agents that are configured by hand.
    #[command(after_help = examples!("recall mcp print"))]
    Print,
}

/// Arguments of `recall mcp install`.
#[derive(Debug, Args)]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    clients: ClientArgs,
    /// Register the hooks too, where the agent has hooks that recall can use. They bring memories into the session without a
    /// call of a tool. An agent that no hook can tell anything gets a few lines in your rules for it.
    #[arg(long)]
    hooks: bool,
}

/// The agents, and what is done with them.
#[derive(Debug, Args)]
pub(crate) struct ClientArgs {
    /// The agent; may be repeated [default: claude-code].
    #[arg(long = "client", value_name = "NAME", value_parser = PossibleValuesParser::new(agents().iter().map(|agent| agent.name)), conflicts_with = "all")]
    names: Vec<String>,
    /// All agents that are on this machine.
    #[arg(long)]
    all: bool,
    /// Register for you in all projects, or for everyone in this project through a file in it.
    #[arg(long, default_value = "user")]
    target: Target,
    /// Show what would be done, without doing it.
    #[arg(long)]
    dry_run: bool,
}

/// The scope of the registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// For this user, in all projects.
    User,
    /// For everyone in this project.
    Project,
}

/// The changes that were made, or would be with `--dry-run`.
#[derive(Debug, Serialize)]
struct Changes {
    dry_run: bool,
    changed: bool,
    agents: Vec<AgentChange>,
}

/// The agents.
#[derive(Debug, Serialize)]
struct Agents {
    agents: Vec<AgentRow>,
}

pub(super) fn run(command: &McpCommand, context: &CommandContext) -> Result<Exit, CommandError> {
    match command {
        McpCommand::Install(args) => install(args, context),
        McpCommand::Uninstall(args) => uninstall(args, context),
        McpCommand::List => list(context),
        McpCommand::Print => {
            let shim = context.process_env.programs.own_program(SHIM);
            let shim = shim.map_or_else(|| SHIM.to_owned(), |path| path.display().to_string());
            let text = serde_json::to_string_pretty(&snippet(&shim, &registrations::server_variables(context)))
                .expect("made of texts");
            Output::raw(&(text + "\n"))?;
            Ok(Exit::Done)
        }
    }
}

fn install(args: &InstallArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let InstallArgs { clients, hooks } = args;
    let (mode, place) = (clients.mode(), clients.place(context));
    let folders = registrations::folders(context)?;
    let programs = &context.process_env.programs;
    let chosen = clients.chosen_agents(|agent| {
        let has_file = clients.target == Target::User || !agent.has_no_project_file();
        has_file && is_present(agent, &folders, programs)
    });
    if *hooks {
        check_hooks(clients, &chosen, &folders)?;
    }
    // A project's file is shared, and programs are installed in other places on other machines: no path.
    let shim = if clients.target == Target::User { registrations::shim(context)? } else { SHIM.to_owned() };
    let on_path = |name: &str| programs.on_path(name);
    let variables = registrations::server_variables(context);
    let registrar = Registrar { folders: &folders, on_path: &on_path, variables: &variables };
    let mut ledger = registrations::ledger(mode, context)?;
    let mut changes = Vec::new();
    for agent in &chosen {
        let planned = registrar.register(agent, &place, &shim, &ledger);
        let mut own_changes = vec![AgentChange::make(agent, Part::Mcp, planned, mode, &mut ledger)];
        if *hooks && agent.has_hooks(&folders).is_some() {
            let recall = registrations::program("recall", context)?;
            let planned = registrar.register_hooks(agent, &recall, &ledger);
            own_changes.extend(make_all(agent, Part::Hooks, planned, mode, &mut ledger));
        }
        if *hooks && agent.has_rules(&folders).is_some() {
            let planned = registrar.register_rules(agent, &ledger);
            own_changes.push(AgentChange::make(agent, Part::Rules, planned, mode, &mut ledger));
        }
        if *hooks && !clients.all && has_no_hooks(agent, &folders) {
            let none = Err(RegisterError::NoHooks { title: agent.title });
            own_changes.push(AgentChange::make(agent, Part::Hooks, none, mode, &mut ledger));
        }
        // The server and the hooks may be in one file, whose mistake is said once.
        own_changes.dedup_by(|later, earlier| later.error.is_some() && later.error == earlier.error);
        changes.extend(own_changes);
    }
    if chosen.is_empty() {
        context.output.note("no agent was found on this machine; name one with `--client`, see `recall mcp list`");
    }
    let exit = report(changes, chosen.len(), mode, context)?;
    if chosen.iter().any(|agent| agent.name == DEFAULT) {
        context.output.note(&permission_hint(context));
        if registrations::plugin(&folders).is_some() {
            context.output.note(
                "recall's plugin for Claude Code brings the server too, so its tools are listed twice: remove one",
            );
        }
    }
    Ok(if chosen.is_empty() { Exit::NothingFound } else { exit })
}

/// Rejects hooks where no agent can have them, before anything is changed.
fn check_hooks(clients: &ClientArgs, chosen: &[&Agent], folders: &Folders) -> Result<(), CommandError> {
    if clients.target == Target::Project {
        let error = CliError::usage("hooks are registered for you, not for a project");
        return Err(error.with_hint("leave out `--hooks` or `--target project`").into());
    }
    match chosen.first() {
        Some(agent) if !clients.all && chosen.iter().all(|agent| has_no_hooks(agent, folders)) => {
            Err(RegisterError::NoHooks { title: agent.title }.into())
        }
        _ => Ok(()),
    }
}

/// Returns whether an agent has neither hooks nor rules for recall.
fn has_no_hooks(agent: &Agent, folders: &Folders) -> bool {
    agent.has_hooks(folders).is_none() && agent.has_rules(folders).is_none()
}

fn uninstall(args: &ClientArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let (mode, place) = (args.mode(), args.place(context));
    let folders = registrations::folders(context)?;
    let chosen = args.chosen_agents(|agent| args.target == Target::User || !agent.has_no_project_file());
    let on_path = |name: &str| context.process_env.programs.on_path(name);
    let variables = registrations::server_variables(context);
    let registrar = Registrar { folders: &folders, on_path: &on_path, variables: &variables };
    let mut ledger = registrations::ledger(mode, context)?;
    let mut changes = Vec::new();
    for agent in &chosen {
        changes.extend(unregister(registrar, agent, &place, mode, &mut ledger));
    }
    if args.all {
        changes.retain(|change| change.action != Action::None);
    }
    if changes.is_empty() {
        context.output.note("recall is registered in no agent: nothing to do");
    }
    report(changes, chosen.len(), mode, context)
}

/// Removes what is registered in an agent for a target.
pub(super) fn unregister(
    registrar: Registrar<'_>,
    agent: &'static Agent,
    place: &Place,
    mode: Mode,
    ledger: &mut Ledger,
) -> Vec<AgentChange> {
    let planned = registrar.unregister(agent, place, ledger);
    make_all(agent, Part::Mcp, planned, mode, ledger)
}

/// Makes the planned changes of an agent, unless they are only shown, and reports them; `part` is what nothing is to be done for.
fn make_all(
    agent: &Agent,
    part: Part,
    planned: Result<Vec<Change>, RegisterError>,
    mode: Mode,
    ledger: &mut Ledger,
) -> Vec<AgentChange> {
    match planned {
        Err(error) => vec![AgentChange::make(agent, part, Err(error), mode, ledger)],
        Ok(planned) if planned.is_empty() => vec![AgentChange::make(agent, part, Ok(None), mode, ledger)],
        Ok(planned) => {
            let report = |change: Change| AgentChange::make(agent, change.part, Ok(Some(change)), mode, ledger);
            planned.into_iter().map(report).collect()
        }
    }
}

fn list(context: &CommandContext) -> Result<Exit, CommandError> {
    let folders = registrations::folders(context)?;
    let programs = &context.process_env.programs;
    let rows: Vec<AgentRow> = agents().iter().map(|agent| AgentRow::new(agent, &folders, programs)).collect();
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&Agents { agents: rows })?,
        Format::Human => output.text(&list_text(&rows, &folders.home, output.width))?,
    }
    Ok(Exit::Done)
}

impl ClientArgs {
    fn mode(&self) -> Mode {
        if self.dry_run { Mode::DryRun } else { Mode::Make }
    }

    fn place(&self, context: &CommandContext) -> Place {
        match self.target {
            Target::User => Place::User,
            Target::Project => Place::Project(project_root::resolve(context)),
        }
    }

    /// Returns the named agents, or with `--all` those that are accepted.
    fn chosen_agents(&self, is_accepted: impl Fn(&Agent) -> bool) -> Vec<&'static Agent> {
        if self.all {
            return agents().iter().filter(|agent| is_accepted(agent)).collect();
        }
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let names = if names.is_empty() { vec![DEFAULT] } else { names };
        names.into_iter().filter_map(agent).collect()
    }
}

/// Reports the changes. The error of a single agent is the command's own.
fn report(agents: Vec<AgentChange>, chosen: usize, mode: Mode, context: &CommandContext) -> Result<Exit, CommandError> {
    if chosen == 1
        && let Some(cli_error) = agents.iter().find_map(|change| change.cli_error.clone())
    {
        return Err(cli_error.into());
    }
    let failed = agents.iter().any(|change| change.action == Action::Failed);
    let changed = mode == Mode::Make && agents.iter().any(AgentChange::is_change);
    let output = &context.output;
    match output.format {
        Format::Json => {
            output.answer(&Changes { dry_run: mode == Mode::DryRun, changed, agents })?;
        }
        Format::Human => output.text(&change_text(&agents, mode))?,
    }
    Ok(if failed { Exit::Refused } else { Exit::Done })
}

fn permission_hint(context: &CommandContext) -> String {
    let folder = context.process_env.claude_config_dir.clone();
    let folder = folder.map_or_else(|| "~/.claude".to_owned(), |folder| folder.display().to_string());
    format!(
        "Claude Code asks before it uses the tools; to let it, put this into {folder}/settings.json:\n  {PERMISSION}"
    )
}
