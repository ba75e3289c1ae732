//! `recall settle`: a decision between two memories that contradict each other.

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use recall_api::convert::scope;
use recall_api::v1;
use recall_client::Client;
use recall_core::Scope;

use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::memory::format_update;
use crate::output::human::style::{GOOD, PATH};
use crate::output::human::text::printable;
use crate::{Exit, args, complete};

/// Arguments of `recall settle`.
#[derive(Debug, Args)]
pub(crate) struct SettleArgs {
    /// The memory that holds.
    #[arg(value_name = "ID", value_parser = args::memory_id, add = ArgValueCompleter::new(complete::memories))]
    holds: String,
    /// The other one, which is deleted; its history stays in the journal.
    #[arg(value_name = "OTHER", value_parser = args::memory_id, add = ArgValueCompleter::new(complete::memories))]
    other: String,
    /// Both hold. The condition is added to the first one, which then names the other.
    #[arg(long, value_name = "CONDITION", num_args = 0..=1, default_missing_value = "")]
    both: Option<String>,
    /// The store of both: project or global.
    #[arg(long, default_value = "project", value_parser = args::scope)]
    scope: Scope,
}

pub(super) async fn run(args: SettleArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let SettleArgs { holds, other, both, scope } = args;
    if holds == other {
        return Err(CliError::usage("a memory does not contradict itself").into());
    }
    let client = context.connect().await?;
    let (kept, opposed) = (memory(&client, context, &holds).await?, memory(&client, context, &other).await?);
    match both {
        Some(condition) => hold_both(&client, context, &kept, &opposed, &condition).await,
        None => retire(&client, context, &kept, &opposed, scope).await,
    }
}

async fn memory(client: &Client, context: &CommandContext, id: &str) -> Result<v1::Memory, CommandError> {
    let request =
        v1::GetRequest { context: Some(context.request_context()), id: id.to_owned(), ..v1::GetRequest::default() };
    let answer = client.get(request).await?;
    Ok(answer.memory.ok_or_else(|| CliError::usage(format!("`{id}` is not a memory")))?)
}

/// Adds to a memory how it holds next to the other one. What names another memory has seen it, so that the pair is settled.
async fn hold_both(
    client: &Client,
    context: &CommandContext,
    kept: &v1::Memory,
    opposed: &v1::Memory,
    condition: &str,
) -> Result<Exit, CommandError> {
    let request = v1::UpdateRequest {
        context: Some(context.request_context()),
        id: kept.id.clone(),
        content: Some(format!("{}\n\n{}", kept.content.trim_end(), addition(&opposed.id, condition))),
        expected_updated_at: kept.updated_at,
        ..v1::UpdateRequest::default()
    };
    let answer = client.update(request).await?;
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.warn(&answer.warnings);
            output.text(&format_update(&answer.memory.unwrap_or_default()))?;
        }
    }
    Ok(Exit::Done)
}

fn addition(other: &str, condition: &str) -> String {
    match condition.trim() {
        "" => format!("This does not contradict {other}."),
        condition => format!("This holds next to {other}: {condition}"),
    }
}

/// Deletes the other memory.
async fn retire(
    client: &Client,
    context: &CommandContext,
    kept: &v1::Memory,
    opposed: &v1::Memory,
    scope: Scope,
) -> Result<Exit, CommandError> {
    let request = v1::RemoveRequest {
        context: Some(context.request_context()),
        items: vec![opposed.id.clone()],
        scope: scope::to_proto(scope).into(),
        purge: false,
    };
    let answer = client.remove(request).await?;
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            for failure in &answer.failures {
                output.note(&format!("{}: {}", printable(&failure.item), printable(&failure.reason)));
            }
            if answer.memories > 0 {
                output.text(&format!(
                    "{GOOD}holds{GOOD:#} {PATH}{}{PATH:#} {}\ndeleted {PATH}{}{PATH:#} {}; its history stays in the journal\n",
                    kept.id,
                    printable(&kept.title),
                    opposed.id,
                    printable(&opposed.title),
                ))?;
            }
        }
    }
    Ok(if answer.memories > 0 { Exit::Done } else { Exit::NothingFound })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_names_the_other_memory() {
        assert_eq!(addition("D-0123abcd", " "), "This does not contradict D-0123abcd.");
        assert_eq!(addition("D-0123abcd", "on Windows only."), "This holds next to D-0123abcd: on Windows only.");
    }
}
