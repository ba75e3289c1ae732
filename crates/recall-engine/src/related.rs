//! Here is a document, or a part of one; which other documents belong to it, and which are like it?
//!
//! Each way in which a document can be near is a [`Tie`] of a strength from 0 to 1. A document's score is the sum of its
//! ties' strengths times their weights, so that it lies between 0 and the sum of all [weights](Tie::weight).

mod part;
mod ties;

use std::sync::Arc;

use recall_core::{Citation, Document, DocumentType, Lines, Scope, StoreScope};

use crate::Engine;
use crate::coverage::Coverage;
use crate::error::GraphError;
use crate::freshness::freshen;
use crate::get::Name;
use crate::graph::definitions::Names;
use crate::graph::start::{self, Place};
use crate::mask;
use crate::origin::Origin;
use crate::store::Store;
use crate::warning::Warning;

use part::Part;
use ties::Ties;

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

impl Engine {
    /// Tells which documents belong to a document or a part of one, and which are like it.
    ///
    /// # Errors
    /// Nothing is known by that name, the document has no such lines, the name is a path out of the project, the scope
    /// has no store, or a store cannot be opened or read.
    pub fn related(&self, origin: &Origin, request: &RelatedRequest) -> Result<Related, GraphError> {
        let stores = self.registry.stores(origin, request.scope, &*self.clock)?;
        if stores.is_empty() {
            return Err(GraphError::NoStore { scope: request.scope });
        }
        let text = request.id.trim();
        let Citation { document: whole, lines, .. } = Citation::of(text);
        if self.place_of(origin, whole) == Place::Outside {
            return Err(GraphError::Outside { path: whole.to_owned() });
        }
        // A path may end like a citation does.
        let as_given = self.name(origin, text);
        let without_lines = lines.and_then(|lines| Some((self.name(origin, whole)?, Some(lines))));
        let candidates: Vec<(Name, Option<Lines>)> =
            as_given.map(|name| (name, None)).into_iter().chain(without_lines).collect();
        let mut near = Vec::new();
        for store in &stores {
            let warnings = freshen(store, &self.settings, &self.clock)?;
            for (name, lines) in &candidates {
                if let Some(mut related) = related_in(store, name, *lines, request)? {
                    related.warnings.splice(0..0, warnings);
                    return Ok(related);
                }
            }
            let snapshot = store.catalog.snapshot().map_err(|source| store.read_failed(source))?;
            let names = start::near(store, &snapshot, whole)?.into_iter().filter(|name| !name.contains("::"));
            near.extend(names.map(mask::shown_path));
        }
        Err(GraphError::NotFound { node: request.id.clone(), near })
    }
}

/// What is related in one store; `None` where the store does not know the document.
fn related_in(
    store: &Arc<Store>,
    name: &Name,
    lines: Option<Lines>,
    request: &RelatedRequest,
) -> Result<Option<Related>, GraphError> {
    let snapshot = store.catalog.snapshot().map_err(|source| store.read_failed(source))?;
    let stated = store.stated(&snapshot)?;
    let mut names = Names::new(store, &snapshot, &stated);
    let Some(part) = Part::read(&names, name, lines)? else { return Ok(None) };
    let ties = Ties::of(&mut names, &part, &request.types)?;
    let mut documents = ties.into_documents(&names, request)?;
    for related in &mut documents {
        mask::document(&mut related.document);
        related.citation = related.citation.take().map(mask::shown_path);
    }
    Ok(Some(Related { scope: store.scope, documents, coverage: store.coverage(), warnings: Vec::new() }))
}
