//! `recall graph`

use clap::Args;
use recall_core::{Relation, Scope};
use recall_proto::convert::{relation, scope};
use recall_proto::v1;

use crate::complaint::CommandError;
use crate::invocation::Invocation;
use crate::output::Format;
use crate::output::human::graph::render;
use crate::output::human::quantity::counted;
use crate::{Exit, args};

/// Arguments of `recall graph`.
#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    /// A symbol (`Store::open`, `open`), a path, or an id as shown by `recall search --json`.
    #[arg(value_name = "SYMBOL|PATH|ID")]
    node: String,
    #[arg(help = "Only these relations: imports, imported_by, defines, references, relates_to, supersedes")]
    #[arg(long = "relation", short, value_parser = args::relation, value_delimiter = ',', value_name = "RELATION")]
    relations: Vec<Relation>,
    /// The maximum distance in edges, 1 to 5.
    #[arg(long, short, default_value_t = 1, value_name = "N")]
    depth: u32,
    /// The maximum number of nodes, 1 to 200.
    #[arg(long, short, default_value_t = 50, value_name = "N")]
    limit: u32,
    /// The stores to look in: project, global, domain or all.
    #[arg(long, default_value = "all", value_parser = args::scope)]
    scope: Scope,
}

pub(super) async fn run(args: GraphArgs, invocation: &Invocation) -> Result<Exit, CommandError> {
    let output = &invocation.output;
    let GraphArgs { node, relations, depth, limit, scope } = args;
    let request = v1::GraphRequest {
        context: Some(invocation.context()),
        node,
        relations: relation::to_proto(&relations),
        depth: Some(depth),
        limit: Some(limit),
        scope: scope::to_proto(scope).into(),
    };
    let answer = invocation.ask(async |client| client.graph(request.clone()).await).await?;
    output.warn(&answer.warnings);
    if output.format == Format::Json {
        output.json(&recall_json::graph(&answer))?;
    }
    let is_alone = answer.edges.is_empty();
    if is_alone {
        output.say("nothing found");
    } else if output.format == Format::Human {
        output.text(&render(&answer, output.width))?;
        let nodes = counted(answer.nodes.len() as u64, "node", "nodes");
        let edges = counted(answer.edges.len() as u64, "edge", "edges");
        let more = if answer.truncated { " · there is more: raise --limit or name a --relation" } else { "" };
        output.murmur(&format!("\n{nodes}, {edges}{more}"));
    }
    Ok(if is_alone { Exit::NothingFound } else { Exit::Done })
}
