//! `recall daemon`

mod logs;

use clap::Subcommand;
use recall_client::Launch;
use recall_client::daemon::{self, Stopped};
use recall_proto::v1;

use crate::Exit;
use crate::complaint::CommandError;
use crate::invocation::Invocation;
use crate::output::json::{DaemonState, state};
use crate::output::{Format, human};

/// The commands of `recall daemon`.
#[derive(Debug, Subcommand)]
pub(crate) enum DaemonCommand {
    /// Starts the daemon, unless it runs.
    Start,
    /// Asks the daemon to finish, and waits until it has ended.
    Stop,
    /// Stops the daemon and starts it again.
    Restart,
    /// Tells whether the daemon runs, without starting it.
    Status,
    /// Shows the daemon's log.
    Logs(logs::LogsArgs),
}

pub(super) async fn run(command: DaemonCommand, invocation: &Invocation) -> Result<Exit, CommandError> {
    match command {
        DaemonCommand::Start => start(invocation).await,
        DaemonCommand::Stop => stop(invocation).await,
        DaemonCommand::Restart => {
            end(invocation, "restart").await?;
            start(invocation).await
        }
        DaemonCommand::Status => status(invocation).await,
        DaemonCommand::Logs(args) => logs::run(&args, invocation).await,
    }
}

async fn start(invocation: &Invocation) -> Result<Exit, CommandError> {
    let ran = daemon::is_running(&invocation.surroundings.homes);
    let client = invocation.connect_by(Launch::IfNeeded).await?;
    let identity = client.daemon();
    let already = if ran { "already " } else { "" };
    let text = format!("recalld {} is {already}running, pid {}\n", identity.version, identity.pid);
    let version = Some(identity.version.as_str());
    say(invocation, &text, DaemonState { running: true, changed: !ran, pid: Some(identity.pid), version })
}

async fn stop(invocation: &Invocation) -> Result<Exit, CommandError> {
    let (text, pid) = match end(invocation, "stop").await? {
        Stopped::Ended { pid } => (format!("recalld has ended, pid {pid}\n"), Some(pid)),
        Stopped::NotRunning => ("recalld is not running\n".to_owned(), None),
    };
    say(invocation, &text, DaemonState { running: false, changed: pid.is_some(), pid, version: None })
}

/// Ends the daemon, with the time for its requests in flight and as much again for itself.
async fn end(invocation: &Invocation, reason: &str) -> Result<Stopped, CommandError> {
    let deadline = invocation.settings()?.daemon.drain * 2;
    Ok(daemon::stop(&invocation.surroundings.homes, reason, deadline).await?)
}

async fn status(invocation: &Invocation) -> Result<Exit, CommandError> {
    let output = &invocation.output;
    let client = match invocation.connect_by(Launch::Never).await {
        Ok(client) => client,
        Err(CommandError::Complaint(complaint)) if !daemon::is_running(&invocation.surroundings.homes) => {
            if output.format == Format::Json {
                output.json(&state(DaemonState { running: false, changed: false, pid: None, version: None }))?;
                return Ok(Exit::Unreachable);
            }
            return Err(CommandError::Complaint(complaint));
        }
        Err(error) => return Err(error),
    };
    // Without a context, so that the project that the shell stands in has no part in it.
    let status = client.status(v1::StatusRequest { metrics: true, ..v1::StatusRequest::default() }).await?;
    let status = v1::StatusResponse { stores: Vec::new(), ..status };
    match output.format {
        Format::Json => output.json(&recall_json::status(&status))?,
        Format::Human => output.text(&human::status::render(&status, output.width))?,
    }
    Ok(Exit::Done)
}

fn say(invocation: &Invocation, text: &str, told: DaemonState<'_>) -> Result<Exit, CommandError> {
    match invocation.output.format {
        Format::Json => invocation.output.json(&state(told))?,
        Format::Human => invocation.output.text(text)?,
    }
    Ok(Exit::Done)
}
