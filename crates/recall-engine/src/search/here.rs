//! A store of this machine, as a search asks it.
//!
//! Candidates come from the lexical index, texts from the catalog, and the two commit one after the other (ADR 1). So a candidate's
//! row may be gone from the catalog for a moment: the search waits for the generation that is being published, and starts again.
//! Each chunk's file is compared with its indexed state before the chunk becomes a hit, at one `stat` a file.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use recall_core::rql::Object;
use recall_core::{
    Ablation, ChunkRow, DocumentKey, DocumentRow, MemoryId, MemoryView, ModelFingerprint, RowSet, Understood,
};
use recall_index::catalog::{ChunkedDocument, StoredChunk};
use recall_index::lexical::{Closeness, ClosenessReader, Depths, Facets, LookedUp, Searcher, TieBreaker};
use recall_text::{DocPath, error_chain};

use super::annotations::find_annotated;
use super::answer::Hit;
use super::context::{Search, SearchedStore, StoreFacets};
use super::copied;
use super::definitions::find_begun;
use super::dependencies::find_declarations;
use super::directories::find_files_of_directory;
use super::expand::changed_documents;
use super::framed::Framed;
use super::joined_words;
use super::messages::Literals;
use super::named_files::find_files_by_stem;
use super::operators::find_operators;
use super::options::find_option_readers;
use super::releases::find_sections;
use super::retriever_weights::{DEPTH, NEAREST_DEPTH, RARE_WORDS, RetrieverWeights, may_name_a_file};
use super::semantic::{self, QueryNearness};
use super::store_results::{ChunksRead, Links, PastValues, StoreResults};
use crate::embeddings::{ChunkTexts, Near};
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::indexing::refresh_documents;
use crate::known::Known;
use crate::matching::Matching;
use crate::memory::{Anchored, recalled_by_search};
use crate::mount::Mount;
use crate::ranking::FeatureSet;
use crate::store::{Passage, Passages, Store};
use crate::task_pool::Deferred;
use crate::warning::Coverage;

/// How long a search waits for a generation that is being published.
const PUBLICATION_PATIENCE: Duration = Duration::from_secs(2);

impl SearchedStore for MountedStore {
    fn models(&self) -> Option<Vec<ModelFingerprint>> {
        semantic::models_of(self)
    }

