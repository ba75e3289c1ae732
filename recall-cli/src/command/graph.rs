//! `recall graph`

use std::fmt::Write as _;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use recall_api::convert::scope;
use recall_api::{Neighbours, convert, neighbours, v1};
use recall_core::{Relation, Scope};

use crate::command_context::CommandContext;
use crate::error::CommandError;
use crate::output::Format;
use crate::output::human::quantity::count_noun;
use crate::output::human::style::{DIM, PATH, STRONG, SYMBOL};
use crate::output::human::text::{columns, fit_path, printable};
use crate::{Exit, args, complete};

/// Arguments of `recall graph`.
#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    /// A symbol (`Store::open`, `open`), a path, or an id as shown by `recall search --json`.
    #[arg(value_name = "SYMBOL|PATH|ID", add = ArgValueCompleter::new(complete::symbols))]
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

pub(super) async fn run(args: GraphArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let output = &context.output;
    let GraphArgs { node, relations, depth, limit, scope } = args;
    let relations = convert::relations_to_proto(&relations);
    let request = v1::GraphRequest {
        context: Some(context.request_context()),
        node,
        relations: relations.clone(),
        depth: Some(depth),
        limit: Some(limit),
        scope: scope::to_proto(scope).into(),
    };
    let answer = context.ask(async |client| client.graph(request.clone()).await).await?;
    output.warn(&answer.warnings);
    if output.format == Format::Json {
        output.answer(&answer)?;
    }
    let is_alone = answer.edges.is_empty();
    if is_alone {
        output.note("nothing found");
    } else if output.format == Format::Human {
        context.page(&text(&answer, &relations, output.width))?;
        let nodes = count_noun(answer.nodes.len() as u64, "node", "nodes");
        let edges = count_noun(answer.edges.len() as u64, "edge", "edges");
        if answer.truncated {
            output.left_out(&format!("{nodes}, {edges} · there is more: raise --limit or name a --relation"));
        } else {
            output.status_line(&format!("\n{nodes}, {edges}"));
        }
    }
    Ok(if is_alone { Exit::without_hits(&answer.warnings) } else { Exit::Done })
}

/// Formats each node that has further neighbours, nearest first, with its neighbours grouped by relation.
fn text(graph: &v1::GraphResponse, relations: &[String], width: Option<usize>) -> String {
    let mut text = String::new();
    for Neighbours { node, by_relation } in neighbours(graph, relations) {
        let separator = if text.is_empty() { "" } else { "\n" };
        let (name, about) = (name(node), about(node, 0));
        let space = if about.is_empty() { "" } else { "  " };
        let _ = writeln!(text, "{separator}{STRONG}{name}{STRONG:#}{space}{DIM}{about}{DIM:#}");
        for (words, others) in by_relation {
            let _ = writeln!(text, "  {DIM}{words}{DIM:#}");
            write_aligned(&mut text, &others, width);
        }
    }
    text
}

/// Writes the nodes in two aligned columns: names and descriptions.
fn write_aligned(text: &mut String, nodes: &[&v1::GraphNode], width: Option<usize>) {
    /// A longer name does not widen the column.
    const WIDEST: usize = 44;
    let names: Vec<String> = nodes.iter().map(|node| name(node)).collect();
    let widest = names.iter().map(|name| columns(name)).filter(|width| *width <= WIDEST).max().unwrap_or(0);
    let widest_kind = nodes.iter().map(|node| node.symbol_kind.len()).max().unwrap_or(0);
    for (node, name) in nodes.iter().zip(&names) {
        let style = if node.kind == "symbol" { SYMBOL } else { PATH };
        let about = about(node, widest_kind);
        if about.is_empty() {
            let name = fit_path(name, width.map(|width| width.saturating_sub(4)));
            let _ = writeln!(text, "    {style}{name}{style:#}");
            continue;
        }
        let padding = " ".repeat(widest.saturating_sub(columns(name)));
        let left = width.map(|width| width.saturating_sub(4 + widest.max(columns(name)) + 2).max(12));
        let about = fit_path(&about, left);
        let _ = writeln!(text, "    {style}{name}{style:#}{padding}  {DIM}{about}{DIM:#}");
    }
}

fn name(node: &v1::GraphNode) -> String {
    let name = if node.kind == "document" && !node.path.is_empty() { &node.path } else { &node.label };
    printable(name).into_owned()
}

/// Formats the kind of a symbol, padded to a width, and its location; marks nodes outside the store.
fn about(node: &v1::GraphNode, kind_width: usize) -> String {
    match node.kind.as_str() {
        "symbol" => {
            let v1::GraphNode { path, start_line, end_line, symbol_kind, .. } = node;
            printable(&format!("{symbol_kind:kind_width$}  {path}:{start_line}-{end_line}")).into_owned()
        }
        "external" => "outside".to_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(path: &str, distance: u32) -> v1::GraphNode {
        v1::GraphNode {
            id: path.to_owned(),
            kind: "document".to_owned(),
            path: path.to_owned(),
            distance,
            ..v1::GraphNode::default()
        }
    }

    fn edge(from: &str, relation: &str, to: &str) -> v1::GraphEdge {
        v1::GraphEdge { from: from.to_owned(), to: to.to_owned(), relation: relation.to_owned() }
    }

    #[test]
    fn neighbours_are_listed_below_their_node_by_relation() {
        let symbol = |name: &str, path: &str, line, distance| v1::GraphNode {
            id: name.to_owned(),
            kind: "symbol".to_owned(),
            label: name.to_owned(),
            path: path.to_owned(),
            start_line: line,
            end_line: line + 9,
            distance,
            symbol_kind: "method".to_owned(),
            ..v1::GraphNode::default()
        };
        let outside = v1::GraphNode {
            id: "x".to_owned(),
            kind: "external".to_owned(),
            label: "std::fs".to_owned(),
            distance: 1,
            ..v1::GraphNode::default()
        };
        let graph = v1::GraphResponse {
            nodes: vec![
                document("src/ledger.rs", 0),
                document("src/gateway.rs", 1),
                symbol("Gateway::charge", "src/gateway.rs", 5, 1),
                symbol("Gateway::refund_everything", "src/gateway.rs", 20, 1),
                outside,
                document("src/lib.rs", 2),
            ],
            edges: vec![
                edge("src/ledger.rs", "imports", "src/gateway.rs"),
                edge("src/ledger.rs", "imports", "x"),
                edge("src/ledger.rs", "references", "Gateway::charge"),
                edge("src/ledger.rs", "references", "Gateway::refund_everything"),
                edge("src/gateway.rs", "defines", "Gateway::charge"),
                edge("src/lib.rs", "imports", "src/gateway.rs"),
            ],
            ..v1::GraphResponse::default()
        };
        insta::assert_snapshot!(anstream::adapter::strip_str(&text(&graph, &[], None)), @r"
        src/ledger.rs
          imports
            src/gateway.rs
            std::fs         outside
          uses
            Gateway::charge             method  src/gateway.rs:5-14
            Gateway::refund_everything  method  src/gateway.rs:20-29

        src/gateway.rs
          imported by
            src/lib.rs
          defines
            Gateway::charge  method  src/gateway.rs:5-14
        ");
        insta::assert_snapshot!(anstream::adapter::strip_str(&text(&graph, &[], Some(48))).to_string().lines().nth(5)
            .expect("a line"), @"    Gateway::charge             …gateway.rs:5-14");
    }
}
