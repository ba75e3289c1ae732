//! `recall session keep`

use clap::Args;
use recall_api::v1;

use crate::Exit;
use crate::command::session::which::{Unnamed, in_session};
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::session::format_keep;

/// Arguments of `recall session keep`.
#[derive(Debug, Args)]
pub(crate) struct KeepArgs {
    /// The session [default: the one of the environment, or the newest].
    #[arg(value_name = "ID")]
    session: Option<String>,
}

pub(super) async fn run(args: KeepArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let client = context.connect().await?;
    let request_context = in_session(&client, args.session, Unnamed::Newest, context).await?;
    let session_id = request_context.session_id.clone();
    let answer = client.keep_session(v1::KeepSessionRequest { context: Some(request_context), session_id }).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.warn(&answer.warnings);
            output.text(&format_keep(&answer))?;
        }
    }
    Ok(Exit::Done)
}
