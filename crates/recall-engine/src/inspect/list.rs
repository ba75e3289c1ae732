//! Listing of a store's documents, and of the stale memories and files among them.

use std::ops::ControlFlow;

use recall_core::{
    Anchor, AnchorState, Document, DocumentId, DocumentRow, DocumentType, Filters, Freshness, Memory, MemoryStatus,
    MemoryView, PathFilter, Scope, StoreScope, Timestamp, age_days,
};
use recall_index::catalog::{ListQuery, ListSort, StoredDocument};
use recall_text::{DocPath, Language, error_chain};

use crate::adopted::Repeats;
use crate::engine::{MountedStore, MountedStores};
use crate::error::{ListError, StoreError};
use crate::inspect::history::RecordStatus;
use crate::ledger::document_of;
use crate::matching::{OutsidePaths, undated_warning};
use crate::memory::{bring_up_anchors, compare_memories_now, compare_memories_soon, flagged_documents, recall_memory};
use crate::origin::Origin;
use crate::search::known_languages;
use crate::warning::{Coverage, Warning};
use crate::{Engine, mask};

/// Which documents are listed, in which order. All conditions must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRequest {
    /// The stores to list.
    pub scope: Scope,
    /// The documents' types; empty for all.
    pub types: Vec<DocumentType>,
    /// The documents' languages; empty for all.
    pub languages: Vec<Language>,
    /// Tags that a document must carry, all of them.
    pub tags: Vec<String>,
    /// A document's path, a directory above it, or a glob, as in a search; `None` for every path.
    pub path: Option<PathFilter>,
    /// Only what was made at or after this time, as in a search.
    pub since: Option<String>,
    /// Only what was made before this time.
    pub before: Option<String>,
    /// The filter on what feedback and age say.
    pub said: Said,
    /// The order of the listing, which pages depend on.
    pub sort: ListSort,
    /// The number of entries to skip.
    pub offset: u32,
    /// The most entries of the page.
    pub limit: u32,
}

/// A filter on what feedback, age and the files say about documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Said {
    /// No condition.
    #[default]
    Anything,
    /// Those that need a review: seldom useful, outdated, or a duplicate.
    Flagged,
    /// Those that another memory may contradict, as far as they were compared.
    Contradicted,
    /// Memories that count once a person accepts them.
    Proposed,
    /// Those that are stale: too old, rated outdated, or with anchors that no longer hold.
    Stale,
}

/// A page of a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The documents of the page.
    pub documents: Vec<Listed>,
    /// How many documents match in all.
    pub total: u64,
    /// The state of each store as the listing saw it.
    pub coverage: Vec<Coverage>,
    /// The offset of the next page; `None` on the last page.
    pub next_offset: Option<u32>,
    /// Conditions that affect the listing.
    pub warnings: Vec<Warning>,
}

/// A document of a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The store's scope.
    pub scope: StoreScope,
    /// The index of its store in the listing's coverage.
    pub store: usize,
    /// The document, with the path that the client sees.
    pub document: Document,
    /// When it was first indexed.
    pub created: Timestamp,
    /// How many chunks it has.
    pub chunks: u32,
    /// The memory and its validity; `None` for a file.
    pub memory: Option<Box<MemoryView>>,
    /// The status that a decision record states.
    pub record: Option<RecordStatus>,
    /// Why it is stale; nothing if it is not.
    pub stale: Vec<StaleReason>,
    /// The paths of other files of agents with the same text, which are not listed.
    pub also_at: Vec<String>,
}

