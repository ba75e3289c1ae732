//! `recall briefing`

use clap::Args;
use recall_api::v1::{self, BriefingSubject};

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::session::briefing;
use crate::progress::patiently;

/// Arguments of `recall briefing`.
#[derive(Debug, Args)]
pub(crate) struct BriefingArgs {
    /// The goal of the session; adds what is known about it to the briefing.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    goal: String,
    /// Print what the session of the environment did so far, for an agent that lost its context.
    #[arg(long, conflicts_with = "goal")]
    session: bool,
    /// The maximum number of tokens, 1 to 20,000.
    #[arg(long, default_value_t = 2_000, value_name = "N")]
    budget_tokens: u32,
}

pub(super) async fn run(args: BriefingArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let BriefingArgs { goal, session, budget_tokens } = args;
    let client = context.connect().await?;
    let subject = if session { BriefingSubject::Session } else { BriefingSubject::Unspecified };
    let request = v1::BriefingRequest {
        context: Some(context.request_context()),
        budget_tokens: Some(budget_tokens),
        goal,
        subject: subject.into(),
    };
    let asked = client.briefing(request);
    let answer = patiently(&client, context.request_context(), output.format, asked).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.warn(&answer.warnings);
            output.text(&briefing(&answer))?;
        }
    }
    Ok(Exit::Done)
}
