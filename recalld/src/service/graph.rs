//! `Graph`: the neighbours of a symbol or a file; `Related`: documents that are linked or similar to a document; `Names`: the names
//! of symbols that begin with a text; `Layout`: the folders of a project.

use recall_api::convert::{document, indexed_type, limits, scope};
use recall_api::v1::{
    self, GraphRequest, GraphResponse, LayoutRequest, LayoutResponse, NamesRequest, NamesResponse, RelatedEntry,
    RelatedRequest, RelatedResponse,
};
use recall_api::{InvalidRequest, Problem, convert};
use recall_core::Scope;
use recall_engine::{
    FolderImports, Graph, GraphEdge, GraphNode, GraphRequest as Asked, HotFile, LayoutFolder, NodeThing, ProjectLayout,
    Related, RelatedDocument,
};
use tonic::Status;

use super::{Service, context, ids, warning};
use crate::daemon::Daemon;

pub(super) async fn handle(service: &Service, request: GraphRequest) -> Result<GraphResponse, Status> {
    let GraphRequest { context, node, relations, depth, limit, scope: wanted } = request;
    if node.trim().is_empty() {
        return Err(InvalidRequest::new("node", Problem::Empty).into());
    }
    let asked = Asked {
        node,
        relations: convert::relations_from_proto(&relations)?,
        depth: limits::graph_depth(depth)?,
        limit: limits::graph_nodes(limit)?,
        scope: scope::from_proto(wanted, Scope::All)?,
    };
    let session = context::session(context.as_ref());
    let origin = context::origin(context)?;
    let (here, wanted) = (origin.clone(), asked.scope);
    let find = move |daemon: &Daemon| daemon.engine.graph(&origin, &asked);
    let graph = service.call_after_index(&here, wanted, find).await?;
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

pub(super) async fn related(service: &Service, request: RelatedRequest) -> Result<RelatedResponse, Status> {
    let RelatedRequest { context, id, scope: wanted, limit, types } = request;
    if id.trim().is_empty() {
        return Err(InvalidRequest::new("id", Problem::Empty).into());
    }
    let types: Result<Vec<_>, _> = types.iter().map(|name| indexed_type("types", name)).collect();
    let asked = recall_engine::RelatedRequest {
        id,
        scope: scope::from_proto(wanted, Scope::All)?,
        limit: limits::related_entries(limit)?,
        types: types?.into_iter().flatten().collect(),
    };
    let session = context::session(context.as_ref());
    let origin = context::origin(context)?;
    let (here, wanted) = (origin.clone(), asked.scope);
    let find = move |daemon: &Daemon| daemon.engine.related_documents(&origin, &asked);
    let found = service.call_after_index(&here, wanted, find).await?;
    let mut response = related_response(found);
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

fn related_response(related: Related) -> RelatedResponse {
    let Related { scope, documents, coverage, warnings } = related;
    let store_id = ids::store_id(&coverage.root);
    let entry = |found: RelatedDocument| {
        let RelatedDocument { document: found, score, ties, citation } = found;
        RelatedEntry {
            score,
            doc: Some(document::to_proto(&found, scope, &store_id)),
            reasons: ties.into_iter().map(|tie| tie.as_str().to_owned()).collect(),
            citation: citation.unwrap_or_default(),
        }
    };
    RelatedResponse {
        results: documents.into_iter().map(entry).collect(),
        generation: coverage.generation.0,
        warnings: warning::to_proto(warnings),
    }
}

pub(super) async fn names(service: &Service, request: NamesRequest) -> Result<NamesResponse, Status> {
    let NamesRequest { context, prefix, scope: wanted, limit } = request;
    if prefix.trim().is_empty() {
        return Err(InvalidRequest::new("prefix", Problem::Empty).into());
    }
    let asked = recall_engine::NamesRequest {
        prefix,
        scope: scope::from_proto(wanted, Scope::All)?,
        limit: limits::names(limit)? as usize,
    };
    let origin = context::origin(context)?;
    let names = service.call(move |daemon| daemon.engine.names(&origin, &asked)).await?;
    Ok(NamesResponse { names })
}

pub(super) async fn layout(service: &Service, request: LayoutRequest) -> Result<LayoutResponse, Status> {
    let LayoutRequest { context, folders, files } = request;
    let asked = recall_engine::LayoutRequest {
        folders: limits::layout_folders(folders)? as usize,
        files: limits::layout_files(files)? as usize,
    };
    let origin = context::origin(context)?;
    let layout = service.call(move |daemon| daemon.engine.layout(&origin, asked)).await?;
    let ProjectLayout { folders, imports, hot, commits, sessions } = layout;
    let folder = |folder: LayoutFolder| {
        let LayoutFolder { path, is_flat, files, bytes } = folder;
        v1::LayoutFolder { path, flat: is_flat, files, bytes }
    };
    let import = |imports: FolderImports| {
        let FolderImports { from, to, imports } = imports;
        v1::FolderImports { from: from as u32, to: to as u32, imports }
    };
    let hot_file = |file: HotFile| {
        let HotFile { path, commits, sessions } = file;
        v1::HotFile { path, commits, sessions }
    };
    Ok(LayoutResponse {
        folders: folders.into_iter().map(folder).collect(),
        imports: imports.into_iter().map(import).collect(),
        hot: hot.into_iter().map(hot_file).collect(),
        commits,
        sessions,
    })
}