    fn retrieve(
        &self,
        search: &Search<'_>,
        weights: &RetrieverWeights,
        models: Option<&[ModelFingerprint]>,
    ) -> Result<StoreResults, StoreError> {
        let (tasks, known) = (&search.engine.tasks, self.index.known_documents());
        let understood = &*with_telling_paths(understood_in(search, self), &known);
        let depth = |weight| if weight > 0.0 { DEPTH } else { 0 };
        // Nothing replaces words that are left out.
        let has_words = weights.lexical > 0.0;
        let depths = Depths {
            lexical: depth(weights.lexical),
            symbol: depth(weights.symbol),
            path: if may_name_a_file(understood) { depth(weights.path) } else { 0 },
            rare_words: if has_words && !search.request.without.contains(&Ablation::RareWords) {
                RARE_WORDS
            } else {
                0
            },
        };
        let failed = |source| self.index.search_error(source);
        let only = allowed_rows(search, self)?;
        let searcher = self.index.searcher().among(only.clone());
        let find = if weights.asks_semantic() {
            semantic::near(self, &searcher, understood, NEAREST_DEPTH, models).map_err(failed)?
        } else {
            None
        };
        let find = find.map(|find| tasks.spawn_from(searcher.chunk_count(), find));
        let mut near = Ok(None);
        let neighbours = || {
            near = find.map_or(Ok(None), Deferred::try_join);
            let near: Option<&Near> = near.as_ref().ok().and_then(Option::as_ref);
            near.map(|near| near.neighbours.clone()).unwrap_or_default()
        };
        let literals = if has_words { Literals::find(self, understood)? } else { Literals::default() };
        let tie = |document| known.tie_breaker(document);
        let tie_breaker = (!known.memories.is_empty()).then_some(&tie as TieBreaker<'_>);
        let mut framed = find_framed(self, &searcher, &known, understood, only.as_deref())?;
        let joined =
            if depths.rare_words > 0 { joined_words::look_up(self, &searcher, understood)? } else { Vec::new() };
        let literal: Vec<ChunkRow> = literals.chunks().into_iter().chain(framed.chunks()).collect();
        let looked_up = LookedUp { literal: &literal, joined: &joined };
        let retrieved = searcher.retrieve(understood, &understood.filters, depths, neighbours, looked_up, tie_breaker);
        // A panic in the model is passed on here, so that it is not reported as damage of the lexical index.
        let near = near.unwrap_or_else(|panic| resume_unwind(panic));
        let found = near.as_ref().map(|near| QueryNearness {
            model: Arc::clone(&near.model),
            features: if near.is_blended() { FeatureSet::Blended } else { FeatureSet::Semantic },
            nearness: Box::new(|rows| near.nearness(rows)),
        });
        let mut results = retrieved.map_err(failed)?;
        if has_words && framed.is_empty() {
            framed.add_equal(copied::find_copied(self, &known, &results, understood)?, only.as_deref());
        }
        literals.mark(&mut results.evidence, only.as_deref());
        framed.mark(&mut results.evidence);
        let links = links(search, self);
        let past = PastValues::find(search.past, &search.request.query, understood, self, &known);
        Ok(StoreResults { framed, past, ..StoreResults::new(results, found, weights, links, Arc::clone(&known)) })
    }

    fn closeness(
        &self,
        search: &Search<'_>,
        rows: Vec<ChunkRow>,
        chunks: u64,
    ) -> Deferred<Result<Vec<Option<Closeness>>, StoreError>> {
        let (store, mut reader) = (Arc::clone(&self.store), ClosenessReader::new(search.understood));
        search.engine.tasks.spawn_from(chunks, move || {
            // A missing chunk is being replaced. Reading the hits notices it and the search restarts.
            let texts = store.index.read(|snapshot| snapshot.chunk_texts(&rows))?;
            Ok(texts.into_iter().map(|text| text.map(|text| reader.read(&text))).collect())
        })
    }

    fn model_texts(
        &self,
        chunks: &[(DocumentRow, ChunkRow)],
        build: fn(&ChunkedDocument) -> ChunkTexts,
    ) -> Result<Vec<String>, StoreError> {
        let mut texts = vec![String::new(); chunks.len()];
        let mut places: Vec<usize> = (0..chunks.len()).collect();
        places.sort_unstable_by_key(|&place| chunks[place].0);
        for of_one in places.chunk_by(|&one, &other| chunks[one].0 == chunks[other].0) {
            let Some(chunked) = self.store.index.read(|snapshot| snapshot.chunked_document(chunks[of_one[0]].0))?
            else {
                continue;
            };
            let document = build(&chunked);
            for &place in of_one {
                texts[place] = document.text_of(chunks[place].1).unwrap_or_default();
            }
        }
        Ok(texts)
    }

    fn hits(
        &self,
        search: &Search<'_>,
        chunks: &[(DocumentRow, ChunkRow)],
        is_last: bool,
    ) -> Result<ChunksRead, StoreError> {
        let rows: Vec<ChunkRow> = chunks.iter().map(|&(_, row)| row).collect();
        let mut compared = Compared::with_files(search, self, self.index.passages(&rows)?)?;
        // A cached passage may have the size and time from before a `touch`. Read again, it may be equal, and nothing is indexed.
        if compared.passages.are_any_kept && !compared.changed.is_empty() {
            compared = Compared::with_files(search, self, self.index.read_passages_uncached(&rows)?)?;
        }
        let Compared { passages, memories, changed } = compared;
        if passages.all.iter().any(Option::is_none) && !is_last {
            // The catalog already holds the batch that the lexical index is about to publish.
            self.index.wait_for_generation(passages.generation, PUBLICATION_PATIENCE);
            return Ok(ChunksRead::Overtaken);
        }
        let checked = memories.values().filter(|_| self.settings().freshness.check_on_search);
        // A memory says whether the files that it is about are as they were, so these must be as fresh as its own document.
        let changed_anchors = Anchored::new(self).changed_files(checked.map(|recalled| &recalled.memory));
        if !changed_anchors.is_empty() && !is_last && bring_up(search, self, &changed_anchors) {
            return Ok(ChunksRead::Overtaken);
        }
        if !changed.is_empty() && !is_last && bring_up(search, self, &changed) {
            return Ok(ChunksRead::Overtaken);
        }
        let as_hit = |passage: Option<Arc<Passage>>| {
            let passage = passage.filter(|one| !changed.contains(&one.stored.document.document.key()))?;
            let id = passage.stored.document.document.memory;
            let memory = id.and_then(|id| memories.get(&id).cloned()).map(Box::new);
            Some(Hit { memory, ..hit(self, &passage) })
        };
        Ok(ChunksRead::Read {
            hits: passages.all.into_iter().map(as_hit).collect(),
            left_out: changed.iter().map(|key| self.mount.outer(key.to_path().as_str())).collect(),
            unread: None,
        })
    }

    fn facets(&self, search: &Search<'_>) -> Result<StoreFacets, StoreError> {
        let understood = understood_in(search, self);
        let searcher = self.index.searcher().among(allowed_rows(search, self)?);
        let counted = searcher.facets(&understood, &understood.filters);
        let counted = counted.map_err(|source| self.index.search_error(source))?;
        let mut directories = BTreeMap::new();
        for (directory, count) in counted.directories {
            *directories.entry(outer_directory(&self.mount, &directory)).or_default() += count;
        }
        Ok(StoreFacets { counts: Facets { directories, ..counted }, warning: None })
    }

    fn is_of_somebody_else(&self, _: DocumentRow) -> bool {
        false
    }

    fn mount(&self) -> &Mount {
        &self.mount
    }

    fn coverage(&self) -> Coverage {
        Self::coverage(self)
    }
}

/// Returns the places of a store that a query names, of those in `only`.
fn find_framed(
    store: &Store,
    searcher: &Searcher,
    known: &Known,
    understood: &Understood,
    only: Option<&RowSet>,
) -> Result<Framed, StoreError> {
    let mut framed = Framed::default();
    // A question about the users of `test/fuzzing` is not about the directory.
    if understood.used_name.is_none() {
        framed.add_files(find_files_of_directory(store, known, understood)?, only);
    }
    if framed.is_empty() {
        framed.add_allowed(find_sections(store, known, understood)?, only);
    }
    if framed.is_empty() {
        framed.add_files(find_annotated(store, searcher, understood)?, only);
    }
    if framed.is_empty() {
        framed.add_equal(find_operators(store, understood)?, only);
    }
    if framed.is_empty() {
        framed.add_allowed(find_declarations(store, searcher, known, understood, true)?, only);
    }
    if framed.is_empty() {
        framed.add_allowed(find_option_readers(store, understood)?, only);
    }
    if framed.is_empty() {
        framed = Framed::find(store, searcher, understood, only)?;
    }
    if framed.is_empty() {
        framed.add_allowed(find_declarations(store, searcher, known, understood, false)?, only);
    }
    if framed.is_empty() {
        framed.add_allowed(find_files_by_stem(store, searcher, understood)?, only);
    }
    if framed.is_empty() {
        framed.add_equal(find_begun(store, searcher, understood)?, only);
    }
    Ok(framed)
}

/// Returns a directory of a store as the client sees it: at most two components.
fn outer_directory(mount: &Mount, directory: &str) -> String {
    let outer = mount.outer_directory(directory);
    outer.split('/').take(2).collect::<Vec<_>>().join("/")
}

/// Returns the chunks of a store that satisfy the condition of a search and were made in its period; `None` without either.
pub(super) fn allowed_rows(search: &Search<'_>, store: &MountedStore) -> Result<Option<Arc<RowSet>>, StoreError> {
    let filtered = match search.filter {
        Some(filter) => {
            let matching = Matching::new(Object::Chunk, Some(filter), &store.mount);
            Some(matching.chunk_rows(store, search.engine.clock.now())?.0)
        }
        None => None,
    };
    match search.period {
        Some(period) => Ok(Some(Arc::new(period.chunk_rows(store, filtered.as_ref())?))),
        None => Ok(filtered.map(Arc::new)),
    }
}

/// The most files that a question about the project as a whole expects.
const MOST_TELLING: usize = 8;

/// Adds the files that answer a question about the project as a whole by their name.
fn with_telling_paths<'a>(understood: Cow<'a, Understood>, known: &Known) -> Cow<'a, Understood> {
    let Some(onboarding) = understood.onboarding else { return understood };
    let indexed = known.files.iter().filter(|(_, file)| file.hash.is_some());
    let ranked = indexed.filter_map(|(path, _)| Some((onboarding.rank(&DocPath::new(path).ok()?)?, path)));
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_unstable();
    if ranked.first().is_some_and(|(rank, _)| onboarding.is_answered_by(*rank)) {
        ranked.retain(|(rank, _)| onboarding.is_answered_by(*rank));
    }
    let telling_paths = ranked.into_iter().take(MOST_TELLING).map(|(_, path)| path.to_string()).collect();
    Cow::Owned(Understood { telling_paths, ..understood.into_owned() })
}