impl Engine {
    /// Lists documents.
    ///
    /// # Errors
    /// A language is unknown, the path is outside of the project, the scope has no store, or a store cannot be opened or read.
    pub fn list(&self, origin: &Origin, request: &ListRequest) -> Result<Listing, ListError> {
        let mut languages = request.languages.clone();
        known_languages(&mut languages)?;
        let paths = self.path_filters(origin, request.path.as_slice(), OutsidePaths::Refuse)?;
        let times = Filters { since: request.since.clone(), before: request.before.clone(), ..Filters::default() };
        let period = self.period(origin, &times)?;
        let MountedStores { stores, mut warnings } = self.fresh_stores(origin, request.scope)?;
        if stores.is_empty() {
            return Err(ListError::NoStore { scope: request.scope });
        }
        let (offset, limit) = (request.offset as usize, request.limit as usize);
        // Each store returns the entries that the page could need from it alone. One more entry decides whether there
        // is a next page.
        // Whoever asks for paths, or for what is flagged or stale, wants each file.
        let folds = paths.resolved.is_empty() && request.said == Said::Anything && period.is_none();
        let is_wanted = |document: &Document| is_asked_for(document, &request.types, &languages, &request.tags);
        let mut repeats = if folds { Repeats::among(&stores, is_wanted)? } else { Repeats::default() };
        let repeated = repeats.counts();
        let query = ListQuery {
            types: request.types.clone(),
            languages: languages.clone(),
            tags: request.tags.clone(),
            sort: request.sort,
            offset: 0,
            limit: (offset + limit) as u64 + 1 + repeated.values().sum::<u64>(),
        };
        let mut documents = Vec::new();
        let mut total = 0;
        let now = self.clock.now();
        for (place, store) in stores.iter().enumerate() {
            if let Err(error) = store.ledger.refresh(now) {
                warnings.push(Warning::JournalsUnread { reason: error_chain(&error) });
            }
            if request.said == Said::Contradicted {
                compare_memories_now(store)?;
                compare_memories_soon(&store.store, &self.comparer);
            }
            let (found, matching) = if folds {
                store.index.read(|snapshot| Ok((snapshot.list(&query)?, snapshot.list_total(&query)?)))?
            } else {
                let mut found = select(store, request.said, &paths.resolved, &query, now)?;
                if let Some(period) = &period {
                    let made = period.select(&store.store)?;
                    warnings.extend(undated_warning(made.undated));
                    found.retain(|stored| made.contains(stored.row));
                }
                let matching = found.len() as u64;
                (found, matching)
            };
            // A search finds no memory that is not in force, even if the index is behind. Neither does a listing.
            let matching = matching.saturating_sub(repeated.get(&place).copied().unwrap_or(0));
            let is_first = |stored: &StoredDocument| !repeats.has(place, &stored.document.path);
            let found: Vec<_> = found.into_iter().filter(is_first).collect();
            let count = found.len();
            let found: Vec<_> = found.into_iter().filter(|stored| counts(store, request.said, stored)).collect();
            total += matching.saturating_sub((count - found.len()) as u64);
            for stored in found {
                let also_at = repeats.take_places(place, &stored.document.path);
                let also_at = also_at.into_iter().map(mask::shown_path).collect();
                let row = stored.row;
                documents.push((store.clone(), row, Listed { also_at, ..list_entry(store, place, stored) }));
            }
        }
        warnings.extend(paths.warnings(&stores, total == 0));
        documents.sort_by(|(.., a), (.., b)| order(request.sort, a, b));
        let next_offset = (documents.len() > offset + limit).then(|| request.offset + request.limit);
        let page = documents.into_iter().skip(offset).take(limit).map(|(store, row, mut listed)| {
            if let Some(id) = listed.document.memory {
                bring_up_anchors(&store, &[id], now)?;
                listed.memory = recall_memory(&store, id, now)?.map(Box::new);
                listed.memory.iter_mut().for_each(|memory| store.mount.show_memory(memory));
            }
            let freshness = &store.settings().freshness;
            listed.stale = match &listed.memory {
                Some(memory) => memory_reasons(memory, freshness, store.time(now)),
                None => file_reason(&listed.document, freshness, now).into_iter().collect(),
            };
            if listed.document.document_type == DocumentType::Adr {
                listed.record = record_status(&store, row)?;
            }
            Ok(listed)
        });
        let documents = page.collect::<Result<_, StoreError>>()?;
        let coverage = stores.iter().map(MountedStore::coverage).collect();
        Ok(Listing { documents, total, coverage, next_offset, warnings })
    }
}

