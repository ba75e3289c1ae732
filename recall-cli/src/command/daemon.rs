//! `recall daemon`

mod logs;

use clap::Subcommand;
use recall_api::v1;
use recall_client::daemon::{self, Holder, StopMethod, Stopped};
use recall_client::{Client, ConnectError, Launch};

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::json::{DaemonState, state};
use crate::output::{Format, human};

/// The commands of `recall daemon`.
#[derive(Debug, Subcommand)]
pub(crate) enum DaemonCommand {
    /// Start the daemon if it is not running.
    #[command(after_help = examples!("recall daemon start"))]
    Start,
    /// Stop the daemon and wait until it has exited. Terminate it if it does not respond.
    ///
    /// The daemon of a service is started again for the next client: see `recall service uninstall`.
    #[command(after_help = examples!("recall daemon stop"))]
    Stop,
    /// Stop the daemon and start it again.
    #[command(after_help = examples!("recall daemon restart"))]
    Restart,
    /// Show whether the daemon is running, without starting it.
    #[command(after_help = examples!("recall daemon status", "recall daemon status --json"))]
    Status,
    /// Show the daemon's log.
    #[command(after_help = examples!("recall daemon logs --follow", "recall daemon logs -n 200"))]
    Logs(logs::LogsArgs),
}

pub(super) async fn run(command: DaemonCommand, context: &CommandContext) -> Result<Exit, CommandError> {
    match command {
        DaemonCommand::Start => start(context).await,
        DaemonCommand::Stop => stop(context).await,
        DaemonCommand::Restart => {
            let stopped = end(context, "restart").await?;
            if let Stopped::Ended { pid, by: by @ (StopMethod::Terminate | StopMethod::Kill) } = stopped {
                context.output.note(end_message(pid, name_of(by)).trim_end());
            }
            start(context).await
        }
        DaemonCommand::Status => status(context).await,
        DaemonCommand::Logs(args) => logs::run(&args, context).await,
    }
}

async fn start(context: &CommandContext) -> Result<Exit, CommandError> {
    let before = Holder::find(&context.process_env.dirs);
    let client = context.connect_by(Launch::IfNeeded).await?;
    let identity = client.daemon();
    // An older daemon is replaced.
    let ran = before.is_some_and(|holder| holder.pid().is_none_or(|pid| pid == identity.pid));
    let already = if ran { "already " } else { "" };
    let text = format!("recalld {} is {already}running, pid {}\n", identity.version, identity.pid);
    let version = Some(identity.version.as_str());
    let state =
        DaemonState { running: true, changed: !ran, pid: Some(identity.pid), version, ..DaemonState::default() };
    report(context, &text, state)
}

async fn stop(context: &CommandContext) -> Result<Exit, CommandError> {
    let state = match end(context, "stop").await? {
        Stopped::Ended { pid, by } => {
            DaemonState { changed: true, pid: Some(pid), ended_by: Some(name_of(by)), ..DaemonState::default() }
        }
        Stopped::NotRunning => DaemonState::default(),
    };
    let text = match (state.pid, state.ended_by) {
        (Some(pid), Some(by)) => end_message(pid, by),
        _ => "recalld is not running\n".to_owned(),
    };
    report(context, &text, state)
}

/// Describes how a daemon was ended.
fn end_message(pid: u32, by: &str) -> String {
    match by {
        "request" => format!("recalld has ended, pid {pid}\n"),
        "SIGKILL" => format!("recalld did not end in time and was killed with SIGKILL, pid {pid}\n"),
        _ => format!("recalld did not answer and was ended with {by}, pid {pid}\n"),
    }
}

fn name_of(by: StopMethod) -> &'static str {
    match by {
        StopMethod::Request => "request",
        StopMethod::Terminate => "SIGTERM",
        StopMethod::Kill => "SIGKILL",
    }
}

/// Stops the daemon. Requests in flight may finish within the drain time of the settings.
async fn end(context: &CommandContext, reason: &str) -> Result<Stopped, CommandError> {
    let drain = context.settings().daemon.drain;
    Ok(daemon::stop(&context.process_env.dirs, reason, drain).await?)
}

async fn status(context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let client = match Client::connect(&context.options(Launch::Never, &context.settings())).await {
        Ok(client) => client,
        Err(ConnectError::Unreachable { holder, socket, why, waited, .. }) => {
            return unreachable(context, &holder, &why.describe(&socket, waited));
        }
        Err(ConnectError::NotRunning { .. }) if output.format == Format::Json => {
            output.json(&state(DaemonState::default()))?;
            return Ok(Exit::Unreachable);
        }
        Err(error) => return Err(error.into()),
    };
    // Without a context, so that the status does not depend on the project of the working directory.
    let status = client.status(v1::StatusRequest { metrics: true, ..v1::StatusRequest::default() }).await?;
    let status = v1::StatusResponse { stores: Vec::new(), ..status };
    match output.format {
        Format::Json => output.answer(&status)?,
        Format::Human => output.text(&human::status::render(&status, output.screen()))?,
    }
    Ok(Exit::Done)
}

/// Reports a daemon that is running but does not respond.
fn unreachable(context: &CommandContext, holder: &Holder, why: &str) -> Result<Exit, CommandError> {
    let since = holder.since().and_then(|since| jiff::Timestamp::from_millisecond(since.as_millis()).ok());
    let since = since.map(|since| since.to_string());
    let told = since.as_ref().map(|since| format!(", since {since}")).unwrap_or_default();
    let text = format!("recalld is running ({holder}{told}), not reachable: {why}\n");
    let state = DaemonState {
        running: true,
        pid: holder.pid(),
        unreachable: Some(why),
        since: since.as_deref(),
        ..DaemonState::default()
    };
    report(context, &text, state)?;
    context.output.note("hint: `recall daemon restart` ends it and starts another");
    Ok(Exit::Unreachable)
}

fn report(context: &CommandContext, text: &str, told: DaemonState<'_>) -> Result<Exit, CommandError> {
    match context.output.format {
        Format::Json => context.output.json(&state(told))?,
        Format::Human => context.output.text(text)?,
    }
    Ok(Exit::Done)
}
