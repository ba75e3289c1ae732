//! A question for the neighbours of a node, and its answer.

use recall_core::{Document, EdgeKind, Relation, Scope, StoreScope, Symbol};

use crate::coverage::Coverage;
use crate::mask;
use crate::warning::Warning;

/// Asks for the neighbours of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphRequest {
    /// A document's id, a chunk's id, a document's path, or the name of a symbol with or without its scopes.
    pub node: String,
    /// Which relations are followed; empty for all of them. Imports that lead out of the store are told only where
    /// imports are named here.
    pub relations: Vec<Relation>,
    /// How many steps, at least 1.
    pub depth: u32,
    /// The most nodes, at least 1.
    pub limit: u32,
    /// Which stores are asked; the first that knows the node answers.
    pub scope: Scope,
}

impl GraphRequest {
    /// The relations that are followed, in their order.
    pub(crate) fn followed(&self) -> impl Iterator<Item = Relation> + use<> {
        let relations = self.relations.clone();
        Relation::ALL.into_iter().filter(move |relation| relations.is_empty() || relations.contains(relation))
    }
}

/// A part of the graph of one store.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// The store's scope.
    pub scope: StoreScope,
    /// The nodes asked for first, then by distance, path, line and name.
    pub nodes: Vec<GraphNode>,
    /// The edges that were walked between them, sorted by the places of their nodes.
    pub edges: Vec<GraphEdge>,
    /// Whether more was in reach than the limit, or the bounds of a walk, admit.
    pub is_truncated: bool,
    /// What the answer saw of the store.
    pub coverage: Coverage,
    /// What the reader should know beside it.
    pub warnings: Vec<Warning>,
}

/// A node of the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphNode {
    /// What it stands for.
    pub thing: NodeThing,
    /// How many steps from the node asked for.
    pub distance: u32,
}

impl GraphNode {
    /// The node, masked where it is called by a secret.
    pub(crate) fn masked(mut self) -> Self {
        match &mut self.thing {
            NodeThing::Document(known) => mask::document(known),
            NodeThing::Symbol { document: known, symbol: named } => mask::document(known).or(mask::symbol(named)),
            NodeThing::External { target } => mask::path_text(target),
        };
        self
    }
}

/// What a node stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeThing {
    /// A document.
    Document(Document),
    /// A definition in a document.
    Symbol {
        /// The document.
        document: Document,
        /// The definition.
        symbol: Symbol,
    },
    /// What a document imports and the store does not hold.
    External {
        /// The import as it is written.
        target: String,
    },
}

/// An edge between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GraphEdge {
    /// The place of the node that it starts at.
    pub from: usize,
    /// Which relation it is.
    pub kind: EdgeKind,
    /// The place of the node that it ends at.
    pub to: usize,
}
