//! `recall session start`

use clap::Args;
use recall_proto::v1;

use crate::Exit;
use crate::complaint::CommandError;
use crate::invocation::Invocation;
use crate::output::Format;
use crate::output::human::session::{briefing, started};

/// Arguments of `recall session start`.
#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    /// The goal of the session.
    #[arg(long, short, default_value = "", hide_default_value = true, value_name = "TEXT")]
    goal: String,
    /// The session's id [default: the one of the environment, or a new one].
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print the briefing for the session.
    #[arg(long)]
    briefing: bool,
}

pub(super) async fn run(args: StartArgs, invocation: &Invocation) -> Result<Exit, CommandError> {
    let output = &invocation.output;
    let mut context = invocation.context();
    if let Some(id) = args.session {
        context.session_id = id;
    }
    let client = invocation.connect().await?;
    let request = v1::StartSessionRequest { context: Some(context), goal: args.goal, briefing: args.briefing };
    let answer = client.start_session(request).await?;
    match output.format {
        Format::Json => output.json(&recall_json::started(&answer))?,
        Format::Human => {
            output.text(&started(&answer))?;
            if let Some(told) = &answer.briefing {
                output.warn(&told.warnings);
                output.text(&format!("\n{}", briefing(told)))?;
            }
            if !answer.recoverable_session_id.is_empty() {
                let id = &answer.recoverable_session_id;
                output.say(&format!("hint: session {id} broke off; `recall session recover {id}` keeps what it did"));
            }
        }
    }
    Ok(Exit::Done)
}
