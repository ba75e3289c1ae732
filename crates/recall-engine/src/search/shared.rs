//! A store that a team shares, as a search asks it.
//!
//! A server returns documents with their analyses. The same lists, evidence and features are computed from them as from a store of
//! this machine, with the statistics of the whole server, so one order covers both (ADR 41). Ranking on the server would be a second
//! order to keep equal, in SQL and in the language of every other server.
//!
//! All candidates are fetched before the pipeline runs; it then asks the answer as it asks a store. Only texts are fetched later. A
//! server that does not answer in time is a warning, never an error of the search.

use std::collections::BTreeSet;
use std::sync::Arc;

use recall_core::rql::Filter;
use recall_core::{ChunkRow, DocumentRow, ModelFingerprint, Neighbour, Scope, SearchRequest, StoreScope, Understood};
use recall_index::catalog::ChunkedDocument;
use recall_index::lexical::{
    Closeness, ClosenessReader, Depths, Facets, Lengths, NearSpellings, PortableDocument, PortableQuery, Retrieved,
    Statistics, WeightedKey,
};
use recall_shared::{Ask, Document, FacetCounts, FacetScan, Found, Guarded, Key, StoreError, Weighted};
use recall_text::error_chain;
use rustc_hash::FxHashMap;

use super::answer::Hit;
use super::context::{Search, SearchedStore, StoreFacets};
use super::retriever_weights::{DEPTH, NEAREST_DEPTH, RetrieverWeights, may_name_a_file};
use super::semantic::QueryNearness;
use super::store_results::{ChunksRead, Links, StoreResults};
use crate::embeddings::{ChunkTexts, Nearness};
use crate::engine::MountedStore;
use crate::matching::{narrow_published, passing_chunks, reads_texts};
use crate::mount::Mount;
use crate::origin::Origin;
use crate::ranking::FeatureSet;
use crate::shared::{Record, coverage_of, in_store, model_of, store_filters, warn_of_failure};
use crate::task_pool::Deferred;
use crate::warning::{Coverage, Warning};
use crate::{Engine, error};

/// What a shared store answered.
pub(super) struct SharedAnswer {
    store: Guarded,
    /// By row, from 1.
    documents: Vec<SharedDocument>,
    statistics: Statistics,
    /// The lists of the retrievers and the evidence.
    retrieved: Retrieved,
    /// The cosines of the candidates.
    cosines: FxHashMap<i64, f32>,
    /// The model that gave the cosines; `None` if the store has no embeddings by the model of this machine.
    model: Option<(Arc<str>, ModelFingerprint)>,
    /// How many documents were found. A filter expression is evaluated on them here.
    compared: usize,
    /// How many further documents were found that another version of recall published.
    left_out: usize,
    /// What its facets count; `None` if there is a filter expression: the server cannot evaluate it on all documents.
    counted: Option<FacetScan>,
    /// Its paths are those that the client sees.
    mount: Mount,
}

/// How many candidates a retriever returns if a filter is evaluated on them here, which may leave out most.
const FILTERED_DEPTH: usize = 300;

/// A document of a shared store.
struct SharedDocument {
    repository: String,
    record: Record,
    chunks: Vec<Key>,
    first_chunk: i64,
}

/// A request to a shared store that may still be running.
pub(super) type Pending = Deferred<Result<SharedAnswer, Warning>>;

/// Starts to ask the shared stores that a request is about. Files of a repository that a store of this machine has are left out: those
/// of this machine are newer.
pub(super) fn ask(
    engine: &Engine,
    origin: &Origin,
    scope: Scope,
    understood: &Understood,
    request: &SearchRequest,
    filter: Option<&Filter>,
    stores: &[MountedStore],
) -> Vec<Pending> {
    let asked: Vec<&Guarded> = engine.shared_stores(origin, scope).collect();
    if asked.is_empty() || request.without.iter().any(|stage| stage.as_str() == "shared") {
        return Vec::new();
    }
    let own = repositories(stores);
    let start = |store: &Guarded| {
        let (store, understood, own) = (store.clone(), understood.clone(), own.clone());
        let (model, filter) = (engine.settings.model.clone(), filter.cloned());
        engine.tasks.spawn(move || {
            let name = store.name.clone();
            let answer = SharedAnswer::new(store, &understood, own, model.as_ref(), filter.as_ref());
            answer.map_err(|error| warn_of_failure(&name, &error))
        })
    };
    asked.into_iter().map(start).collect()
}

