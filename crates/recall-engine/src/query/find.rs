//! The answer to a statement, and the places of the rows of a page, in order.
//!
//! A place has what the order needs and nothing else; the values of the selected columns are read for the rows of the page only. One
//! row more than the page is looked for, which tells whether there are more. Ties are broken by path, offset and store, so that pages
//! of one generation neither repeat nor skip a row.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use recall_core::rql::{Direction, Field, Object, Order, OrderKey, Query, Row as _, Value};
use recall_core::{
    Chunk, ChunkId, ChunkRow, Document, DocumentRow, Explain, MemoryView, RowSet, StoreScope, Timestamp,
};
use recall_index::catalog::PlacedChunk;
use recall_text::DocPath;

use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::matching::{ConditionPlan, MatchRow, Matching, ReadCounts, StorePlan};
use crate::memory::recalled_as_hit;
use crate::mount::Mount;
use crate::search::{Scored, ScoredChunk, score_chunks};
use crate::warning::{Coverage, Warning};

/// A row that passed the filter.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The index of the store.
    pub(super) store: usize,
    pub(super) document: DocumentRow,
    /// The chunk, if the statement selects chunks.
    pub(super) chunk: Option<ChunkRow>,
    pub(super) score: Option<f64>,
    key: Value<'static>,
    path: DocPath,
    /// The first byte and the ordinal of the chunk.
    offset: (u32, u32),
    scope: StoreScope,
}

/// The places of a page.
pub(super) struct Found {
    pub(super) places: Vec<Place>,
    /// Whether there are rows after the page.
    pub(super) has_more: bool,
    pub(super) plan: QueryPlan,
    pub(super) model: Option<Arc<str>>,
    pub(super) lacks_embeddings: bool,
}

/// Finds the rows of a page.
///
/// # Errors
/// A store cannot be read.
pub(super) fn find(
    stores: &[MountedStore],
    query: &Query,
    now: Timestamp,
    explain: Explain,
) -> Result<Found, StoreError> {
    let own = Mount::default();
    let conditions = Matching::new(query.from, query.filter.as_ref(), &own).plan().to_vec();
    let mut finder = RowFinder { stores, query, now, explain, plans: Vec::new(), passed: 0 };
    let wanted = (query.offset + query.limit) as usize + 1;
    let (mut places, order, model, lacks_embeddings) = if query.is_ranked() {
        let (places, scored) = finder.rank(wanted)?;
        (places, RowOrder::Ranked, scored.model, scored.lacks_embeddings)
    } else {
        let order = if is_natural(query) { RowOrder::Read } else { RowOrder::Sorted };
        (finder.select(wanted, order)?, order, None, false)
    };
    places.sort_by(|a, b| compare(query, a, b));
    let end = wanted - 1;
    let has_more = places.len() > end;
    places.truncate(end);
    places.drain(..(query.offset as usize).min(places.len()));
    let RowFinder { plans, passed, .. } = finder;
    let plan = QueryPlan { conditions, stores: plans, order, passed };
    Ok(Found { places, has_more, plan, model, lacks_embeddings })
}

/// Whether the order is that in which the rows of a store are read.
fn is_natural(query: &Query) -> bool {
    let is_path = |order: Order| order.by == OrderKey::Field(Field::DocPath) && order.direction == Direction::Ascending;
    query.order.is_none_or(is_path)
}

/// Orders rows by the statement's key, then by path, offset and id.
fn compare(query: &Query, a: &Place, b: &Place) -> Ordering {
    let by_score = || b.score.unwrap_or_default().total_cmp(&a.score.unwrap_or_default());
    let by_key = match query.order {
        Some(Order { by: OrderKey::Score, direction: Direction::Descending }) => by_score(),
        Some(Order { by: OrderKey::Score, direction: Direction::Ascending }) => by_score().reverse(),
        Some(Order { by: OrderKey::Field(_), direction: Direction::Descending }) => b.key.order(&a.key),
        Some(Order { by: OrderKey::Field(_), direction: Direction::Ascending }) => a.key.order(&b.key),
        None if query.is_ranked() => by_score(),
        None => Ordering::Equal,
    };
    let identity = |place: &Place| (place.offset, place.scope, place.store);
    by_key.then_with(|| a.path.cmp(&b.path)).then_with(|| identity(a).cmp(&identity(b)))
}

/// Whether a row comes after all rows with a key, by its own key alone.
fn is_after(query: &Query, row: &MatchRow, key: &Value<'_>) -> bool {
    match query.order {
        Some(Order { by: OrderKey::Field(field), direction: Direction::Ascending }) => {
            row.value(field).order(key).is_gt()
        }
        Some(Order { by: OrderKey::Field(field), direction: Direction::Descending }) => {
            row.value(field).order(key).is_lt()
        }
        Some(Order { by: OrderKey::Score, .. }) | None => false,
    }
}

