//! A question for what belongs to a document, and its answer.

use recall_core::{Document, DocumentType, Scope, StoreScope};

use crate::coverage::Coverage;
use crate::warning::Warning;

/// Asks what belongs to a document or a part of one, and what is like it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedRequest {
    /// A document's id, a chunk's id, or a document's path; behind a path there may be lines and a hash, as in a
    /// citation (`src/lib.rs:10-20@…`).
    pub id: String,
    /// Which stores are asked; the first that knows the document answers.
    pub scope: Scope,
    /// The most documents, at least 1.
    pub limit: u32,
    /// Only documents of these types; empty for all.
    pub types: Vec<DocumentType>,
}

/// What belongs to a document, and what is like it.
#[derive(Clone, Debug, PartialEq)]
pub struct Related {
    /// The store's scope.
    pub scope: StoreScope,
    /// The documents, nearest first, ties by path; never the one asked about.
    pub documents: Vec<RelatedDocument>,
    /// What the answer saw of the store.
    pub coverage: Coverage,
    /// What the reader should know beside it.
    pub warnings: Vec<Warning>,
}

/// A document that is near another.
#[derive(Clone, Debug, PartialEq)]
pub struct RelatedDocument {
    /// The document.
    pub document: Document,
    /// How near; comparable within one answer.
    pub score: f64,
    /// How it is near, the tie that counts most first.
    pub ties: Vec<Tie>,
    /// `path:start-end@hash` of the place that the first tie which has one leads to.
    pub citation: Option<String>,
}

/// A way in which a document is near another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tie {
    /// Either links to the other or declares a relation with it.
    RelatesTo,
    /// Either replaces the other.
    Supersedes,
    /// What was asked about uses its definitions by name.
    References,
    /// It uses definitions of what was asked about by name.
    ReferencedBy,
    /// The document asked about imports it.
    Imports,
    /// It imports the document asked about.
    ImportedBy,
    /// It has the same telling words.
    Similar,
}

impl Tie {
    /// Every tie, in the order in which equally strong ones are told.
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

    /// How much a tie of full strength counts.
    ///
    /// What somebody wrote down on purpose comes first; what code uses says more than what it may use (an import) and
    /// than what uses it, of which there can be hundreds; words that agree may do so by chance.
    pub fn weight(self) -> f64 {
        match self {
            Self::RelatesTo | Self::Supersedes | Self::References => 1.0,
            Self::ReferencedBy => 0.8,
            Self::Imports | Self::Similar => 0.7,
            Self::ImportedBy => 0.5,
        }
    }
}
