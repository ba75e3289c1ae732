//! `recall history`

use anstyle::Style;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use recall_api::convert::scope;
use recall_api::v1;
use recall_core::Scope;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::style::DIM;
use crate::output::human::table::{Align, Column, render as table};
use crate::output::human::text::printable;
use crate::{Exit, args, complete};

/// Arguments of `recall history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// A path, or an id as shown by `recall search --json`.
    #[arg(value_name = "ID|PATH", add = ArgValueCompleter::new(complete::items))]
    id: String,
    /// The stores to look in: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
    /// The number of commits.
    #[arg(long, short, default_value_t = 20, value_name = "N")]
    limit: u32,
}

pub(super) async fn run(args: HistoryArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let HistoryArgs { id, scope, limit } = args;
    let request = v1::HistoryRequest {
        context: Some(context.request_context()),
        id,
        scope: scope::to_proto(scope).into(),
        limit: Some(limit),
    };
    let answer = context.ask(async |client| client.history(request.clone()).await).await?;
    output.warn(&answer.warnings);
    if output.format == Format::Json {
        output.answer(&answer)?;
    }
    if answer.commits.is_empty() {
        output.note(&format!("no commit has changed `{}`", printable(&answer.path)));
        return Ok(Exit::NothingFound);
    }
    if output.format == Format::Human {
        context.page(&text(&answer.commits, output.width))?;
    }
    Ok(Exit::Done)
}

/// Formats the commits as a table, the latest first.
fn text(commits: &[v1::Commit], width: Option<usize>) -> String {
    let column = |heading, style| Column { heading, align: Align::Left, style };
    let layout = [column("COMMIT", DIM), column("DAY", DIM), column("AUTHOR", DIM), column("SUBJECT", Style::new())];
    let row = |commit: &v1::Commit| {
        let v1::Commit { id, day, author, subject } = commit;
        [id, day, author, subject].map(|text| printable(text).into_owned())
    };
    let rows: Vec<_> = commits.iter().map(row).collect();
    table(&layout, &rows, width)
}
