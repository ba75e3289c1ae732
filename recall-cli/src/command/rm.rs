//! `recall rm`

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use recall_api::convert::scope;
use recall_api::v1::{self, Severity};
use recall_core::Scope;

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::quantity::count_noun;
use crate::{Exit, args, complete};

/// Arguments of `recall rm`.
#[derive(Debug, Args)]
pub(crate) struct RmArgs {
    /// Paths or ids; a directory means everything below it. The files themselves are not touched.
    #[arg(required = true, value_name = "ID|PATH", add = ArgValueCompleter::new(complete::items))]
    items: Vec<String>,
    /// The store to remove from: project or global.
    #[arg(long, default_value = "project", value_parser = args::scope)]
    scope: Scope,
    /// Drop the tombstones too, so that the next scan indexes the files again.
    #[arg(long)]
    purge: bool,
}

pub(super) async fn run(args: RmArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let RmArgs { items, scope, purge } = args;
    let output = &context.output;
    let client = context.connect().await?;
    let request = v1::RemoveRequest {
        context: Some(context.request_context()),
        items,
        scope: scope::to_proto(scope).into(),
        purge,
    };
    let answer = client.remove(request).await?;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => {
            output.warn(&failures(&answer));
            output.text(&summary(&answer))?;
        }
    }
    Ok(if answer.documents + answer.memories + answer.forgotten == 0 { Exit::NothingFound } else { Exit::Done })
}

fn summary(answer: &v1::RemoveResponse) -> String {
    let v1::RemoveResponse { documents, memories, forgotten, .. } = *answer;
    let mut lines = Vec::new();
    if documents > 0 || memories + forgotten == 0 {
        lines.push(format!("removed {} from the index\n", count_noun(documents, "document", "documents")));
    }
    if memories > 0 {
        lines.push(format!("deleted {}\n", count_noun(memories, "memory", "memories")));
    }
    if forgotten > 0 {
        let paths = count_noun(forgotten, "path", "paths");
        lines.push(format!("forgot what was decided about {paths}; only the ignore rules apply now\n"));
    }
    lines.concat()
}

fn failures(answer: &v1::RemoveResponse) -> Vec<v1::Warning> {
    let warning = |v1::ItemFailure { item, code, reason }: &v1::ItemFailure| v1::Warning {
        code: code.clone(),
        message: reason.clone(),
        hint: String::new(),
        path: item.clone(),
        severity: Severity::Warning.into(),
    };
    answer.failures.iter().map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_deleted_and_documents_only_removed_from_the_index() {
        let removed = |documents, memories| v1::RemoveResponse { documents, memories, ..v1::RemoveResponse::default() };
        assert_eq!(summary(&removed(0, 1)), "deleted 1 memory\n");
        assert_eq!(summary(&removed(1_200, 2)), "removed 1,200 documents from the index\ndeleted 2 memories\n");
        assert_eq!(summary(&removed(0, 0)), "removed 0 documents from the index\n");
    }
}
