//! `recall session search` and `recall session fix`: what earlier sessions tell.

use clap::Args;
use recall_api::v1;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::quantity::count_noun;
use crate::output::human::transcript::{coverage_notes, format_fixes, format_turns};
use crate::{Exit, standard_input};

/// Arguments of `recall session search`.
#[derive(Debug, Args)]
pub(crate) struct SaidArgs {
    /// Words of what was asked, answered, or written by a command; `-` reads standard input.
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// The number of turns, 1 to 50.
    #[arg(long, short, default_value_t = 10, value_name = "N")]
    limit: u32,
}

pub(super) async fn run(args: SaidArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let query = standard_input::question(&args.query)?;
    let request =
        v1::SearchTranscriptsRequest { context: Some(context.request_context()), query, limit: Some(args.limit) };
    let answer = context.connect().await?.search_transcripts(request).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => context.page(&format_turns(&answer, output.screen()))?,
    }
    let coverage = answer.coverage.unwrap_or_default();
    for note in coverage_notes(&coverage) {
        output.note(&note);
    }
    if answer.turns.is_empty() {
        if coverage.on {
            output.note("nothing found in what was read");
        }
        return Ok(Exit::NothingFound);
    }
    Ok(Exit::Done)
}

/// Arguments of `recall session fix`.
#[derive(Debug, Args)]
pub(crate) struct FixArgs {
    /// The message of the error, or `-` for the output of the command on standard input.
    #[arg(required = true, value_name = "ERROR")]
    error: Vec<String>,
    /// The number of cases, 1 to 50.
    #[arg(long, short, default_value_t = 5, value_name = "N")]
    limit: u32,
}

pub(super) async fn run_fix(args: FixArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let error = standard_input::question(&args.error)?;
    let request = v1::FindFixRequest { context: Some(context.request_context()), error, limit: Some(args.limit) };
    let answer = context.connect().await?.find_fix(request).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => context.page(&format_fixes(&answer, output.screen()))?,
    }
    let coverage = answer.coverage.unwrap_or_default();
    for note in coverage_notes(&coverage) {
        output.note(&note);
    }
    if answer.fixes.is_empty() {
        let sessions = count_noun(answer.sessions, "recorded session", "recorded sessions");
        output.note(&format!("no command failed with this error in what was read, {sessions} among it"));
        return Ok(Exit::NothingFound);
    }
    Ok(Exit::Done)
}
