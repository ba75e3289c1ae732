//! `recall publish`

use std::fmt::Write as _;

use clap::Args;
use recall_api::v1;
use recall_text::quantity::{count, count_noun};

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::text::printable;

/// Arguments of `recall publish`.
#[derive(Debug, Args)]
pub(crate) struct PublishArgs {
    /// The shared store, by its name in `recall.toml`; not needed if there is only one.
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    store: String,
    /// The name of the repository [default: that of the remote `origin`].
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    repository: String,
    /// The name of the branch [default: the one that is checked out].
    #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
    branch: String,
    /// Compare the server's documents with those here one by one, and send again what is missing.
    #[arg(long)]
    verify: bool,
}

pub(super) async fn run(args: PublishArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let PublishArgs { store, repository, branch, verify } = args;
    let request = v1::PublishRequest { context: Some(context.request_context()), store, repository, branch, verify };
    let answer = context.ask(async |client| client.publish(request.clone()).await).await?;
    let output = &context.output;
    match output.format {
        Format::Json => output.answer(&answer)?,
        Format::Human => output.text(&human(&answer, verify))?,
    }
    Ok(Exit::Done)
}

fn human(answer: &v1::PublishResponse, verified: bool) -> String {
    let v1::PublishResponse {
        store,
        repository,
        branch,
        generation,
        documents,
        sent_documents,
        removed_documents,
        sent_chunks,
        known_chunks,
        differences,
        difference_count,
        took_ms,
    } = answer;
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} branch {} in {}: {}, generation {generation}",
        printable(repository),
        printable(branch),
        printable(store),
        count_noun(*documents, "document", "documents"),
    );
    let _ = writeln!(
        text,
        "sent {} with {} ({} were there), removed {}, in {:.1} s",
        count_noun(*sent_documents, "document", "documents"),
        count_noun(*sent_chunks, "new chunk", "new chunks"),
        count(*known_chunks),
        count_noun(*removed_documents, "document", "documents"),
        took_ms / 1e3,
    );
    if verified {
        let found = count_noun(*difference_count, "difference", "differences");
        let _ = writeln!(text, "verified: {found}{}", if *difference_count > 0 { ", repaired" } else { "" });
        for v1::ItemFailure { item, code, .. } in differences {
            let _ = writeln!(text, "  {} {}", code.to_lowercase(), printable(item));
        }
    }
    text
}