/// Returns the query as it concerns a store.
pub(super) fn understood_in<'a>(search: &Search<'a>, store: &MountedStore) -> Cow<'a, Understood> {
    store.mount.inner_query(search.understood).map_or(Cow::Borrowed(search.understood), Cow::Owned)
}

fn links(search: &Search<'_>, store: &Store) -> Links {
    if search.request.without.contains(&Ablation::Structure) {
        return Links::LeftOut;
    }
    let structure = store.index.structure();
    if structure.is_read() { Links::Read(structure) } else { Links::ToCome }
}

/// Passages, compared with the current state of their files and memories.
struct Compared {
    passages: Passages,
    memories: HashMap<MemoryId, MemoryView>,
    /// The files and memories that differ from what was read of them.
    changed: BTreeSet<DocumentKey>,
}

impl Compared {
    fn with_files(search: &Search<'_>, store: &Store, passages: Passages) -> Result<Self, StoreError> {
        let stored = || passages.all.iter().flatten().map(|passage| &passage.stored);
        let memories = memories(search, store, stored())?;
        let changed = changed_documents(store, stored().map(|chunk| &chunk.document.document));
        Ok(Self { passages, memories, changed })
    }
}

/// Returns the memories of the chunks, with their validity.
fn memories<'a>(
    search: &Search<'_>,
    store: &Store,
    stored: impl Iterator<Item = &'a StoredChunk>,
) -> Result<HashMap<MemoryId, MemoryView>, StoreError> {
    let now = search.engine.clock.now();
    let ids: BTreeSet<_> = stored.filter_map(|chunk| chunk.document.document.memory).collect();
    store.ledger.load_memories(ids.iter().copied());
    let mut memories = HashMap::with_capacity(ids.len());
    for id in ids {
        memories.extend(recalled_by_search(store, id, now)?.map(|recalled| (id, recalled)));
    }
    Ok(memories)
}

/// Indexes the changed files. Returns whether that succeeded in time.
fn bring_up(search: &Search<'_>, store: &Arc<Store>, changed: &BTreeSet<DocumentKey>) -> bool {
    let engine = search.engine;
    match refresh_documents(store, changed, engine.clock.now(), engine.settings.few_files_wait) {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(root = %store.root.display(), reason = error_chain(&error), "changed files are not indexed");
            false
        }
    }
}

fn hit(store: &Store, passage: &Passage) -> Hit {
    let Passage { stored, parents } = passage;
    let (document, chunk) = (stored.document.document.clone(), stored.chunk.clone());
    Hit {
        created: Some(stored.document.created),
        parents: parents.clone(),
        ..Hit::new(store.scope, document, chunk, stored.text.clone())
    }
}
