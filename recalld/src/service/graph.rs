//! `Graph`: returns the neighbours of a symbol or a file.

use recall_api::convert::{limits, relation, scope};
use recall_api::v1::{self, GraphRequest, GraphResponse};
use recall_api::{InvalidRequest, Problem};
use recall_core::Scope;
use recall_engine::{Graph, GraphEdge, GraphNode, GraphRequest as Asked, NodeThing};
use tonic::Status;

use super::{Service, context, warning};

pub(super) async fn handle(service: &Service, request: GraphRequest) -> Result<GraphResponse, Status> {
    let GraphRequest { context, node, relations, depth, limit, scope: wanted } = request;
    if node.trim().is_empty() {
        return Err(InvalidRequest::new("node", Problem::Empty).into());
    }
    let asked = Asked {
        node,
        relations: relation::from_proto(&relations)?,
        depth: limits::graph_depth(depth)?,
        limit: limits::graph_nodes(limit)?,
        scope: scope::from_proto(wanted, Scope::All)?,
    };
    let session = context::session(context.as_ref());
    let origin = context::origin(context)?;
    let graph = service.call(move |daemon| daemon.engine.graph(&origin, &asked)).await?;
    let mut response = response(graph);
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

fn response(graph: Graph) -> GraphResponse {
    let Graph { scope: _, nodes, edges, is_truncated, coverage, warnings } = graph;
    let nodes: Vec<v1::GraphNode> = nodes.into_iter().map(node).collect();
    let mut edges: Vec<v1::GraphEdge> = edges
        .into_iter()
        .map(|GraphEdge { from, kind, to }| v1::GraphEdge {
            from: nodes[from].id.clone(),
            to: nodes[to].id.clone(),
            relation: kind.as_str().to_owned(),
        })
        .collect();
    edges.sort_by(|a, b| (&a.from, &a.to, &a.relation).cmp(&(&b.from, &b.to, &b.relation)));
    GraphResponse {
        nodes,
        edges,
        truncated: is_truncated,
        generation: coverage.generation.0,
        warnings: warning::to_proto(warnings),
    }
}

fn node(node: GraphNode) -> v1::GraphNode {
    let GraphNode { thing, distance } = node;
    match thing {
        NodeThing::Document(document) => v1::GraphNode {
            id: document.id.to_string(),
            kind: "document".to_owned(),
            label: document.title,
            path: document.path.as_str().to_owned(),
            distance,
            doc_id: document.id.to_string(),
            ..v1::GraphNode::default()
        },
        NodeThing::Symbol { document, symbol } => v1::GraphNode {
            // Two definitions of a name may be on one line.
            id: format!("{}#{}@{}", document.id, symbol.qualified, symbol.span.bytes.start),
            kind: "symbol".to_owned(),
            label: symbol.qualified,
            path: document.path.as_str().to_owned(),
            start_line: symbol.span.start_line,
            end_line: symbol.span.end_line,
            distance,
            doc_id: document.id.to_string(),
            symbol_kind: symbol.kind.as_str().to_owned(),
        },
        NodeThing::External { target } => v1::GraphNode {
            id: format!("external:{target}"),
            kind: "external".to_owned(),
            label: target,
            distance,
            ..v1::GraphNode::default()
        },
    }
}