/// Whether a listing has a document: a memory that is in force, or waits where those are listed.
fn counts(store: &MountedStore, said: Said, stored: &StoredDocument) -> bool {
    said == Said::Proposed || stored.document.memory.is_none_or(|id| store.ledger.is_in_force(id))
}

/// Returns the documents of a store that match the filter on paths, flags or age, in no particular order.
fn select(
    store: &MountedStore,
    said: Said,
    paths: &[PathFilter],
    query: &ListQuery,
    now: Timestamp,
) -> Result<Vec<StoredDocument>, StoreError> {
    let matchers: Vec<_> = paths.iter().map(recall_index::lexical::path_matcher).collect();
    let is_inside = |path: &str| matchers.is_empty() || matchers.iter().any(|is_inside| is_inside(path));
    let ids: Vec<DocumentId> = match said {
        Said::Proposed => Vec::new(),
        Said::Flagged => flagged_documents(&store.ledger, &store.facts),
        Said::Stale => stale_documents(store, now)?,
        Said::Contradicted => {
            let ids = store.oppositions.ids().into_iter();
            ids.map(|id| DocumentId::from_path(&id.to_path())).collect()
        }
        Said::Anything => {
            let known = store.index.known_documents();
            let shown = |path: &DocPath| store.mount.outer(path.as_str());
            known
                .document_paths()
                .filter(|path| is_inside(&shown(path)))
                .map(|path| DocumentId::from_path(&path))
                .collect()
        }
    };
    let ListQuery { types, languages, tags, sort: _, offset: _, limit: _ } = query;
    let is_asked_for = |document: &Document| {
        is_asked_for(document, types, languages, tags) && is_inside(&store.mount.outer(document.path.as_str()))
    };
    if said == Said::Proposed {
        return Ok(proposals(store).into_iter().filter(|stored| is_asked_for(&stored.document)).collect());
    }
    store.index.read(|snapshot| {
        let mut found = Vec::new();
        for id in ids {
            found.extend(snapshot.document(id)?.filter(|stored| is_asked_for(&stored.document)));
        }
        Ok(found)
    })
}

/// Returns the documents that the proposals of a store would have. The index has none of them.
fn proposals(store: &MountedStore) -> Vec<StoredDocument> {
    let memories = store.ledger.proposals().into_iter().filter_map(|id| store.ledger.memory(id)).map(mask::memory);
    memories.map(|memory| to_stored(&memory)).collect()
}

fn to_stored(memory: &Memory) -> StoredDocument {
    StoredDocument { row: DocumentRow(0), document: document_of(memory), created: memory.created, chunk_count: 0 }
}

fn is_asked_for(document: &Document, types: &[DocumentType], languages: &[Language], tags: &[String]) -> bool {
    (types.is_empty() || types.contains(&document.document_type))
        && (languages.is_empty() || document.language.as_ref().is_some_and(|known| languages.contains(known)))
        && tags.iter().all(|tag| document.tags.contains(tag))
}

/// Reads the status that a decision record states; `None` if it is gone meanwhile.
fn record_status(store: &MountedStore, row: DocumentRow) -> Result<Option<RecordStatus>, StoreError> {
    store.index.read(|snapshot| {
        let Some((text, stored)) = snapshot.text(row)?.zip(snapshot.document_in(row)?) else { return Ok(None) };
        let Some(RecordStatus { mut text, link }) = RecordStatus::parse(&stored.document.path, &text) else {
            return Ok(None);
        };
        mask::text(&mut text);
        let link = match link {
            Some(path) if snapshot.document_at(&path)?.is_some() => Some(store.mount.outer_path(&path)),
            _ => None,
        };
        Ok(Some(RecordStatus { text, link }))
    })
}

