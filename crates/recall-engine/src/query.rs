//! Statements of the query language: exact filters over documents, chunks and memories.
//!
//! A statement has no ranking: the order is total and depends on the generation only, so pages have each row once. What a condition
//! means is in [`recall_core::rql`]; what the catalog can evaluate of it is in [`matching`](crate::matching).

mod find;
mod read;

use std::time::Instant;

use recall_core::rql::{Object, Query};
use recall_core::{Explain, OtherProjects, Scope};
use recall_text::error_chain;

use crate::Engine;
use crate::engine::{MountedStore, MountedStores};
use crate::error::SearchError;
use crate::origin::Origin;
use crate::search::ATTEMPTS;
use crate::warning::{Coverage, Warning};
use find::{Found, find};
use read::{Page, Reader};

pub use find::{QueryAnswer, QueryPlan, QueryRow, RowOrder};

/// A statement to be answered.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryRequest {
    /// The statement, whose names and limits are checked.
    pub query: Query,
    /// The stores to read.
    pub scope: Scope,
    /// Whether the answer has the plan.
    pub explain: Explain,
}

impl Engine {
    /// Answers a statement.
    ///
    /// First updates the stores from their files, within the time budget, as a search does. The file of each row is compared with its
    /// indexed state. The order of rows is the same for the same generation, so pages have each row once.
    ///
    /// # Errors
    /// The scope has no store, or a store cannot be opened or read.
    pub fn query(&self, origin: &Origin, request: &QueryRequest) -> Result<QueryAnswer, SearchError> {
        self.repairing(|| self.answer_query(origin, request))
    }

    fn answer_query(&self, origin: &Origin, request: &QueryRequest) -> Result<QueryAnswer, SearchError> {
        let QueryRequest { query, scope, explain } = request;
        let none = OtherProjects::None;
        let MountedStores { stores, mut warnings } =
            self.prepared_stores(origin, *scope, &none, |store| self.prepare(store))?;
        if stores.is_empty() {
            return Err(SearchError::NoStore { scope: *scope });
        }
        if query.from == Object::Memory {
            self.refresh_ledgers(&stores);
        }
        let began = Instant::now();
        let now = self.clock.now();
        let reader = Reader { stores: &stores, query, now };
        let mut attempt = 0;
        loop {
            attempt += 1;
            let is_last = attempt == ATTEMPTS;
            let Found { places, has_more, plan, model, lacks_embeddings } = find(&stores, query, now, *explain)?;
            let Some(Page { rows, left_out, masked }) = reader.read(&places, is_last)? else { continue };
            warnings
                .extend(left_out.iter().map(|path| Warning::LeftOut { path: crate::mask::shown_path(path.clone()) }));
            warnings.extend(masked.iter().map(|path| Warning::SecretsMasked { path: path.clone() }));
            if lacks_embeddings {
                warnings.push(Warning::EmbeddingsToCome);
            }
            let coverage: Vec<Coverage> = stores.iter().map(MountedStore::coverage).collect();
            let stale_files = left_out.len() as u64 + coverage.iter().map(Coverage::files_to_come).sum::<u64>();
            return Ok(QueryAnswer {
                rows,
                next_offset: has_more.then(|| query.offset + query.limit),
                coverage,
                stale_files,
                model: model.map(|name| name.to_string()),
                plan: (*explain == Explain::On).then_some(plan),
                took: began.elapsed(),
                warnings,
            });
        }
    }

    /// Reads the journals, so that a memory that was deleted meanwhile is not a row.
    fn refresh_ledgers(&self, stores: &[MountedStore]) {
        for store in stores {
            if let Err(error) = store.ledger.refresh_if_needed(self.clock.now()) {
                tracing::warn!(root = %store.root.display(), reason = error_chain(&error), "the journals were not read");
            }
        }
    }
}
