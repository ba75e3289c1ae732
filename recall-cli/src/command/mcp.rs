//! `recall mcp`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use recall_proto::Reason;
use serde::Serialize;

use crate::clients::claude_code::{PERMISSION, Registration, SHIM, Step, snippet};
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::{Format, Output};
use crate::{Exit, project_root};

/// The commands of `recall mcp`.
#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Register recall in Claude Code.
    #[command(after_help = examples!("recall mcp install", "recall mcp install --target project --dry-run"))]
    Install(McpArgs),
    /// Remove recall's registration, and nothing else.
    #[command(after_help = examples!("recall mcp uninstall"))]
    Uninstall(McpArgs),
    /// Print the entry, for agents that are configured by hand.
    #[command(after_help = examples!("recall mcp print"))]
    Print,
}

/// Arguments of `recall mcp install` and `uninstall`.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Register for you in all projects, or for everyone in this project through its `.mcp.json`.
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

/// The steps that were taken, or would be with `--dry-run`.
#[derive(Debug, Serialize)]
struct Told {
    dry_run: bool,
    changed: bool,
    steps: Vec<String>,
}

pub(super) fn run(command: &McpCommand, context: &CommandContext) -> Result<Exit, CommandError> {
    match command {
        McpCommand::Install(args) => {
            let steps = registration(args.target, context)?.install()?;
            carry_out(&steps, args, "registered already: nothing to do", context)?;
            context.output.note(&permission_hint(context));
        }
        McpCommand::Uninstall(args) => {
            let steps = registration(args.target, context)?.uninstall()?;
            carry_out(&steps, args, "not registered: nothing to do", context)?;
        }
        McpCommand::Print => {
            let shim = context.process_env.programs.own(SHIM);
            let shim = shim.map_or_else(|| SHIM.to_owned(), |path| path.display().to_string());
            let text = serde_json::to_string_pretty(&snippet(&shim)).expect("made of texts");
            Output::raw(&(text + "\n"))?;
        }
    }
    Ok(Exit::Done)
}

fn registration(target: Target, context: &CommandContext) -> Result<Registration, CommandError> {
    let process_env = &context.process_env;
    Ok(match target {
        Target::User => Registration {
            file: user_file(context)?,
            shim: shim(context)?.display().to_string(),
            claude: process_env.programs.on_path("claude"),
        },
        // A project's file is shared, and programs are installed in other places on other machines: no path.
        Target::Project => {
            Registration { file: project_root::of(context).join(".mcp.json"), shim: SHIM.to_owned(), claude: None }
        }
    })
}

fn user_file(context: &CommandContext) -> Result<PathBuf, CommandError> {
    let process_env = &context.process_env;
    let folder = process_env.claude_config_dir.clone().or_else(|| process_env.environment.home.clone());
    let Some(folder) = folder else {
        let cli_error = CliError::usage("there is no home folder for Claude Code's configuration");
        return Err(cli_error.with_hint("set HOME or CLAUDE_CONFIG_DIR").into());
    };
    Ok(folder.join(".claude.json"))
}

fn shim(context: &CommandContext) -> Result<PathBuf, CommandError> {
    context.process_env.programs.own(SHIM).ok_or_else(|| {
        let message = format!("the program `{SHIM}` was not found");
        let cli_error = CliError::new(Exit::Refused, Reason::NotFound, message);
        cli_error.with_hint("put it next to `recall` or on PATH").into()
    })
}

fn carry_out(steps: &[Step], args: &McpArgs, nothing: &str, context: &CommandContext) -> Result<(), CommandError> {
    let output = &context.output;
    if !args.dry_run {
        for step in steps {
            step.take()?;
        }
    }
    let described: Vec<String> = steps.iter().map(Step::describe).collect();
    match output.format {
        Format::Json => {
            let changed = !args.dry_run && !steps.is_empty();
            output.json(&recall_json::answer(Told { dry_run: args.dry_run, changed, steps: described }))
        }
        Format::Human if steps.is_empty() => output.text(&format!("{nothing}\n")),
        Format::Human => {
            let told = |step: &Step| if args.dry_run { format!("would {}", step.describe()) } else { step.report() };
            let lines: Vec<String> = steps.iter().map(told).collect();
            output.text(&(lines.join("\n") + "\n"))
        }
    }
}

fn permission_hint(context: &CommandContext) -> String {
    let folder = context.process_env.claude_config_dir.clone();
    let folder = folder.map_or_else(|| "~/.claude".to_owned(), |folder| folder.display().to_string());
    format!(
        "Claude Code asks before it uses the tools; to let it, put this into {folder}/settings.json:\n  {PERMISSION}"
    )
}