fn list_entry(of: &MountedStore, store: usize, stored: StoredDocument) -> Listed {
    let scope = of.scope;
    let StoredDocument { row: _, mut document, created, chunk_count } = stored;
    of.mount.show(&mut document);
    mask::document(&mut document);
    Listed {
        scope,
        store,
        document,
        created,
        chunks: chunk_count,
        memory: None,
        record: None,
        stale: Vec::new(),
        also_at: Vec::new(),
    }
}

fn order(sort: ListSort, a: &Listed, b: &Listed) -> std::cmp::Ordering {
    let by_path = || (&a.document.path, a.scope).cmp(&(&b.document.path, b.scope));
    match sort {
        ListSort::UpdatedAt => b.document.modified.cmp(&a.document.modified).then_with(by_path),
        ListSort::CreatedAt => b.created.cmp(&a.created).then_with(by_path),
        ListSort::Title => a.document.title.cmp(&b.document.title).then_with(by_path),
        ListSort::Path => by_path(),
    }
}

/// Why an item is stale.
#[derive(Clone, Debug, PartialEq)]
pub enum StaleReason {
    /// It was neither changed nor confirmed for so many days, which are not fewer than the limit of its type.
    Age {
        /// The days since it was changed or confirmed.
        days: u64,
        /// The days from which its type counts as stale.
        limit: u32,
    },
    /// It expired this many whole days ago.
    Expired {
        /// The days since then.
        days: u64,
    },
    /// It was rated outdated, and neither amended nor confirmed since.
    Outdated,
    /// At least half of its anchors no longer hold: these.
    Anchors(Vec<(Anchor, AnchorState)>),
}

/// Returns why a memory is stale; nothing if it is current.
pub(super) fn memory_reasons(view: &MemoryView, freshness: &Freshness, now: Timestamp) -> Vec<StaleReason> {
    if view.status == MemoryStatus::Current {
        return Vec::new();
    }
    let memory = &view.memory;
    let since = view.verification.verified.map_or(memory.updated, |verified| verified.max(memory.updated));
    let limit = freshness.memory_limits(memory.id.memory_type).stale_days;
    let age =
        limit.filter(|_| view.staleness >= 1.0).map(|limit| StaleReason::Age { days: age_days(since, now), limit });
    let is_outdated = memory.feedback.last_outdated.is_some_and(|outdated| outdated > since);
    let broken = Some(view.verification.broken.clone()).filter(|broken| !broken.is_empty());
    let until = memory.valid.until.as_ref().map(|until| until.at).filter(|until| *until <= now);
    let expired = until.map(|until| StaleReason::Expired { days: age_days(until, now) });
    let all = [expired, is_outdated.then_some(StaleReason::Outdated), broken.map(StaleReason::Anchors), age];
    all.into_iter().flatten().collect()
}

/// Returns why a file is stale.
pub(super) fn file_reason(file: &Document, freshness: &Freshness, now: Timestamp) -> Option<StaleReason> {
    let limit = freshness.file_limit(file.document_type).filter(|_| file.memory.is_none())?;
    let days = age_days(file.modified, now);
    (days >= u64::from(limit)).then_some(StaleReason::Age { days, limit })
}

/// Returns the stale memories and files of a store, in no particular order.
pub(super) fn stale_documents(store: &MountedStore, now: Timestamp) -> Result<Vec<DocumentId>, StoreError> {
    let memories = store.ledger.ids();
    bring_up_anchors(store, &memories, now)?;
    let mut found = Vec::new();
    for id in memories {
        let view = recall_memory(store, id, now)?;
        if view.is_some_and(|view| view.status != MemoryStatus::Current) {
            found.push(DocumentId::from_path(&id.to_path()));
        }
    }
    let settings = store.settings();
    if settings.freshness.stale_after_days.is_empty() {
        return Ok(found);
    }
    store.index.read(|snapshot| {
        snapshot.each_document(None, |stored, _| {
            found.extend(file_reason(&stored.document, &settings.freshness, now).map(|_| stored.document.id));
            Ok(ControlFlow::Continue(()))
        })
    })?;
    Ok(found)
}
