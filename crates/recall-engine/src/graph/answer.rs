//! The requests and the answers of queries for neighbours and for related documents.

use recall_core::{Document, DocumentType, EdgeKind, Relation, Scope, StoreScope, Symbol};

use crate::mask;
use crate::mount::Mount;
use crate::warning::{Coverage, Warning};

/// A request for the neighbours of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphRequest {
    /// A document's id, a chunk's id, a document's path, or the name of a symbol with or without its scopes.
    pub node: String,
    /// The relations to follow; empty for all. Imports of targets outside the store are returned only if imports are listed
    /// here.
    pub relations: Vec<Relation>,
    /// The number of steps, at least 1.
    pub depth: u32,
    /// The most nodes, at least 1.
    pub limit: u32,
    /// The stores to search; the first one that knows the node answers.
    pub scope: Scope,
}

impl GraphRequest {
    /// Returns the relations to follow, in their canonical order.
    pub(crate) fn relations(&self) -> impl Iterator<Item = Relation> + use<> {
        let relations = self.relations.clone();
        Relation::ALL.into_iter().filter(move |relation| relations.is_empty() || relations.contains(relation))
    }
}

/// A part of the graph of one store.
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    /// The store's scope.
    pub scope: StoreScope,
    /// The requested nodes first, then by distance, path, line and name.
    pub nodes: Vec<GraphNode>,
    /// The walked edges between them, sorted by the indexes of their nodes.
    pub edges: Vec<GraphEdge>,
    /// Whether the limit or a bound of the walk cut nodes off.
    pub is_truncated: bool,
    /// The state of the store as this answer saw it.
    pub coverage: Coverage,
    /// Conditions that affect the answer.
    pub warnings: Vec<Warning>,
}

/// A document, a symbol or an outside target, with its distance from the request.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphNode {
    /// The document, symbol or import of the node.
    pub thing: NodeThing,
    /// The number of steps from the requested node.
    pub distance: u32,
}

impl GraphNode {
    /// Gives the node the path and the id that the client sees.
    pub(crate) fn in_mount(mut self, mount: &Mount) -> Self {
        match &mut self.thing {
            NodeThing::Document(document) | NodeThing::Symbol { document, .. } => mount.show(document),
            NodeThing::External { .. } => {}
        }
        self
    }

    /// Masks the secrets in the node's names.
    pub(crate) fn with_masks(mut self) -> Self {
        match &mut self.thing {
            NodeThing::Document(known) => mask::document(known),
            NodeThing::Symbol { document: known, symbol: named } => mask::document(known).or(mask::symbol(named)),
            NodeThing::External { target } => mask::path_text(target),
        };
        self
    }
}

/// The thing that a node represents.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeThing {
    /// A whole document.
    Document(Document),
    /// A definition in a document.
    Symbol {
        /// The document that defines it.
        document: Document,
        /// The definition, with its lines.
        symbol: Symbol,
    },
    /// The target of an import that is not in the store.
    External {
        /// The import as it is written.
        target: String,
    },
}

/// An edge between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GraphEdge {
    /// The index of the node that it starts at.
    pub from: usize,
    /// The kind of the relation.
    pub kind: EdgeKind,
    /// The index of the node that it ends at.
    pub to: usize,
}

/// A request for the documents that are related to a document or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedRequest {
    /// A document's id, a chunk's id, or a document's path. A path may be followed by lines and a hash, as in a citation
    /// (`src/lib.rs:10-20@…`).
    pub id: String,
    /// The stores to search; the first one that knows the document answers.
    pub scope: Scope,
    /// The most documents, at least 1.
    pub limit: u32,
    /// Only documents of these types; empty for all.
    pub types: Vec<DocumentType>,
}

/// The documents that are related to a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Related {
    /// The store's scope.
    pub scope: StoreScope,
    /// The documents, the most related first, equal scores by path, without the requested one.
    pub documents: Vec<RelatedDocument>,
    /// The state of the store as this answer saw it.
    pub coverage: Coverage,
    /// Conditions that affect the answer.
    pub warnings: Vec<Warning>,
}

/// A document that is related to the requested one, with the reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct RelatedDocument {
    /// The document, with the path that the client sees.
    pub document: Document,
    /// The score; comparable within one answer.
    pub score: f64,
    /// The kinds of relatedness, the greatest contribution first.
    pub ties: Vec<Tie>,
    /// The citation `path:start-end@hash` of the first tie that has a location.
    pub citation: Option<String>,
}

/// A kind of relatedness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tie {
    /// Either links to the other or declares a relation with it.
    RelatesTo,
    /// Either replaces the other.
    Supersedes,
    /// The requested document uses its definitions by name.
    References,
    /// It uses definitions of the requested document by name.
    ReferencedBy,
    /// The requested document imports it.
    Imports,
    /// It imports the requested document.
    ImportedBy,
    /// It shares distinctive words.
    Similar,
}

impl Tie {
    /// Every tie, in the order in which equal contributions are listed.
    pub const ALL: [Self; 7] = [
        Self::RelatesTo,
        Self::Supersedes,
        Self::References,
        Self::ReferencedBy,
        Self::Imports,
        Self::ImportedBy,
        Self::Similar,
    ];

    /// The tie's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RelatesTo => "relates_to",
            Self::Supersedes => "supersedes",
            Self::References => "references",
            Self::ReferencedBy => "referenced_by",
            Self::Imports => "imports",
            Self::ImportedBy => "imported_by",
            Self::Similar => "similar",
        }
    }

    /// Returns the contribution of a tie of full strength.
    ///
    /// Explicit relations weigh most. Used definitions weigh more than imports, which may be unused, and more than users, of
    /// which there can be hundreds. Shared words may be a coincidence.
    pub fn weight(self) -> f64 {
        match self {
            Self::RelatesTo | Self::Supersedes | Self::References => 1.0,
            Self::ReferencedBy => 0.8,
            Self::Imports | Self::Similar => 0.7,
            Self::ImportedBy => 0.5,
        }
    }
}
