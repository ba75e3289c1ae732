//! `recall query`

use std::fs;
use std::io::{self, Read};

use clap::Args;
use recall_api::convert::exact;
use recall_core::rql::MOST_BYTES;
use recall_core::{Explain, Scope};

use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::rows::{plan, render};
use crate::{Exit, args};

/// Arguments of `recall query`.
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// The statement, `@FILE` to read it from a file, or `@-` from standard input.
    #[arg(long, value_name = "TEXT|@FILE")]
    rql: String,
    /// The stores to read: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
    /// Show what the catalog evaluated, what was evaluated on each row, and what was read.
    #[arg(long)]
    explain: bool,
}

pub(super) async fn run(args: QueryArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let QueryArgs { rql, scope, explain } = args;
    let rql = match rql.strip_prefix('@') {
        Some(file) => read(file)?,
        None => rql,
    };
    let explain = if explain { Explain::On } else { Explain::Off };
    let request = exact::query_to_proto(exact::QueryCall { context: context.request_context(), rql, scope, explain });
    let answer = context.ask(async |client| client.query(request.clone()).await).await?;
    let output = &context.output;
    match output.format {
        Format::Json => output.json(&recall_api::json::rows(&answer))?,
        Format::Human => {
            output.warn(&answer.warnings);
            output.text(&render(&answer))?;
            output.text(&plan(&answer))?;
            if let Some(offset) = answer.next_offset {
                output.status_line(&format!("\nmore rows follow: continue with OFFSET {offset}"));
            }
        }
    }
    if answer.results.is_empty() {
        output.note("no row satisfies the statement");
        return Ok(Exit::without_hits(&answer.warnings));
    }
    Ok(Exit::Done)
}

/// Reads a file or standard input, up to one byte more than a statement may have: enough for the daemon to reject it.
fn read(file: &str) -> Result<String, CommandError> {
    let mut text = String::new();
    let limit = MOST_BYTES as u64 + 1;
    let read = match file {
        "-" => io::stdin().lock().take(limit).read_to_string(&mut text),
        path => fs::File::open(path).and_then(|file| file.take(limit).read_to_string(&mut text)),
    };
    read.map_err(|error| CliError::refusal(format!("cannot read the statement from `{file}`"), &error))?;
    Ok(text)
}