/// Returns the names of the repositories of which stores of this machine are clones: their files are newer here.
pub(crate) fn repositories(stores: &[MountedStore]) -> Vec<String> {
    stores.iter().filter(|store| !store.is_auto_memory).map(|store| store.repository_name()).collect()
}

impl SharedAnswer {
    fn new(
        store: Guarded,
        understood: &Understood,
        without: Vec<String>,
        model: Option<&crate::settings::EmbeddingModel>,
        filter: Option<&Filter>,
    ) -> Result<Self, StoreError> {
        let mut query = PortableQuery::new(understood);
        let mut statistics = match store.statistics(&query.keys()) {
            Ok(statistics) => convert(statistics),
            Err(StoreError::Empty) => return Ok(Self::empty(store)),
            Err(error) => return Err(error),
        };
        let near = NearSpellings::new(understood, &statistics);
        let near_keys = near.keys();
        if !near_keys.is_empty() {
            let counts = store.statistics(&near_keys)?.counts;
            query.suggest(&near, &counts);
            statistics.counts.extend(counts);
        }
        let depths = Depths {
            lexical: DEPTH,
            symbol: DEPTH,
            path: if may_name_a_file(understood) { DEPTH } else { 0 },
            // A shared store knows no words as they are written.
            rare_words: 0,
        };
        let vector = model.and_then(|model| {
            let vector = model.embedder.embed_query(&understood.text, None).ok()?;
            // A query without a word that the model knows has no direction.
            vector.iter().any(|part| *part != 0.0).then(|| (model_of(&*model.embedder), vector))
        });
        let mut filters = store_filters(&understood.filters);
        if let Some(filter) = filter {
            narrow_published(filter, &mut filters);
        }
        let deep = |depth: usize| if filter.is_some() && depth > 0 { FILTERED_DEPTH } else { depth };
        let ask = Ask {
            words: weigh(query.words(&statistics)),
            definitions: weigh(query.definitions(&statistics)),
            files: weigh(query.files(&statistics)),
            vector,
            filters,
            without,
            depths: recall_shared::Depths {
                words: deep(DEPTH),
                definitions: deep(DEPTH),
                files: deep(depths.path),
                nearest: deep(NEAREST_DEPTH),
            },
        };
        let (words, paths) = query.facets();
        let counted = filter.is_none().then(|| FacetScan {
            words,
            paths,
            filters: ask.filters.clone(),
            without: ask.without.clone(),
        });
        let Found { documents: found, has_cosines } = store.find(&ask)?;
        let returned = found.len();
        let mut published = decode(found);
        let compared = published.len();
        if let Some(filter) = filter {
            retain_passing(&store, filter, &mut published)?;
        }
        let mut answer = Self::empty(store);
        answer.counted = counted;
        answer.left_out = returned - compared;
        answer.model = model.filter(|_| has_cosines).map(|one| (Arc::from(&*one.name), one.embedder.fingerprint()));
        let (mut portable, mut neighbours, mut first_chunk) = (Vec::new(), Vec::new(), 1);
        for (document, mut record) in published {
            for (place, chunk) in document.chunks.iter().enumerate() {
                let row = first_chunk + place as i64;
                if let Some(cosine) = chunk.cosine {
                    answer.cosines.insert(row, cosine);
                    if chunk.is_near {
                        neighbours.push(Neighbour { row: ChunkRow(row), cosine });
                    }
                }
            }
            portable.push(PortableDocument {
                row: DocumentRow(answer.documents.len() as i64 + 1),
                first_chunk: ChunkRow(first_chunk),
                path: record.document.path.clone(),
                tags: record.document.tags.clone(),
                traits: record.traits(),
                chunks: std::mem::take(&mut record.analyses),
            });
            let keys: Vec<Key> = document.chunks.iter().map(|chunk| chunk.key).collect();
            let count = keys.len() as i64;
            let repository = document.repository;
            answer.documents.push(SharedDocument { repository, record, chunks: keys, first_chunk });
            first_chunk += count;
        }
        answer.retrieved = query.retrieve(&statistics, &portable, depths, &neighbours);
        answer.statistics = statistics;
        answer.compared = compared;
        Ok(answer)
    }

    fn empty(store: Guarded) -> Self {
        Self {
            store,
            documents: Vec::new(),
            statistics: Statistics::default(),
            retrieved: Retrieved::default(),
            cosines: FxHashMap::default(),
            model: None,
            compared: 0,
            left_out: 0,
            counted: None,
            mount: Mount::default(),
        }
    }

