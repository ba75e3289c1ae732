//! `recall related`

use clap::Args;
use recall_core::{DocumentType, Scope};
use recall_proto::convert::scope;
use recall_proto::v1;

use crate::complaint::CommandError;
use crate::invocation::Invocation;
use crate::output::Format;
use crate::output::human::related::render;
use crate::{Exit, args};

/// Arguments of `recall related`.
#[derive(Debug, Args)]
pub(crate) struct RelatedArgs {
    /// A path, a path with lines (`path:10-20`), a citation, or an id as shown by `recall search --json`.
    #[arg(value_name = "ID|PATH|CITATION")]
    id: String,
    /// Show only documents of these types.
    #[arg(long = "type", value_parser = args::document_type, value_delimiter = ',', value_name = "TYPE")]
    types: Vec<DocumentType>,
    /// The stores to look in: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
    /// The number of documents.
    #[arg(long, short, default_value_t = 10, value_name = "N")]
    limit: u32,
}

pub(super) async fn run(args: RelatedArgs, invocation: &Invocation) -> Result<Exit, CommandError> {
    let output = &invocation.output;
    let RelatedArgs { id, types, scope, limit } = args;
    let request = v1::RelatedRequest {
        context: Some(invocation.context()),
        id,
        scope: scope::to_proto(scope).into(),
        limit: Some(limit),
        types: types.into_iter().map(|kind| kind.as_str().to_owned()).collect(),
    };
    let answer = invocation.ask(async |client| client.related(request.clone()).await).await?;
    output.warn(&answer.warnings);
    if output.format == Format::Json {
        output.json(&recall_json::related(&answer))?;
    }
    if answer.results.is_empty() {
        output.say("nothing found");
        return Ok(Exit::NothingFound);
    }
    if output.format == Format::Human {
        output.text(&render(&answer.results, output.width))?;
    }
    Ok(Exit::Done)
}
