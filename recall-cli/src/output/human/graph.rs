//! Text output of a part of the graph.

use std::collections::HashMap;
use std::fmt::Write;

use recall_proto::v1;

use super::style::{DIM, PATH, STRONG, SYMBOL};
use super::text::{columns, fit_path, printable};

/// The relations of a node to its neighbours, in display order: the name of the relation, whether the edge leads to the
/// neighbour, and the label.
const RELATIONS: [(&str, bool, &str); 10] = [
    ("defines", false, "defined in"),
    ("imports", true, "imports"),
    ("imports", false, "imported by"),
    ("references", true, "uses"),
    ("references", false, "used by"),
    ("relates_to", true, "relates to"),
    ("relates_to", false, "related from"),
    ("supersedes", true, "supersedes"),
    ("supersedes", false, "superseded by"),
    ("defines", true, "defines"),
];

/// Formats each node that has further neighbours, nearest first, with its neighbours grouped by relation.
pub(crate) fn render(graph: &v1::GraphResponse, width: Option<usize>) -> String {
    let places: HashMap<&str, usize> = graph.nodes.iter().enumerate().map(|(at, node)| (&*node.id, at)).collect();
    let mut text = String::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        let mut groups = String::new();
        for (relation, leads_out, words) in RELATIONS {
            let neighbours = graph.edges.iter().filter(|edge| edge.relation == relation).filter_map(|edge| {
                let (from, to) = (*places.get(&*edge.from)?, *places.get(&*edge.to)?);
                let (this, other) = if leads_out { (from, to) } else { (to, from) };
                // An edge is shown once, at the node that is nearer to the requested one.
                let is_shown_here = place == this && (leads_out && from <= to || !leads_out && to < from);
                is_shown_here.then(|| &graph.nodes[other])
            });
            let mut neighbours: Vec<&v1::GraphNode> = neighbours.collect();
            neighbours.sort_by_key(|node| places.get(&*node.id));
            if !neighbours.is_empty() {
                let _ = writeln!(groups, "  {DIM}{words}{DIM:#}");
                write_aligned(&mut groups, &neighbours, width);
            }
        }
        if !groups.is_empty() {
            let separator = if text.is_empty() { "" } else { "\n" };
            let (name, about) = (name(node), about(node, 0));
            let space = if about.is_empty() { "" } else { "  " };
            let _ = writeln!(text, "{separator}{STRONG}{name}{STRONG:#}{space}{DIM}{about}{DIM:#}");
            text.push_str(&groups);
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
        insta::assert_snapshot!(anstream::adapter::strip_str(&render(&graph, None)), @r"
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
        insta::assert_snapshot!(anstream::adapter::strip_str(&render(&graph, Some(48))).to_string().lines().nth(5)
            .expect("a line"), @"    Gateway::charge             …gateway.rs:5-14");
    }
}
