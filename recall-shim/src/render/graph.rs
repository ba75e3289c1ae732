//! The answer with a part of the graph.

use std::collections::HashMap;
use std::fmt::Write as _;

use recall_proto::v1::{GraphNode, GraphResponse};

use super::notes::notes;
use super::quantity::counted;
use crate::render::clean::inline;
use crate::render::length::{ANSWER_CHARS, TAIL_CHARS, chars};

/// The relations of a node to its neighbours, in display order: the name in an edge, whether the edge leads to the
/// neighbour, and the words for it.
const RELATIONS: [(&str, bool, &str); 10] = [
    ("defines", false, "defined in"),
    ("imports", true, "imports"),
    ("imports", false, "imported by"),
    ("references", true, "uses"),
    ("references", false, "used by"),
    ("relates_to", true, "relates to"),
    ("relates_to", false, "related from"),
    ("supersedes", true, "replaces"),
    ("supersedes", false, "replaced by"),
    ("defines", true, "defines"),
];

/// Formats the nodes, nearest first, each with its neighbours by relation. Nodes that do not fit are left out, with a note.
pub(crate) fn graph(response: &GraphResponse) -> String {
    let GraphResponse { nodes, edges, truncated, generation: _, warnings } = response;
    let mut text = notes(warnings, None);
    if edges.is_empty() {
        let asked = nodes.first().map(named).unwrap_or_default();
        let _ = write!(text, "No neighbours of {asked}. Try other relations, or recall_search for its name.");
        return text;
    }
    let count = counted(nodes.len() as u64, "node");
    let _ = writeln!(text, "{count} by their relations, nearest first:");
    let places: HashMap<&str, usize> = nodes.iter().enumerate().map(|(at, node)| (&*node.id, at)).collect();
    let mut is_cut = *truncated;
    'nodes: for (place, node) in nodes.iter().enumerate() {
        let mut heading = Some(format!("\n{}\n", named(node)));
        for (relation, leads_out, words) in RELATIONS {
            let mut neighbours: Vec<usize> = edges
                .iter()
                .filter(|edge| edge.relation == relation)
                .filter_map(|edge| {
                    let (from, to) = (*places.get(&*edge.from)?, *places.get(&*edge.to)?);
                    let (this, other) = if leads_out { (from, to) } else { (to, from) };
                    // An edge is shown once, at the node that is nearer to the requested one.
                    let is_shown_here = place == this && (leads_out && from <= to || !leads_out && to < from);
                    is_shown_here.then_some(other)
                })
                .collect();
            neighbours.sort_unstable();
            for neighbour in neighbours {
                let line = format!("- {words} {}\n", named(&nodes[neighbour]));
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
fn named(node: &GraphNode) -> String {
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
    use recall_proto::v1::GraphEdge;

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
        insta::assert_snapshot!(graph(&response), @r"
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
        assert_eq!(graph(&alone), "No neighbours of a.rs. Try other relations, or recall_search for its name.");
    }

    #[test]
    fn a_long_answer_is_bounded() {
        let long = "a/".repeat(190);
        let mut nodes = vec![node("start", "document", "start.rs")];
        nodes.extend((0..200).map(|number| node(&number.to_string(), "document", &long)));
        let edges = (0..200).map(|number| edge("start", "imports", &number.to_string())).collect();
        let text = graph(&GraphResponse { nodes, edges, ..GraphResponse::default() });
        assert!(chars(&text) <= ANSWER_CHARS && text.contains("There is more"), "{text}");
    }
}
