//! Graph queries on a store: the neighbours of a node, and the documents related to a document.
//!
//! [`links`](mod@crate::links) resolves the edges of the catalog to documents; [`walk`] goes from a node to its neighbours. For the
//! uses of a name, the lexical index returns the chunks that contain the word, and the references that the catalog stores for those
//! chunks decide. The references have no index of their own by name: there are about twenty a chunk, and packed into one value for
//! each document they cost little (ADR 2).
//!
//! Begin with `start` (what a node's text names), `definitions` and `walk`.

mod answer;
pub(crate) mod definitions;
mod related;
pub(crate) mod start;
mod walk;

use recall_core::{Citation, EdgeKind};
use recall_text::DocPath;

use crate::engine::{MountedStore, MountedStores, split_chunk};
use crate::error::{GraphError, StoreError};
use crate::origin::Origin;
use crate::warning::Warning;
use crate::{Engine, mask};

use definitions::NameResolver;
use start::{MOST_STARTS, Name, PathLocation};
use walk::{Walk, Walked};

pub use answer::{Graph, GraphEdge, GraphNode, GraphRequest, NodeThing};
pub use related::{Related, RelatedDocument, RelatedRequest, Tie};

impl Engine {
    /// Returns the neighbours of a node. If several symbols have the name, the walk starts at all of them, up to a bound.
    ///
    /// # Errors
    /// The name is unknown or that of a published document, the name is a path outside the project, the scope has no store, or a store
    /// cannot be opened or read.
    pub fn graph(&self, origin: &Origin, request: &GraphRequest) -> Result<Graph, GraphError> {
        let MountedStores { stores, warnings } = self.fresh_stores(origin, request.scope)?;
        if stores.is_empty() {
            return Err(GraphError::NoStore { scope: request.scope });
        }
        let text = request.node.trim();
        let whole = Citation::split(text).document;
        if self.place_of(origin, whole) == PathLocation::Outside {
            return Err(GraphError::Outside { path: whole.to_owned() });
        }
        let readings: Vec<_> =
            Citation::readings(text).map(|read| (read.document, self.name(origin, read.document))).collect();
        let mut near = Vec::new();
        for store in &stores {
            for (text, name) in &readings {
                let here = name.as_ref().and_then(|name| name.in_store(store));
                if let Some(mut graph) = around(store, here.as_ref(), text, request)? {
                    graph.warnings.splice(0..0, warnings);
                    return Ok(graph);
                }
            }
            let snapshot = store.index.snapshot()?;
            near.extend(start::near(store, &snapshot, text)?.into_iter().map(mask::shown_path));
        }
        for (text, _) in &readings {
            let path = split_chunk(text).map_or(*text, |(path, _)| path);
            let Ok(path) = DocPath::new(path) else { continue };
            let failed = |(store, source)| GraphError::Shared { store, source };
            if let Some((store, _)) = self.published_document(origin, request.scope, &path).map_err(failed)? {
                let store = store.name.clone();
                return Err(GraphError::NotPublished { path: path.as_str().to_owned(), store });
            }
        }
        Err(GraphError::NotFound { node: request.node.clone(), near })
    }
}

/// Returns the neighbours of a node in one store; `None` if the store does not know the node.
fn around(
    store: &MountedStore,
    name: Option<&Name>,
    text: &str,
    request: &GraphRequest,
) -> Result<Option<Graph>, StoreError> {
    let snapshot = store.index.snapshot()?;
    let stated = store.index.stated_links(&snapshot)?;
    let mut names = NameResolver::new(store, &snapshot, &stated);
    let found = start::starts(&mut names, name, text)?;
    if found.starts.is_empty() {
        return Ok(None);
    }
    let mut warnings = Vec::new();
    let shown = found.starts.len();
    if found.definitions > 1 {
        let definitions = found.definitions as u64;
        warnings.push(Warning::SeveralDefinitions { name: text.to_owned(), definitions, shown: shown as u64 });
    }
    let walked = Walk::from(&mut names, request, found.starts)?;
    let is_cut = shown < found.definitions && shown == MOST_STARTS;
    let Walked { nodes: walked, edges, is_truncated } = walked;
    let mut nodes = Vec::with_capacity(walked.len());
    for (place, node) in walked.iter().enumerate() {
        if let Some(thing) = node.thing.read_thing(&mut names)? {
            nodes.push((place, GraphNode { thing, distance: node.distance }));
        }
    }
    nodes.sort_by(|(at, a), (other, b)| {
        let starts_in_order =
            if a.distance == 0 && b.distance == 0 { at.cmp(other) } else { std::cmp::Ordering::Equal };
        a.distance.cmp(&b.distance).then(starts_in_order).then_with(|| order(&a.thing).cmp(&order(&b.thing)))
    });
    let mut places = vec![None; walked.len()];
    for (place, (at, _)) in nodes.iter().enumerate() {
        places[*at] = Some(place);
    }
    let edge =
        |(from, kind, to): (usize, EdgeKind, usize)| Some(GraphEdge { from: places[from]?, kind, to: places[to]? });
    let mut edges: Vec<GraphEdge> = edges.into_iter().filter_map(edge).collect();
    edges.sort_unstable();
    Ok(Some(Graph {
        scope: store.scope,
        nodes: nodes.into_iter().map(|(_, node)| node.in_mount(&store.mount).with_masks()).collect(),
        edges,
        is_truncated: is_truncated || is_cut,
        coverage: store.coverage(),
        warnings,
    }))
}

/// Sorts nodes by path, line and name; targets outside the store come last.
fn order(thing: &NodeThing) -> (bool, &str, u32, &str) {
    match thing {
        NodeThing::Document(document) => (false, document.path.as_str(), 0, ""),
        NodeThing::Symbol { document, symbol } => {
            (false, document.path.as_str(), symbol.span.start_line, &symbol.qualified)
        }
        NodeThing::External { target } => (true, "", 0, target),
    }
}