    /// Returns the warning that more documents may pass the filter expression, if fewer than `wanted` were found, or that it cannot count
    /// those that pass.
    pub(super) fn warning(&self, wanted: usize, facets: recall_core::Facets) -> Option<Warning> {
        let passing = self.documents.len();
        let is_cut_off = self.compared >= FILTERED_DEPTH && passing < self.compared && passing < wanted;
        // The answer of an empty store has no statistics.
        let is_uncounted = facets == recall_core::Facets::On && self.counted.is_none() && self.statistics.documents > 0;
        let compared = self.compared as u64;
        let store = self.store.name.clone();
        (is_cut_off || is_uncounted).then_some(Warning::SharedNotFiltered { store, compared, is_uncounted })
    }

    /// Returns the warning that documents of another version were left out.
    pub(super) fn warn_of_another_version(&self) -> Option<Warning> {
        let (store, left_out) = (self.store.name.clone(), self.left_out as u64);
        (left_out > 0).then_some(Warning::SharedOfAnotherVersion { store, left_out })
    }

    /// Returns no counts, with the reason.
    fn warn_uncounted(&self, reason: &str, is_new: bool) -> StoreFacets {
        let reason = format!("its documents are not counted: {reason}");
        let warning = Warning::SharedStore { store: self.store.name.clone(), reason, is_new };
        StoreFacets { warning: Some(warning), ..StoreFacets::default() }
    }

    /// Returns the nearness of a chunk; `None` if it was not compared.
    fn nearness(&self, row: ChunkRow) -> Option<Nearness> {
        let cosine = *self.cosines.get(&row.0)?;
        Some(Nearness { cosine, greatest: cosine, preferred: cosine })
    }

    /// Returns the texts of chunks; `None` for a chunk that is gone.
    fn texts(&self, rows: &[ChunkRow]) -> Result<Vec<Option<String>>, StoreError> {
        let keys: Vec<Key> = rows.iter().map(|row| self.key(*row).unwrap_or_default()).collect();
        if keys.is_empty() { Ok(Vec::new()) } else { self.store.texts(&keys) }
    }

    /// Returns the texts of chunks; none if the server does not answer any more, which reading the hits reports.
    fn texts_if_there(&self, rows: &[ChunkRow]) -> Vec<Option<String>> {
        self.texts(rows).unwrap_or_else(|_| vec![None; rows.len()])
    }

    /// Returns a chunk as a hit without a rank.
    fn hit(&self, document: DocumentRow, chunk: ChunkRow, text: String) -> Option<Hit> {
        let of = self.document(document)?;
        let place = usize::try_from(chunk.0 - of.first_chunk).ok()?;
        let document = in_store(&self.store.name, &of.repository, of.record.document.clone());
        let chunk = of.record.chunks.get(place)?.clone();
        Some(Hit { parents: of.record.parents(place), ..Hit::new(StoreScope::Domain, document, chunk, text) })
    }

    fn document(&self, row: DocumentRow) -> Option<&SharedDocument> {
        self.documents.get(usize::try_from(row.0).ok()?.checked_sub(1)?)
    }

    fn key(&self, chunk: ChunkRow) -> Option<Key> {
        let after = self.documents.partition_point(|document| document.first_chunk <= chunk.0);
        let document = &self.documents[after.checked_sub(1)?];
        document.chunks.get(usize::try_from(chunk.0 - document.first_chunk).ok()?).copied()
    }
}

impl SearchedStore for SharedAnswer {
    fn models(&self) -> Option<Vec<ModelFingerprint>> {
        let (_, model) = self.model.as_ref()?;
        (!self.retrieved.evidence.documents.is_empty()).then(|| vec![*model])
    }

    fn retrieve(
        &self,
        _: &Search<'_>,
        weights: &RetrieverWeights,
        _: Option<&[ModelFingerprint]>,
    ) -> Result<StoreResults, error::StoreError> {
        let model = self.model.as_ref().filter(|_| weights.asks_semantic());
        let near = model.map(|(name, _)| QueryNearness {
            model: Arc::clone(name),
            features: FeatureSet::Semantic,
            nearness: Box::new(|rows| rows.iter().map(|row| self.nearness(*row)).collect()),
        });
        Ok(StoreResults::new(self.retrieved.clone(), near, weights, Links::LeftOut, Arc::default()))
    }

