//! `recall launch`
//!
//! The agent is a child with recall's briefing in a file that is added to its instructions; it never replaces them. A mode that comes
//! with a repository is refused until a person has confirmed its text (ADR 36).

mod client;
mod context_text;
mod mode;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::process;

use clap::Args;
use recall_api::Reason;
use recall_api::v1::{self, RequestContext};
use recall_client::Client;
use serde::Serialize;
use uuid::Uuid;

use self::client::AgentClient;
use self::context_text::{Parts, context_text};
use self::mode::{Mode, ModeSource, Modes};
use super::external::replace_by;
use super::session::recover_session;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::style::{DIM, NOTE, PATH, WARNING};
use crate::output::human::text::printable;
use crate::program::restore_umask;
use crate::progress::patiently;
use crate::standard_input::{ask_yes, can_ask};
use crate::{Exit, project_root};
use mode::{Trust, trust_of};

/// The tokens of the briefing.
const BRIEFING_TOKENS: u32 = 2_000;

/// Arguments of `recall launch`.
#[derive(Debug, Args)]
pub(crate) struct LaunchArgs {
    /// The mode, or one of its other names such as `plan` [default: the setting launch.mode].
    #[arg(long, short, value_name = "NAME")]
    mode: Option<String>,
    /// The goal of the session; adds what is known about it to the briefing.
    #[arg(long, short, default_value = "", hide_default_value = true, value_name = "TEXT")]
    goal: String,
    /// The agent: claude, opencode or aider [default: the setting launch.client].
    #[arg(long, value_name = "NAME")]
    client: Option<String>,
    /// Print what the agent would receive, and launch nothing.
    #[arg(long)]
    print: bool,
    /// List the modes.
    #[arg(long, conflicts_with_all = ["print", "show_mode", "client", "goal", "mode", "agent_args"])]
    list_modes: bool,
    /// Print the instructions of a mode.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["print", "client", "goal", "mode", "agent_args"])]
    show_mode: Option<String>,
    /// Arguments for the agent.
    #[arg(last = true, value_name = "ARGS")]
    agent_args: Vec<OsString>,
}

