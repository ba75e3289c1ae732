//! `recall get` and `recall history`: one item, and the commits that changed it.

use std::ops::RangeInclusive;

use anstyle::Style;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use recall_api::convert::scope;
use recall_api::v1;
use recall_core::Scope;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::human::item::{content, memory_text, render};
use crate::output::human::style::DIM;
use crate::output::human::table::{Align, Column, render as table};
use crate::output::human::text::printable;
use crate::output::{Format, Output};
use crate::{Exit, args, complete, project_root};

/// Arguments of `recall get`.
#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    /// A path or the end of one, with lines (`path:10-20`, `path:10`) or without, a citation, or an id as shown by `recall search --json`.
    #[arg(value_name = "ID|PATH|CITATION", add = ArgValueCompleter::new(complete::items))]
    id: String,
    /// The stores to look in: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
    /// Show the whole document that contains the chunk.
    #[arg(long)]
    parent: bool,
    /// Show only these lines of a document: `10-20`, `10-`, `-20` or `10`.
    #[arg(long, value_parser = lines, value_name = "FROM-TO", allow_hyphen_values = true)]
    lines: Option<RangeInclusive<u32>>,
}

pub(super) async fn run(args: GetArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let GetArgs { id, scope, parent, lines } = args;
    let request = v1::GetRequest {
        context: Some(context.request_context()),
        id,
        scope: scope::to_proto(scope).into(),
        include_parent: parent,
        start_line: lines.as_ref().map(|lines| *lines.start()),
        end_line: lines.map(|lines| *lines.end()).filter(|last| *last != u32::MAX),
        ..v1::GetRequest::default()
    };
    let answer = context.ask(async |client| client.get(request.clone()).await).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.warn(&answer.warnings);
            match output.width {
                Some(_) => context.page(&render(&answer, output.screen(), project_root::links(context).as_ref()))?,
                None => match &answer.memory {
                    Some(memory) => Output::raw(&memory_text(memory, content(&answer).0))?,
                    // A pipe gets only the text of the file, byte for byte.
                    None => Output::raw(content(&answer).0)?,
                },
            }
        }
    }
    Ok(Exit::Done)
}

/// Parses a range of lines, both ends included.
fn lines(text: &str) -> Result<RangeInclusive<u32>, String> {
    let number = |text: &str, otherwise: u32| match text {
        "" => Ok(otherwise),
        _ => text
            .parse::<u32>()
            .ok()
            .filter(|number| *number > 0)
            .ok_or_else(|| format!("`{text}` is not a line number")),
    };
    // A colon is accepted too, because other tools write it.
    let (first, last) = match text.split_once(['-', ':']) {
        Some((first, last)) => (number(first, 1)?, number(last, u32::MAX)?),
        None => (number(text, 1)?, number(text, u32::MAX)?),
    };
    if first > last { Err(format!("line {last} is before line {first}")) } else { Ok(first..=last) }
}

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

pub(super) async fn run_history(args: HistoryArgs, context: &CommandContext) -> Result<Exit, CommandError> {
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
        if answer.commits.len() >= limit as usize {
            output.left_out(&format!("the latest {limit} commits · there may be more: raise --limit"));
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_a_range_with_open_ends() {
        assert_eq!(lines("10-20"), Ok(10..=20));
        assert_eq!(lines("10:20"), Ok(10..=20));
        assert_eq!(lines("10-"), Ok(10..=u32::MAX));
        assert_eq!(lines("-20"), Ok(1..=20));
        assert_eq!(lines("7"), Ok(7..=7));
        for wrong in ["9-3", "0-3", "a", "1-b", "1:2:3"] {
            assert!(lines(wrong).is_err(), "{wrong}");
        }
    }
}