struct RowFinder<'a> {
    stores: &'a [MountedStore],
    query: &'a Query,
    now: Timestamp,
    explain: Explain,
    plans: Vec<StorePlan>,
    passed: u64,
}

impl<'a> RowFinder<'a> {
    /// Prepares the filter for a store.
    fn matching(&self, store: &'a MountedStore) -> Matching<'a> {
        Matching::new(self.query.from, self.query.filter.as_ref(), &store.mount)
    }

    /// Returns at least the first `wanted` rows of each store.
    fn select(&mut self, wanted: usize, order: RowOrder) -> Result<Vec<Place>, StoreError> {
        let mut all = Vec::new();
        for (store, of_store) in self.stores.iter().enumerate() {
            let snapshot = of_store.index.snapshot()?;
            let mut places: Vec<Place> = Vec::new();
            // The key of the last row of those that were kept.
            let mut worst: Option<Value<'static>> = None;
            let mut passed = 0;
            let matching = self.matching(of_store);
            let read = matching.each(of_store, &snapshot, self.now, |row| {
                passed += 1;
                if worst.as_ref().is_some_and(|worst| is_after(self.query, row, worst)) {
                    return ControlFlow::Continue(());
                }
                places.push(place(self.query, store, row, None));
                if order == RowOrder::Read {
                    return if places.len() == wanted { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
                }
                // Sorting whenever twice as many are held costs less than keeping the rows sorted.
                if places.len() >= 2 * wanted {
                    places.sort_by(|a, b| compare(self.query, a, b));
                    places.truncate(wanted);
                    worst = places.last().map(|place| place.key.clone());
                }
                ControlFlow::Continue(())
            })?;
            self.passed += passed;
            let search = match self.explain {
                Explain::On => matching.search_plan(&snapshot).map_err(|source| of_store.index.read_error(source))?,
                Explain::Off => Vec::new(),
            };
            self.plans.push(StorePlan { scope: of_store.scope, search, read });
            all.append(&mut places);
        }
        Ok(all)
    }

    /// Returns at least the first `wanted` rows by the scores of the retrievers.
    fn rank(&mut self, wanted: usize) -> Result<(Vec<Place>, Scored), StoreError> {
        let only = self.allowed_rows()?;
        let Query { semantic, lexical, from, .. } = self.query;
        let scored = score_chunks(self.stores, semantic.as_deref(), lexical.as_deref(), &only)?;
        let mut chunks = scored.chunks.clone();
        if *from != Object::Chunk {
            chunks = best_of_documents(chunks);
        }
        self.passed += chunks.len() as u64;
        // Equal scores are ordered by paths, which are not read yet. Another order needs all rows.
        let is_by_score = self
            .query
            .order
            .is_none_or(|order| order == Order { by: OrderKey::Score, direction: Direction::Descending });
        if is_by_score && chunks.len() > wanted {
            chunks.sort_by(|a, b| b.score.total_cmp(&a.score));
            let last = chunks[wanted - 1].score;
            let ties = chunks[wanted..].iter().take_while(|one| one.score.total_cmp(&last).is_eq()).count();
            chunks.truncate(wanted + ties);
        }
        let mut places = Vec::with_capacity(chunks.len());
        for (store, of_store) in self.stores.iter().enumerate() {
            let here: Vec<ScoredChunk> = chunks.iter().filter(|one| one.store == store).copied().collect();
            let rows: Vec<ChunkRow> = here.iter().map(|one| one.chunk).collect();
            let read = of_store.index.read(|snapshot| {
                let all = snapshot.placed_chunks(&rows)?;
                Ok(here.iter().zip(all).filter_map(|(one, chunk)| Some((one, chunk?))).collect::<Vec<_>>())
            })?;
            for (one, PlacedChunk { document: mut stored, run, chunk }) in read {
                of_store.mount.show(&mut stored.document);
                let mut row = MatchRow {
                    scope: of_store.scope,
                    path: stored.document.path.clone(),
                    stored,
                    run,
                    memory: None,
                    chunk: (*from == Object::Chunk).then_some((one.chunk, chunk)),
                    text: None,
                };
                if let Some(id) = row.stored.document.memory {
                    row.memory = recalled_as_hit(of_store, id, self.now)?.map(Box::new);
                }
                if *from != Object::Memory || row.memory.is_some() {
                    places.push(place(self.query, store, &row, Some(one.score)));
                }
            }
        }
        Ok((places, scored))
    }

    /// Returns the chunks of each store that a retriever may return; `None` for all.
    fn allowed_rows(&mut self) -> Result<Vec<Option<Arc<RowSet>>>, StoreError> {
        let is_restricted = self.query.filter.is_some() || self.query.from == Object::Memory;
        let mut all = Vec::with_capacity(self.stores.len());
        for store in self.stores {
            if !is_restricted {
                all.push(None);
                self.plans.push(StorePlan { scope: store.scope, search: Vec::new(), read: ReadCounts::default() });
                continue;
            }
            let matching = self.matching(store);
            let (rows, read) = matching.chunk_rows(store, self.now)?;
            let search = match self.explain {
                Explain::On => store.index.read(|snapshot| matching.search_plan(snapshot))?,
                Explain::Off => Vec::new(),
            };
            self.plans.push(StorePlan { scope: store.scope, search, read });
            all.push(Some(Arc::new(rows)));
        }
        Ok(all)
    }
}

fn place(query: &Query, place: usize, row: &MatchRow, score: Option<f64>) -> Place {
    let key = match query.order {
        Some(Order { by: OrderKey::Field(field), .. }) => row.value(field).into_owned(),
        _ => Value::Absent,
    };
    Place {
        store: place,
        document: row.stored.row,
        chunk: row.chunk.as_ref().map(|(at, _)| *at),
        score,
        key,
        path: row.path.clone(),
        offset: row.chunk.as_ref().map_or((0, 0), |(_, chunk)| (chunk.span.bytes.start, chunk.ordinal)),
        scope: row.scope,
    }
}

/// Keeps the best chunk of each document.
fn best_of_documents(chunks: Vec<ScoredChunk>) -> Vec<ScoredChunk> {
    let mut best: HashMap<_, ScoredChunk> = HashMap::new();
    for one in chunks {
        match best.entry((one.store, one.document)) {
            Entry::Occupied(mut known) if known.get().score < one.score => {
                known.insert(one);
            }
            Entry::Occupied(_) => {}
            Entry::Vacant(place) => {
                place.insert(one);
            }
        }
    }
    best.into_values().collect()
}

/// The answer to a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryAnswer {
    /// The rows of the page, in order.
    pub rows: Vec<QueryRow>,
    /// The offset of the next page; `None` on the last page.
    pub next_offset: Option<u32>,
    /// The state of each store as this answer saw it.
    pub coverage: Vec<Coverage>,
    /// The number of new or changed files that the answer does not reflect yet.
    pub stale_files: u64,
    /// The name of the embedding model that was used.
    pub model: Option<String>,
    /// How the rows were found, if requested.
    pub plan: Option<QueryPlan>,
    /// The time after the update of the stores.
    pub took: Duration,
    /// Conditions that affect the answer.
    pub warnings: Vec<Warning>,
}

impl QueryAnswer {
    /// Returns the modification time of the newest document that was searched.
    pub fn snapshot(&self) -> Option<Timestamp> {
        self.coverage.iter().filter_map(|coverage| coverage.newest).max()
    }

