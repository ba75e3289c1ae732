//! What does a store hold?

use recall_catalog::{ListQuery, ListSort};
use recall_core::{Document, DocumentType, Language, Scope, StoreScope, Timestamp};

use crate::Engine;
use crate::answer::Warning;
use crate::error::ListError;
use crate::freshness::freshen;
use crate::origin::Origin;

/// Asks for a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRequest {
    /// Which stores.
    pub scope: Scope,
    /// The documents' types; empty for all.
    pub types: Vec<DocumentType>,
    /// The documents' languages; empty for all.
    pub languages: Vec<Language>,
    /// Tags that a document must carry, all of them.
    pub tags: Vec<String>,
    /// The order.
    pub sort: ListSort,
    /// How many entries are passed over.
    pub offset: u32,
    /// The most entries.
    pub limit: u32,
}

/// A page of a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The documents, with their store's scope and the moment when they were first indexed.
    pub documents: Vec<(StoreScope, Document, Timestamp)>,
    /// Where the next page begins, when there is one.
    pub next_offset: Option<u32>,
    /// What the reader should know beside it.
    pub warnings: Vec<Warning>,
}

impl Engine {
    /// Lists documents.
    ///
    /// # Errors
    /// The scope has no store, or a store cannot be opened or read.
    pub fn list(&self, origin: &Origin, request: &ListRequest) -> Result<Listing, ListError> {
        let stores = self.registry.stores(origin, request.scope, &*self.clock)?;
        if stores.is_empty() {
            return Err(ListError::NoStore { scope: request.scope });
        }
        let (offset, limit) = (request.offset as usize, request.limit as usize);
        // Each store gives as much as the page could need of it alone; one more tells whether there is a next page.
        let query = ListQuery {
            types: request.types.clone(),
            languages: request.languages.clone(),
            tags: request.tags.clone(),
            sort: request.sort,
            offset: 0,
            limit: (offset + limit) as u64 + 1,
        };
        let mut documents = Vec::new();
        let mut warnings = Vec::new();
        for store in &stores {
            warnings.extend(freshen(store, &self.settings, &self.clock)?);
            let found = store.read(|snapshot| snapshot.list(&query))?;
            documents.extend(found.into_iter().map(|stored| (store.scope, stored.document, stored.created)));
        }
        documents.sort_by(|a, b| order(request.sort, a, b));
        let next_offset = (documents.len() > offset + limit).then(|| request.offset + request.limit);
        let documents = documents.into_iter().skip(offset).take(limit).collect();
        Ok(Listing { documents, next_offset, warnings })
    }
}

type Entry = (StoreScope, Document, Timestamp);

fn order(sort: ListSort, a: &Entry, b: &Entry) -> std::cmp::Ordering {
    let by_path = || (&a.1.path, a.0).cmp(&(&b.1.path, b.0));
    match sort {
        ListSort::UpdatedAt => b.1.modified.cmp(&a.1.modified).then_with(by_path),
        ListSort::CreatedAt => b.2.cmp(&a.2).then_with(by_path),
        ListSort::Title => a.1.title.cmp(&b.1.title).then_with(by_path),
        ListSort::Path => by_path(),
    }
}
