//! `recall session handoff` and `recall session resume`

use clap::Args;
use recall_api::{Reason, v1};

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::text::printable;
use crate::output::human::transcript::coverage_notes;

/// Arguments of `recall session handoff`.
#[derive(Debug, Args)]
pub(crate) struct HandOffArgs {
    /// The session, or the beginning of its id [default: the latest of the project].
    #[arg(value_name = "ID")]
    session: Option<String>,
    /// The most tokens of the packet, 1 to 20000.
    #[arg(long, default_value_t = 2_000, value_name = "N")]
    budget_tokens: u32,
}

/// Arguments of `recall session resume`.
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The session, or the beginning of its id [default: the latest of the project].
    #[arg(value_name = "ID")]
    session: Option<String>,
}

/// Prints the packet with which another agent goes on.
pub(super) async fn hand_off(args: HandOffArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let answer = ask(args.session, Some(args.budget_tokens), context).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => output.text(&answer.text)?,
    }
    let coverage = answer.coverage.unwrap_or_default();
    if !answer.transcript {
        let missing =
            if coverage.on { "its transcript is not among those that were read" } else { "without its transcript" };
        output.note(&format!("made of what recall recorded, {missing}"));
        for note in coverage_notes(&coverage) {
            output.note(&note);
        }
    }
    Ok(Exit::Done)
}

/// Prints the command with which the session's own client resumes it.
pub(super) async fn resume(args: ResumeArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let answer = ask(args.session, None, context).await?;
    if output.format == Format::Json {
        output.answer(&answer)?;
    }
    if answer.resume.is_empty() {
        let whose = match &*answer.client {
            "" => "it is not known which agent ran it".to_owned(),
            client => format!("the command with which {} resumes a session is not known", printable(client)),
        };
        if output.format == Format::Json {
            return Ok(Exit::NothingFound);
        }
        let error =
            CliError::new(Exit::NothingFound, Reason::NotFound, format!("session {}: {whose}", answer.session_id));
        return Err(error.with_hint("`recall session handoff` prints what another agent needs to go on").into());
    }
    if output.format == Format::Human {
        let words = answer.resume.iter().map(String::as_str);
        let line = shlex::try_join(words).map_err(|_| CliError::usage("the id of the session has a zero byte"))?;
        output.text(&format!("{}\n", printable(&line)))?;
    }
    Ok(Exit::Done)
}

async fn ask(
    session: Option<String>,
    budget_tokens: Option<u32>,
    context: &CommandContext,
) -> Result<v1::HandOffResponse, CommandError> {
    let request_context = context.request_context();
    let session_id = session.unwrap_or_else(|| request_context.session_id.clone());
    let request = v1::HandOffRequest { context: Some(request_context), session_id, budget_tokens };
    Ok(context.connect().await?.hand_off(request).await?)
}