    /// Returns the number of documents that were searched.
    pub fn documents(&self) -> u64 {
        self.coverage.iter().map(|coverage| coverage.documents).sum()
    }
}

/// A document, a chunk or a memory that satisfies the statement.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryRow {
    /// The scope of the store that it is from.
    pub scope: StoreScope,
    /// The index of its store in the answer's coverage.
    pub store: usize,
    /// The document that the row is, or is a part of.
    pub document: Document,
    /// The chunk and its text, if the statement selects chunks.
    pub chunk: Option<(ChunkId, Chunk, String)>,
    /// The memory and its validity, if the document is one.
    pub memory: Option<Box<MemoryView>>,
    /// The score, if the statement has `USING`.
    pub score: Option<f64>,
}

/// How the rows were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryPlan {
    /// The conditions of the filter and where each was evaluated. Those of the catalog are checked again on what was read.
    pub conditions: Vec<ConditionPlan>,
    /// How each store was read.
    pub stores: Vec<StorePlan>,
    /// How rows were ordered.
    pub order: RowOrder,
    /// The number of rows that passed until the page was complete.
    pub passed: u64,
}

/// How rows were ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowOrder {
    /// They were read in order, as far as the page needs them.
    Read,
    /// All were read and sorted.
    Sorted,
    /// By the scores of the retrievers.
    Ranked,
}

impl RowOrder {
    /// Returns the name, as plans write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read in order",
            Self::Sorted => "sorted",
            Self::Ranked => "ranked",
        }
    }
}
