//! `recall search --exact` and `recall search --regex`

use recall_api::{nothing_matches, v1};

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::exact::{render, summary};

pub(super) async fn run(request: v1::ExactRequest, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let answer = context.ask(async |client| client.exact(request.clone()).await).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.warn(&answer.warnings);
            context.page(&render(&answer))?;
        }
    }
    if answer.results.is_empty() {
        let request_offset = answer.query.as_ref().map_or(0, |query| query.offset);
        if request_offset > 0 && answer.total_lines > 0 {
            output.note(&format!("no more lines: {}", summary(&answer)));
        } else {
            output.note(&nothing_matches(&answer));
        }
        return Ok(Exit::NothingFound);
    }
    output.note(&format!("\n{}", summary(&answer)));
    Ok(Exit::Done)
}