    fn closeness(
        &self,
        search: &Search<'_>,
        rows: Vec<ChunkRow>,
        _: u64,
    ) -> Deferred<Result<Vec<Option<Closeness>>, error::StoreError>> {
        let mut reader = ClosenessReader::new(search.understood);
        let texts = self.texts_if_there(&rows);
        Deferred::lazy(move || Ok(texts.into_iter().map(|text| text.map(|text| reader.read(&text))).collect()))
    }

    fn model_texts(
        &self,
        chunks: &[(DocumentRow, ChunkRow)],
        _: fn(&ChunkedDocument) -> ChunkTexts,
    ) -> Result<Vec<String>, error::StoreError> {
        let rows: Vec<ChunkRow> = chunks.iter().map(|&(_, row)| row).collect();
        Ok(self.texts_if_there(&rows).into_iter().map(Option::unwrap_or_default).collect())
    }

    fn hits(
        &self,
        _: &Search<'_>,
        chunks: &[(DocumentRow, ChunkRow)],
        _: bool,
    ) -> Result<ChunksRead, error::StoreError> {
        let rows: Vec<ChunkRow> = chunks.iter().map(|&(_, row)| row).collect();
        let (texts, unread) = match self.texts(&rows) {
            Ok(texts) => (texts, None),
            Err(error) => {
                let reason = error_chain(&error);
                let warning = Warning::SharedStore { store: self.store.name.clone(), reason, is_new: true };
                (Vec::new(), Some(warning))
            }
        };
        let hits = chunks.iter().zip(texts).map(|(&(document, chunk), text)| self.hit(document, chunk, text?));
        Ok(ChunksRead::Read { hits: hits.collect(), left_out: BTreeSet::new(), unread })
    }

    fn facets(&self, _: &Search<'_>) -> Result<StoreFacets, error::StoreError> {
        let Some(scan) = &self.counted else { return Ok(StoreFacets::default()) };
        Ok(match self.store.facets(scan) {
            Ok(FacetCounts { kinds: types, languages, directories, tags }) => {
                StoreFacets { counts: Facets { types, languages, directories, tags }, warning: None }
            }
            Err(error) => self.warn_uncounted(&error_chain(&error), !matches!(error, StoreError::Resting)),
        })
    }

    fn is_of_somebody_else(&self, row: DocumentRow) -> bool {
        self.document(row).is_some_and(|document| document.record.memory.is_some())
    }

    fn mount(&self) -> &Mount {
        &self.mount
    }

    fn coverage(&self) -> Coverage {
        let newest = self.documents.iter().map(|document| document.record.document.modified).max();
        coverage_of(&self.store.name, self.statistics.documents, newest)
    }
}

/// Decodes what a store found. Leaves out what another version of recall published in another form.
fn decode(found: Vec<Document>) -> Vec<(Document, Record)> {
    let decoded = found.into_iter().filter_map(|document| {
        let record = Record::decode(&document.path, &document.record)?;
        (record.chunks.len() == document.chunks.len()).then_some((document, record))
    });
    decoded.collect()
}

/// Leaves out the chunks that do not pass a filter, and the documents without others.
///
/// # Errors
/// The filter reads texts, and the store does not answer.
fn retain_passing(store: &Guarded, filter: &Filter, published: &mut Vec<(Document, Record)>) -> Result<(), StoreError> {
    let mut texts = Vec::new();
    if reads_texts(filter) {
        let keys: Vec<Key> = published.iter().flat_map(|(one, _)| one.chunks.iter().map(|chunk| chunk.key)).collect();
        texts = store.texts(&keys)?;
    }
    let mut rest = &texts[..];
    published.retain_mut(|(document, record)| {
        let own = rest.split_off(..document.chunks.len().min(rest.len()));
        let passing = passing_chunks(filter, record, own);
        retain(&mut document.chunks, &passing);
        retain(&mut record.chunks, &passing);
        retain(&mut record.analyses, &passing);
        !document.chunks.is_empty()
    });
    Ok(())
}

/// Keeps what passes.
fn retain<T>(all: &mut Vec<T>, passing: &[bool]) {
    let mut passing = passing.iter();
    all.retain(|_| passing.next().is_some_and(|passes| *passes));
}

fn convert(statistics: recall_shared::Statistics) -> Statistics {
    let recall_shared::Statistics { chunks, documents, lengths, counts } = statistics;
    Statistics { chunks, documents, lengths: Lengths::from_array(lengths), counts }
}

fn weigh(keys: Vec<WeightedKey>) -> Vec<Weighted> {
    keys.into_iter().map(|WeightedKey { key, weight, count }| Weighted { key, weight, count }).collect()
}
