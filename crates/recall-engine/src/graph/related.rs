//! Documents that are related or similar to a document or a part of one.
//!
//! Each kind of relatedness is a [`Tie`] with a strength from 0 to 1. A document's score is the sum of its ties' strengths
//! times their weights, so it lies between 0 and the sum of all [weights](Tie::weight).

mod published;
mod ties;

use recall_core::{Citation, Lines};
use recall_text::DocPath;

pub use super::answer::{Related, RelatedDocument, RelatedRequest, Tie};

use crate::engine::{MountedStore, MountedStores, split_chunk};
use crate::error::GraphError;
use crate::graph::definitions::NameResolver;
use crate::graph::start::{self, Name, PathLocation};
use crate::origin::Origin;
use crate::{Engine, mask};

use crate::graph::related::ties::Ties;
use published::{PublishedPart, related_published};
use ties::Part;

impl Engine {
    /// Returns the documents that are related or similar to a document or a part of one. Of a published document, those that are similar
    /// in its store.
    ///
    /// # Errors
    /// The name is unknown, the document does not have the lines, the name is a path outside the project, the scope has no
    /// store, a store cannot be opened or read, or a shared store does not answer.
    pub fn related_documents(&self, origin: &Origin, request: &RelatedRequest) -> Result<Related, GraphError> {
        let MountedStores { stores, warnings } = self.fresh_stores(origin, request.scope)?;
        if stores.is_empty() {
            return Err(GraphError::NoStore { scope: request.scope });
        }
        let text = request.id.trim();
        let whole = Citation::split(text).document;
        if self.place_of(origin, whole) == PathLocation::Outside {
            return Err(GraphError::Outside { path: whole.to_owned() });
        }
        let name = |read: Citation<'_>| Some((self.name(origin, read.document)?, read.lines));
        let candidates: Vec<(Name, Option<Lines>)> = Citation::readings(text).filter_map(name).collect();
        let mut near = Vec::new();
        for store in &stores {
            for (name, lines) in &candidates {
                let Some(name) = &name.in_store(store) else { continue };
                if let Some(mut related) = related_in(store, name, *lines, request)? {
                    related.warnings.splice(0..0, warnings);
                    return Ok(related);
                }
            }
            let snapshot = store.index.snapshot()?;
            let names = start::near(store, &snapshot, whole)?.into_iter().filter(|name| !name.contains("::"));
            near.extend(names.map(mask::shown_path));
        }
        match self.related_in_shared(origin, request)? {
            Some(related) => Ok(related),
            None => Err(GraphError::NotFound { node: request.id.clone(), near }),
        }
    }

    fn related_in_shared(&self, origin: &Origin, request: &RelatedRequest) -> Result<Option<Related>, GraphError> {
        for read in Citation::readings(request.id.trim()) {
            let chunk = split_chunk(read.document).filter(|_| read.lines.is_none());
            let whole = (read.document, read.lines.map_or(PublishedPart::Whole, PublishedPart::Lines));
            let parts = chunk.map(|(path, ordinal)| (path, PublishedPart::Chunk(ordinal)));
            for (path, part) in [whole].into_iter().chain(parts) {
                let Ok(path) = DocPath::new(path) else { continue };
                let failed = |(store, source)| GraphError::Shared { store, source };
                if let Some((store, found)) = self.published_document(origin, request.scope, &path).map_err(failed)? {
                    return related_published(store, &found, part, request);
                }
            }
        }
        Ok(None)
    }
}

/// Returns the related documents in one store; `None` if the store does not know the document.
fn related_in(
    store: &MountedStore,
    name: &Name,
    lines: Option<Lines>,
    request: &RelatedRequest,
) -> Result<Option<Related>, GraphError> {
    let snapshot = store.index.snapshot()?;
    let stated = store.index.stated_links(&snapshot)?;
    let mut names = NameResolver::new(store, &snapshot, &stated);
    let Some(part) = Part::read(&names, name, lines)? else { return Ok(None) };
    let ties = Ties::find(&mut names, &part, &request.types)?;
    let mut documents = ties.into_documents(&names, request)?;
    for related in &mut documents {
        store.mount.show(&mut related.document);
        mask::document(&mut related.document);
        related.citation = related.citation.take().map(|citation| mask::shown_path(store.mount.outer(&citation)));
    }
    Ok(Some(Related { scope: store.scope, documents, coverage: store.coverage(), warnings: Vec::new() }))
}
