//! `recall session`

mod list;
mod log;
mod show;
mod start;
mod stop;

use clap::Subcommand;
use recall_client::Client;
use recall_proto::Reason;
use recall_proto::v1::{self, RequestContext, SessionState};

use crate::Exit;
use crate::complaint::{CommandError, Complaint};
use crate::invocation::Invocation;

/// The commands of `recall session`.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    /// Begins a session and tells its id.
    #[command(after_help = examples!("recall session start --goal \"bounded retries\" --briefing"))]
    Start(start::StartArgs),
    /// Ends a session; its summary becomes a document of the project.
    #[command(after_help = examples!(
        "recall session end --summary \"Retries have a limit.\"",
        "recall session end S-0123 --reason exit",
    ))]
    End(stop::EndArgs),
    /// Recovers an interrupted session from its events and from git.
    #[command(after_help = examples!("recall session recover"))]
    Recover(stop::RecoverArgs),
    /// Lists the sessions of the project, the latest first.
    #[command(after_help = examples!("recall session list", "recall session list --state abandoned"))]
    List(list::ListArgs),
    /// Shows a session and what happened in it.
    #[command(after_help = examples!("recall session show", "recall session show --type decision,dead_end"))]
    Show(show::ShowArgs),
    /// Writes an event into the flight recorder of a session.
    #[command(after_help = examples!(
        "recall session log decision \"Use WAL\" --rationale \"Readers never wait.\" --file src/db.rs",
    ))]
    Log(Box<log::LogArgs>),
}

pub(super) async fn run(command: SessionCommand, invocation: &Invocation) -> Result<Exit, CommandError> {
    match command {
        SessionCommand::Start(args) => start::run(args, invocation).await,
        SessionCommand::End(args) => stop::end(args, invocation).await,
        SessionCommand::Recover(args) => stop::recover(args, invocation).await,
        SessionCommand::List(args) => list::run(args, invocation).await,
        SessionCommand::Show(args) => show::run(args, invocation).await,
        SessionCommand::Log(args) => log::run(*args, invocation).await,
    }
}

/// The context of a request in a session: the one that is named, else that of the environment, else the one that is open.
async fn in_session(
    client: &Client,
    named: Option<String>,
    invocation: &Invocation,
) -> Result<RequestContext, CommandError> {
    let context = invocation.context();
    if let Some(session_id) = named {
        return Ok(RequestContext { session_id, ..context });
    }
    if !context.session_id.is_empty() {
        return Ok(context);
    }
    let session_id = the_only(client, &context, SessionState::Open).await?;
    Ok(RequestContext { session_id, ..context })
}

/// What is said if no session of the project is in a state.
fn nothing_in(state: SessionState) -> &'static str {
    match state {
        SessionState::Abandoned => "nothing to recover: no session of this project was interrupted",
        SessionState::Open | SessionState::Ended | SessionState::Unspecified => "no session of this project is open",
    }
}

/// The one session of the project that is in a state.
async fn the_only(client: &Client, context: &RequestContext, state: SessionState) -> Result<String, CommandError> {
    let request = v1::ListSessionsRequest {
        context: Some(context.clone()),
        limit: Some(2),
        state: state.into(),
        ..v1::ListSessionsRequest::default()
    };
    let mut sessions = client.list_sessions(request).await?.sessions;
    match sessions.len() {
        1 => Ok(sessions.remove(0).id),
        0 => Err(Complaint::new(Exit::NothingFound, Reason::NotFound, nothing_in(state))
            .with_hint("`recall session list` shows all sessions")
            .into()),
        _ => Err(Complaint::usage("several sessions of this project come into question")
            .with_hint("name one of `recall session list`")
            .into()),
    }
}