/// A mode, as JSON.
#[derive(Debug, Default, Serialize)]
struct ModeEntry {
    name: String,
    description: String,
    source: &'static str,
    path: Option<String>,
    confirmed: bool,
    /// Why its file is not usable.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// All modes, as JSON.
#[derive(Debug, Serialize)]
struct ModeList {
    results: Vec<ModeEntry>,
}

/// What an agent would receive, as JSON.
#[derive(Debug, Serialize)]
struct Printed {
    session_id: String,
    mode: String,
    text: String,
}

pub(super) async fn run(args: LaunchArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let LaunchArgs { mode, goal, client, print, list_modes, show_mode, agent_args } = args;
    let modes = Modes::read(context);
    if list_modes {
        return list(&modes, context);
    }
    if let Some(name) = show_mode {
        let mode = modes.find(&name)?;
        usable(&mode, context).await?;
        context.output.text(&format!("{}\n", mode.prompt))?;
        return Ok(Exit::Done);
    }
    let settings = context.settings().launch;
    let root = project_root::resolve(context);
    project_root::check(&root, context)?;
    let mode = modes.find(mode.as_deref().unwrap_or(&settings.mode))?;
    usable(&mode, context).await?;
    let agent = AgentClient::find(client.as_deref().unwrap_or(&settings.client))?;
    let program = context.process_env.programs.on_path(agent.name);
    let program = if print { None } else { Some(program.ok_or_else(|| missing(agent.name))?) };
    let session = Uuid::new_v4().to_string();
    let connection = context.connect().await?;
    let request_context = request_context(&session, &mode, agent, context);
    if program.is_some() {
        start(&connection, &request_context, &goal, context).await?;
    }
    let text = text(&connection, request_context, &goal, &mode, &modes, &root, context).await?;
    let Some(program) = program else {
        match context.output.format {
            Format::Json => {
                context.output.answer(&Printed { session_id: session, mode: mode.name, text })?;
            }
            Format::Human => context.output.text(&text)?,
        }
        return Ok(Exit::Done);
    };
    let file =
        context_text::write_file(context.dirs(), &session, &text, context.process_env.started, settings.keep_context)
            .map_err(|error| {
            CliError::new(Exit::Refused, Reason::Unavailable, format!("cannot write the context file: {error}"))
                .with_causes_of(&error)
        })?;
    let added = agent.additions(&file, &session, &agent_args, |name| context.process_env.variable(name))?;
    let mut command = process::Command::new(&program);
    command.args(added.arguments).args(agent_args).current_dir(folder_for(context)).envs(added.variables);
    command.env("EDI_SESSION_ID", &session).env("EDI_AGENT_MODE", &mode.name);
    command.env("EDI_PROJECT_PATH", &root).env("EDI_PROJECT_NAME", project_name(&root));
    restore_umask();
    let error = replace_by(&mut command);
    Err(CliError::refusal(format!("cannot run `{}`", program.display()), &error).into())
}

/// The agent works where the user is, or in the root that the user named.
fn folder_for(context: &CommandContext) -> std::path::PathBuf {
    context.project().unwrap_or_else(|| context.process_env.directory.clone())
}

fn missing(name: &str) -> CliError {
    CliError::new(Exit::Usage, Reason::NotFound, format!("the program `{name}` is not on PATH"))
        .with_hint("install it, or name another agent with `--client`")
}

/// The context of the requests about the agent's session.
fn request_context(session: &str, mode: &Mode, agent: AgentClient, context: &CommandContext) -> RequestContext {
    let known = context.request_context();
    let provenance = v1::Provenance { agent_mode: mode.name.clone(), ..v1::Provenance::default() };
    // As Claude Code's own variables name it in later commands.
    let agent = if agent.name == "claude" { "claude-code" } else { agent.name };
    RequestContext { session_id: session.to_owned(), agent: agent.to_owned(), provenance: Some(provenance), ..known }
}

/// Starts the session, and offers to recover one that broke off.
async fn start(
    client: &Client,
    request_context: &RequestContext,
    goal: &str,
    context: &CommandContext,
) -> Result<(), CommandError> {
    let request =
        v1::StartSessionRequest { context: Some(request_context.clone()), goal: goal.to_owned(), briefing: false };
    let lost = client.start_session(request).await?.recoverable_session_id;
    if lost.is_empty() {
        return Ok(());
    }
    let id = printable(&lost);
    if can_ask(context) {
        let question = format!("Session {id} broke off. Write its summary from its events and from git?");
        if ask_yes(&question, true).await? {
            recover_session(client, lost.clone(), context).await?;
        }
    } else {
        context.output.note(&format!("hint: session {id} broke off; `recall session recover {id}` keeps what it did"));
    }
    Ok(())
}

/// Assembles the text for the agent.
async fn text(
    client: &Client,
    request_context: RequestContext,
    goal: &str,
    mode: &Mode,
    modes: &Modes,
    root: &Path,
    context: &CommandContext,
) -> Result<String, CommandError> {
    let session = request_context.session_id.clone();
    let request = v1::BriefingRequest {
        context: Some(request_context.clone()),
        budget_tokens: Some(BRIEFING_TOKENS),
        goal: goal.to_owned(),
        ..v1::BriefingRequest::default()
    };
    let asked = client.briefing(request);
    let briefing = patiently(client, request_context, context.output.format, asked).await?;
    context.output.warn(&briefing.warnings);
    let parts = Parts {
        project: &project_name(root),
        session: &session,
        goal,
        mode,
        briefing: &briefing.text,
        modes: &trusted_modes(modes, context)?,
    };
    Ok(context_text(&parts))
}

/// The modes whose descriptions may stand in a system prompt.
fn trusted_modes(modes: &Modes, context: &CommandContext) -> Result<Vec<Mode>, CommandError> {
    let mut trusted = Vec::new();
    // A file that is not usable concerns only the launch of its mode.
    for mode in modes.list().into_iter().filter_map(|(_, mode)| mode.ok()) {
        if trust_of(&mode, context.dirs())? == Trust::Trusted {
            trusted.push(mode);
        }
    }
    Ok(trusted)
}

fn project_name(root: &Path) -> String {
    root.file_name().map_or_else(|| root.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Checks that a mode may be used, and asks the person at the terminal about one from the repository.
///
/// # Errors
/// It is not confirmed.
async fn usable(mode: &Mode, context: &CommandContext) -> Result<(), CommandError> {
    if trust_of(mode, context.dirs())? == Trust::Trusted {
        return Ok(());
    }
    let ModeSource::Project { path, .. } = &mode.source else { return Ok(()) };
    let name = &mode.name;
    if can_ask(context) && !mode::is_agent(context) {
        let mut shown =
            format!("{NOTE}{}{NOTE:#} comes with the repository and would instruct your agent:\n", path.display());
        for line in mode.prompt.lines() {
            let _ = writeln!(shown, "{DIM}>{DIM:#} {}", printable(line));
        }
        context.output.note(&shown);
        if ask_yes("Use it, now and until it changes?", false).await? {
            return mode::confirm_mode(mode, context);
        }
    }
    let message =
        format!("the mode `{name}` comes with the repository (`{}`), and you have not confirmed it", path.display());
    let hint = format!("read it, then run `recall verify --confirm mode:{name}`; or name another mode with `--mode`");
    Err(CliError::new(Exit::Refused, Reason::PermissionDenied, message).with_hint(hint).into())
}

/// Confirms a mode of the repository by its name.
///
/// # Errors
/// There is no such mode, it is not one of the repository, or an agent asks.
pub(super) fn confirm_mode(name: &str, context: &CommandContext) -> Result<(), CommandError> {
    let mode = Modes::read(context).find(name)?;
    if !matches!(mode.source, ModeSource::Project { .. }) {
        return Err(CliError::usage(format!(
            "the mode `{name}` is not one of the repository: it needs no confirmation"
        ))
        .into());
    }
    mode::confirm_mode(&mode, context)
}

fn list(modes: &Modes, context: &CommandContext) -> Result<Exit, CommandError> {
    let mut entries = Vec::new();
    for (name, mode) in modes.list() {
        let mode = match mode {
            Ok(mode) => mode,
            Err(CommandError::Failed(error)) => {
                entries.push(ModeEntry { name, error: Some(error.message), ..ModeEntry::default() });
                continue;
            }
            Err(error) => return Err(error),
        };
        let confirmed = trust_of(&mode, context.dirs())? == Trust::Trusted;
        let (source, path) = match &mode.source {
            ModeSource::Project { path, .. } => ("project", Some(path)),
            ModeSource::User { path } => ("user", Some(path)),
            ModeSource::BuiltIn => ("built-in", None),
        };
        let path = path.map(|path| path.display().to_string());
        entries.push(ModeEntry { name, description: mode.description, source, path, confirmed, error: None });
    }
    if context.output.format == Format::Json {
        context.output.answer(&ModeList { results: entries })?;
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for ModeEntry { name, description, source, path, confirmed, error } in &entries {
        if let Some(error) = error {
            let _ = writeln!(text, "{PATH}{name}{PATH:#} {WARNING}{}{WARNING:#}", printable(error));
            continue;
        }
        let state = if *confirmed { "" } else { ", unconfirmed" };
        let place = path.as_deref().unwrap_or(source);
        let _ = writeln!(text, "{PATH}{name}{PATH:#} {DIM}{}{state}{DIM:#}", printable(place));
        if !description.is_empty() {
            let _ = writeln!(text, "  {}", printable(description));
        }
    }
    context.output.text(&text)?;
    Ok(Exit::Done)
}
