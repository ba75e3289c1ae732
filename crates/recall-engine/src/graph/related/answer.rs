//! The request and the answer of a query for related documents.

use recall_core::{Document, DocumentType, Scope, StoreScope};

use crate::coverage::Coverage;
use crate::warning::Warning;

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
