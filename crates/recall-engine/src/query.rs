//! Statements of the query language: exact filters over documents, chunks and memories.
//!
//! A statement has no ranking: the order is total and depends on the generation only, so pages have each row once. What a condition
//! means is in [`recall_core::rql`]; what the catalog can evaluate of it is in [`matching`](crate::matching).

mod find;

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use recall_core::rql::{Field, Object, Query, Selected};
use recall_core::{ChunkRow, Document, DocumentId, DocumentKey, Explain, OtherProjects, Scope, Timestamp};
use recall_text::error_chain;

use crate::engine::{MountedStore, MountedStores};
use crate::error::{SearchError, StoreError};
use crate::indexing::refresh_documents;
use crate::mask::{Masked, Whole};
use crate::memory::{Anchored, recalled_as_hit};
use crate::origin::Origin;
use crate::search::{ATTEMPTS, changed_documents, warn_of_problems};
use crate::store::Store;
use crate::warning::{Coverage, Warning};
use crate::{Engine, mask};
use find::{Found, Place, find};
use recall_index::catalog::StoredChunk;

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
            self.prepared_stores(origin, *scope, &none, |store| self.prepare(store, None))?;
        if stores.is_empty() {
            return Err(SearchError::NoStore { scope: *scope });
        }
        if query.from == Object::Memory {
            self.refresh_ledgers(&stores);
        }
        let began = Instant::now();
        let now = self.clock.now();
        let reader = Reader { stores: &stores, query, now, patience: self.settings.few_files_wait };
        let mut attempt = 0;
        loop {
            attempt += 1;
            let is_last = attempt == ATTEMPTS;
            let Found { places, has_more, plan, model, lacks_embeddings } = find(&stores, query, now, *explain)?;
            let Some(Page { rows, left_out, masked }) = reader.read(&places, is_last)? else { continue };
            warnings
                .extend(left_out.iter().map(|path| Warning::LeftOut { path: crate::mask::shown_path(path.clone()) }));
            warnings.extend(masked.iter().map(|path| Warning::SecretsMasked { path: path.clone() }));
            if query.semantic.is_some() {
                warnings.extend(warn_of_problems(&stores, model.as_deref()));
            }
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

/// The rows of a page.
struct Page {
    rows: Vec<QueryRow>,
    /// Files that changed and could not be indexed in time.
    left_out: BTreeSet<String>,
    /// Files with masked secrets.
    masked: BTreeSet<String>,
}

/// Reads the rows of a statement.
struct Reader<'a> {
    stores: &'a [MountedStore],
    query: &'a Query,
    now: Timestamp,
    /// How long changed files wait for their turn to be indexed.
    patience: Duration,
}

struct StoredRow {
    document: Document,
    chunk: Option<StoredChunk>,
}

