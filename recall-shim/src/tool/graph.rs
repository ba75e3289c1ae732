//! `recall_graph`

use std::fmt::Write as _;

use recall_api::v1::{GraphNode, GraphRequest, GraphResponse, Scope};
use recall_api::{Neighbours, neighbours};
use recall_text::quantity::count_noun;
use serde::Deserialize;

use crate::answer::{Answer, Format};
use crate::error::{Doing, ToolError};
use crate::json;
use crate::render::{ANSWER_CHARS, TAIL_CHARS, chars, inline, notes};
use crate::tool::call::{Call, ScopeArgument};

#[derive(Debug, Deserialize)]
pub(super) struct Arguments {
    node: String,
    #[serde(default)]
    relations: Vec<String>,
    depth: Option<u32>,
    limit: Option<u32>,
    #[serde(default)]
    scope: ScopeArgument,
    #[serde(default)]
    format: Format,
}

pub(super) async fn call(arguments: Arguments, call: Call<'_>) -> Result<Answer, ToolError> {
    let Arguments { node, relations, depth, limit, scope, format } = arguments;
    let scope = Scope::from(scope).into();
    let asked = relations.clone();
    let request = GraphRequest { context: Some(call.context.clone()), node, relations, depth, limit, scope };
    let graph = call.daemon.call(Doing::Reading, |client| {
        let request = request.clone();
        async move { client.graph(request).await }
    });
    let response = graph.await?;
    Ok(match format {
        Format::Text => Answer::Text(text(&response, &asked)),
        Format::Json => Answer::Json(json::graph(&response)),
    })
}

/// Formats the nodes, nearest first, each with its neighbours by relation. Nodes that do not fit are left out, with a note.
fn text(response: &GraphResponse, relations: &[String]) -> String {
    let GraphResponse { nodes, edges, truncated, generation: _, warnings } = response;
    let mut text = notes(warnings, None);
    if edges.is_empty() {
        let asked = nodes.first().map(node_name).unwrap_or_default();
        let _ = write!(text, "No neighbours of {asked}. Try other relations, or recall_search for its name.");
        return text;
    }
    let count = count_noun(nodes.len() as u64, "node", "nodes");
    let _ = writeln!(text, "{count} by their relations, nearest first:");
    let mut is_cut = *truncated;
    'nodes: for Neighbours { node, by_relation } in neighbours(response, relations) {
        let mut heading = Some(format!("\n{}\n", node_name(node)));
        for (words, others) in by_relation {
            for other in others {
                let line = format!("- {words} {}\n", node_name(other));
                if chars(&text) + chars(&line) + heading.as_deref().map_or(0, chars) > ANSWER_CHARS - TAIL_CHARS {
                    is_cut = true;
                    break 'nodes;
                }
                text.extend(heading.take());
                text.push_str(&line);
            }
        }
    }
    if is_cut {
        text.push_str("\nThere is more: name fewer relations, or start at one of these nodes.");
    }
    text
}

/// Formats a node with its location.
fn node_name(node: &GraphNode) -> String {
    let GraphNode { id: _, kind, label, path, start_line, end_line, distance: _, doc_id: _, symbol_kind } = node;
    match kind.as_str() {
        "symbol" => {
            let label = inline(label, 160);
            format!("{label} ({} {}:{start_line}-{end_line})", inline(symbol_kind, 20), inline(path, 400))
        }
        "external" => format!("{} (outside of the project)", inline(label, 300)),
        _ => inline(if path.is_empty() { label } else { path }, 400),
    }
}

#[cfg(test)]
mod tests {
    use recall_api::v1::GraphEdge;

    use super::*;

    fn node(id: &str, kind: &str, path: &str) -> GraphNode {
        GraphNode {
            id: id.to_owned(),
            kind: kind.to_owned(),
            label: id.to_owned(),
            path: path.to_owned(),
            start_line: 5,
            end_line: 9,
            symbol_kind: "method".to_owned(),
            ..GraphNode::default()
        }
    }

    fn edge(from: &str, relation: &str, to: &str) -> GraphEdge {
        GraphEdge { from: from.to_owned(), to: to.to_owned(), relation: relation.to_owned() }
    }

    #[test]
    fn neighbours_are_shown_by_relation() {
        let response = GraphResponse {
            nodes: vec![
                node("Gateway::charge", "symbol", "src/gateway.rs"),
                node("src/gateway.rs", "document", "src/gateway.rs"),
                node("Ledger::re\u{202e}cord", "symbol", "src/ledger.rs"),
                node("std::fs", "external", ""),
            ],
            edges: vec![
                edge("src/gateway.rs", "defines", "Gateway::charge"),
                edge("Ledger::re\u{202e}cord", "references", "Gateway::charge"),
                edge("src/gateway.rs", "imports", "std::fs"),
            ],
            truncated: true,
            ..GraphResponse::default()
        };
        insta::assert_snapshot!(text(&response, &[]), @r"
        4 nodes by their relations, nearest first:

        Gateway::charge (method src/gateway.rs:5-9)
        - defined in src/gateway.rs
        - used by Ledger::record (method src/ledger.rs:5-9)

        src/gateway.rs
        - imports std::fs (outside of the project)

        There is more: name fewer relations, or start at one of these nodes.
        ");
    }

    #[test]
    fn a_node_without_neighbours_says_so() {
        let alone = GraphResponse { nodes: vec![node("x", "document", "a.rs")], ..GraphResponse::default() };
        assert_eq!(text(&alone, &[]), "No neighbours of a.rs. Try other relations, or recall_search for its name.");
    }

    #[test]
    fn a_long_answer_is_bounded() {
        let long = "a/".repeat(190);
        let mut nodes = vec![node("start", "document", "start.rs")];
        nodes.extend((0..200).map(|number| node(&number.to_string(), "document", &long)));
        let edges = (0..200).map(|number| edge("start", "imports", &number.to_string())).collect();
        let text = text(&GraphResponse { nodes, edges, ..GraphResponse::default() }, &[]);
        assert!(chars(&text) <= ANSWER_CHARS && text.contains("There is more"), "{text}");
    }
}
