//! `recall session start`

use clap::Args;
use recall_api::v1;

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::session::{briefing, format_start};

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

pub(super) async fn run(args: StartArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let mut request_context = context.request_context();
    if let Some(id) = args.session {
        request_context.session_id = id;
    }
    let client = context.connect().await?;
    let request = v1::StartSessionRequest { context: Some(request_context), goal: args.goal, briefing: args.briefing };
    let answer = client.start_session(request).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.text(&format_start(&answer))?;
            if let Some(told) = &answer.briefing {
                output.warn(&told.warnings);
                output.text(&format!("\n{}", briefing(told)))?;
            }
            if !answer.recoverable_session_id.is_empty() {
                let id = &answer.recoverable_session_id;
                output.note(&format!("hint: session {id} broke off; `recall session recover {id}` keeps what it did"));
            }
        }
    }
    Ok(Exit::Done)
}