impl Reader<'_> {
    /// Reads the rows at the places. `None` if a file had changed and was indexed, or a row is gone: the rows must be found again.
    ///
    /// # Errors
    /// A store cannot be read.
    fn read(&self, places: &[Place], is_last: bool) -> Result<Option<Page>, StoreError> {
        let mut page =
            Page { rows: Vec::with_capacity(places.len()), left_out: BTreeSet::new(), masked: BTreeSet::new() };
        let mut stored: Vec<Option<StoredRow>> = Vec::new();
        stored.resize_with(places.len(), || None);
        let mut changed: Vec<BTreeSet<DocumentKey>> = Vec::with_capacity(self.stores.len());
        for (number, store) in self.stores.iter().enumerate() {
            let here: Vec<usize> = (0..places.len()).filter(|&place| places[place].store == number).collect();
            let rows = self.stored_rows(store, &here, places)?;
            if rows.iter().any(Option::is_none) && !is_last {
                return Ok(None);
            }
            let documents = || rows.iter().flatten().map(|row| &row.document);
            let mut differing = changed_documents(store, documents());
            let ids: Vec<_> = documents().filter_map(|document| document.memory).collect();
            store.ledger.load_memories(ids.iter().copied());
            let memories: Vec<_> = ids.iter().filter_map(|id| store.ledger.memory(*id)).collect();
            let anchors = Anchored::new(store).changed_files(memories.iter());
            let to_index: BTreeSet<DocumentKey> = differing.iter().chain(&anchors).cloned().collect();
            if !to_index.is_empty() && !is_last {
                match refresh_documents(store, &to_index, self.now, self.patience) {
                    Ok(()) => return Ok(None),
                    Err(error) => {
                        let reason = error_chain(&error);
                        tracing::warn!(root = %store.root.display(), reason, "changed files are not indexed");
                    }
                }
            }
            page.left_out.extend(differing.iter().map(|key| store.mount.outer(key.to_path().as_str())));
            changed.push(std::mem::take(&mut differing));
            for (place, row) in here.into_iter().zip(rows) {
                stored[place] = row;
            }
        }
        let mut texts = HashMap::new();
        for (place, row) in places.iter().zip(stored) {
            let Some(row) = row.filter(|row| !changed[place.store].contains(&row.document.key())) else { continue };
            let (row, masked) = self.shown_row(place, row, &mut texts)?;
            if masked == Masked::Yes {
                page.masked.insert(row.document.path.as_str().to_owned());
            }
            page.rows.push(row);
        }
        Ok(Some(page))
    }

    /// Reads the rows of one store in the order of `here`. `None` for a row that is gone.
    fn stored_rows(
        &self,
        store: &Store,
        here: &[usize],
        places: &[Place],
    ) -> Result<Vec<Option<StoredRow>>, StoreError> {
        store.index.read(|snapshot| {
            if self.query.from != Object::Chunk {
                let document = |&place: &usize| {
                    let stored = snapshot.document_in(places[place].document)?;
                    Ok(stored.map(|stored| StoredRow { document: stored.document, chunk: None }))
                };
                return here.iter().map(document).collect();
            }
            let rows: Vec<ChunkRow> = here.iter().filter_map(|&place| places[place].chunk).collect();
            let row = |chunk: StoredChunk| StoredRow { document: chunk.document.document.clone(), chunk: Some(chunk) };
            Ok(snapshot.hits(&rows)?.into_iter().map(|chunk| chunk.map(row)).collect())
        })
    }

    /// Returns a row with its secrets masked.
    fn shown_row(
        &self,
        place: &Place,
        stored: StoredRow,
        texts: &mut HashMap<(usize, DocumentId), Option<Whole>>,
    ) -> Result<(QueryRow, Masked), StoreError> {
        let store = &self.stores[place.store];
        let StoredRow { mut document, chunk } = stored;
        let mut chunk = chunk.map(|StoredChunk { id, chunk, text, .. }| (id, chunk, text));
        let memory = match document.memory.filter(|_| self.needs_memory()) {
            Some(id) => recalled_as_hit(store, id, self.now)?.map(|mut memory| {
                store.mount.show_memory(&mut memory);
                Box::new(memory)
            }),
            None => None,
        };
        let depends = |part: &str| document.memory.is_none() && mask::depends_on_whole(&document.path, part);
        let needs_whole = depends(&document.title) || chunk.as_ref().is_some_and(|(_, _, text)| depends(text));
        let mut masked = Masked::No;
        if needs_whole {
            let whole = match texts.entry((place.store, document.id)) {
                std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::hash_map::Entry::Vacant(free) => free.insert(store.index.whole_text(&document)?),
            };
            if let Some(whole) = whole {
                masked = masked.or(whole.mask_label(&mut document.title));
                if let Some((_, chunk, text)) = &mut chunk {
                    let at = chunk.span.bytes.start as usize..chunk.span.bytes.end as usize;
                    masked = masked.or(whole.mask_part(text, at));
                }
            }
        }
        if let Some((_, chunk, text)) = &mut chunk {
            masked = masked.or(mask::text(text));
            masked = masked.or(mask::some_text(&mut chunk.symbol)).or(mask::some_text(&mut chunk.signature));
        }
        match &mut chunk {
            Some((id, ..)) => store.mount.show_chunk(&mut document, id),
            None => store.mount.show(&mut document),
        }
        masked = masked.or(mask::document(&mut document));
        let Place { score, .. } = *place;
        Ok((QueryRow { scope: store.scope, store: place.store, document, chunk, memory, score }, masked))
    }

    /// Whether a selected column is one of memories.
    fn needs_memory(&self) -> bool {
        self.query.columns.iter().any(|column| match column {
            Selected::Field(field) => field.object() == Object::Memory || *field == Field::DocStaleness,
            Selected::Score => false,
        })
    }
}
