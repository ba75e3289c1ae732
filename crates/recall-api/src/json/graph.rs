//! Related documents, and parts of the graph.

use crate::v1;
use serde::Serialize;

use crate::json::document::Document;
use crate::json::{Warning, answer, non_empty, warnings};

#[derive(Debug, Serialize)]
pub(crate) struct Related<'a> {
    results: Vec<RelatedEntry<'a>>,
    generation: u64,
    warnings: Vec<Warning<'a>>,
}

#[derive(Debug, Serialize)]
struct RelatedEntry<'a> {
    score: f64,
    doc: Option<Document<'a>>,
    reasons: &'a [String],
    citation: Option<&'a str>,
}

/// The documents related to another.
pub fn related_answer(message: &v1::RelatedResponse) -> impl Serialize {
    let v1::RelatedResponse { results, generation, warnings: messages } = message;
    let entry = |message| {
        let v1::RelatedEntry { score, doc, reasons, citation }: &v1::RelatedEntry = message;
        RelatedEntry { score: *score, doc: doc.as_ref().map(Document::from), reasons, citation: non_empty(citation) }
    };
    answer(Related {
        results: results.iter().map(entry).collect(),
        generation: *generation,
        warnings: warnings(messages),
    })
}

#[derive(Debug, Serialize)]
pub(crate) struct Graph<'a> {
    nodes: Vec<Node<'a>>,
    edges: Vec<Edge<'a>>,
    truncated: bool,
    generation: u64,
    warnings: Vec<Warning<'a>>,
}

#[derive(Debug, Serialize)]
struct Node<'a> {
    id: &'a str,
    kind: &'a str,
    label: &'a str,
    path: Option<&'a str>,
    start_line: Option<u32>,
    end_line: Option<u32>,
    distance: u32,
    doc_id: Option<&'a str>,
    symbol_kind: Option<&'a str>,
}

#[derive(Debug, Serialize)]
struct Edge<'a> {
    from: &'a str,
    to: &'a str,
    relation: &'a str,
}

/// A part of the graph.
pub fn graph(message: &v1::GraphResponse) -> impl Serialize {
    let v1::GraphResponse { nodes, edges, truncated, generation, warnings: messages } = message;
    answer(Graph {
        nodes: nodes.iter().map(Node::from).collect(),
        edges: edges.iter().map(Edge::from).collect(),
        truncated: *truncated,
        generation: *generation,
        warnings: warnings(messages),
    })
}

impl<'a> From<&'a v1::GraphNode> for Node<'a> {
    fn from(message: &'a v1::GraphNode) -> Self {
        let v1::GraphNode { id, kind, label, path, start_line, end_line, distance, doc_id, symbol_kind } = message;
        let line = |line: u32| (line > 0).then_some(line);
        Self {
            id,
            kind,
            label,
            path: non_empty(path),
            start_line: line(*start_line),
            end_line: line(*end_line),
            distance: *distance,
            doc_id: non_empty(doc_id),
            symbol_kind: non_empty(symbol_kind),
        }
    }
}

impl<'a> From<&'a v1::GraphEdge> for Edge<'a> {
    fn from(message: &'a v1::GraphEdge) -> Self {
        let v1::GraphEdge { from, to, relation } = message;
        Self { from, to, relation }
    }
}
