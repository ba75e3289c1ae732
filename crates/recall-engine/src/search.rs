//! The search pipeline: from a query to ranked hits.
//!
//! ```text
//! understand ─► retrieve (lexical, symbol, path, semantic) ─► fuse + prior ─► rank (learned) ─► rerank ─► select ─► expand ─► hits
//! ```

mod answer;
mod candidates;
mod context;
mod exact;
mod expand;
mod facets;
pub(crate) mod features;
mod fused;
mod items;
mod meaning;
mod order;
mod page;
mod pool;
mod prior;
mod ranked;
mod rerank;
mod retrieve;
mod texts;
mod weights;

use std::collections::HashSet;
use std::sync::Arc;

use recall_core::{
    Ablation, ChunkRow, Facets, ItemId, Language, Retriever, Scope, SearchRequest, Understood, UnknownFilter,
    UnknownLanguage, Weights, error_chain, select, understand,
};

use crate::coverage::Coverage;
use crate::error::SearchError;
use crate::indexing::freshen;
use crate::origin::Origin;
use crate::ranking::{Kind, Rankers};
use crate::store::{Store, StructureWait};
use crate::task_pool::Deferred;
use crate::warning::Warning;
use crate::{Engine, mask};
use context::{Search, StageClock};

pub use answer::{Answer, Explanation, Facet, Hit, Reranked, Stage, StageTimes};
pub use candidates::RankedDocument;

/// The most passes of a search whose files change while it runs.
const ATTEMPTS: u32 = 4;

/// How often a search restarts because a store is damaged. A store has two indexes that can be: the catalog and the lexical
/// index.
const REPAIRS: u32 = 2;

impl Engine {
    /// Answers a search.
    ///
    /// First updates the stores from their files, within the time budget. Then compares each hit's file with its indexed state:
    /// a changed file is indexed before the answer, and a deleted file gives no hit.
    ///
    /// # Errors
    /// The query has no words, the scope has no store, or a store cannot be opened or read.
    pub fn search(&self, origin: &Origin, request: &SearchRequest) -> Result<Answer, SearchError> {
        self.repairing(|| self.answer(origin, request))
    }

    /// Runs `attempt`, and runs it again if a store is damaged. The store is reopened first, without the files that could not
    /// be read.
    pub(crate) fn repairing<T>(&self, attempt: impl Fn() -> Result<T, SearchError>) -> Result<T, SearchError> {
        for _ in 0..REPAIRS {
            match attempt() {
                Err(SearchError::Store(error)) if self.registry.close_damaged(&error) => {
                    tracing::warn!(reason = error_chain(&error), "a damaged index is rebuilt");
                }
                done => return done,
            }
        }
        attempt()
    }

    fn answer(&self, origin: &Origin, request: &SearchRequest) -> Result<Answer, SearchError> {
        let mut clock = StageClock::default();
        let mut understood = understand(&request.query);
        let scope = understood.scope.unwrap_or(request.scope);
        merge_filters(&mut understood, request)?;
        clock.lap(Stage::Understand);
        let stores = self.stores_for(origin, scope, &understood)?;
        let mut warnings = self.freshen_all(&stores)?;
        let ranking = stores[0].ranking(&self.settings.rankers);
        warnings.extend(ranking.problem.clone().map(|reason| Warning::RankerPassedOver { reason }));
        clock.lap(Stage::Freshness);

        let search =
            Search { engine: self, request, understood: &understood, scope, stores: &stores, ranking: &ranking };
        let mut attempt = 0;
        loop {
            attempt += 1;
            match search.attempt(&mut clock, attempt == ATTEMPTS)? {
                Attempt::Answered(mut answer) => {
                    note_retrievals(&stores, &answer.hits);
                    warnings.append(&mut answer.warnings);
                    answer.warnings = warnings;
                    return Ok(*answer);
                }
                Attempt::Overtaken => {}
            }
        }
    }

    /// Returns the stores of a scope, at least one.
    pub(crate) fn stores_for(
        &self,
        origin: &Origin,
        scope: Scope,
        understood: &Understood,
    ) -> Result<Vec<Arc<Store>>, SearchError> {
        if understood.text.is_empty() {
            return Err(SearchError::EmptyQuery);
        }
        let stores = self.registry.stores(origin, scope, &*self.clock)?;
        if stores.is_empty() { Err(SearchError::NoStore { scope }) } else { Ok(stores) }
    }

    /// Waits until the embeddings and the graph of every store cover its documents.
    ///
    /// # Errors
    /// A store cannot be opened or read.
    pub fn settle(&self, origin: &Origin, scope: Scope) -> Result<(), SearchError> {
        self.repairing(|| {
            for store in self.registry.stores(origin, scope, &*self.clock)? {
                store.semantic.settle(&store.catalog, &store.cancel);
                store.read_structure()?;
            }
            Ok(())
        })
    }

    /// Updates every store from its files. The failure of one store is a warning if another store holds documents.
    fn freshen_all(&self, stores: &[Arc<Store>]) -> Result<Vec<Warning>, SearchError> {
        let mut warnings = Vec::new();
        for store in stores {
            warnings.extend(store.untold_repairs().iter().map(|what| Warning::Repaired { what: what.clone() }));
            let freshened = freshen(store, &self.settings, &self.clock);
            // Freshening reads the configuration again if it was changed.
            let settings = store.settings();
            let configuration = settings.warnings.iter();
            warnings.extend(configuration.map(|message| Warning::Configuration { message: message.clone() }));
            match freshened {
                Ok(more) => {
                    // Embedding takes a fraction of the time of indexing, so a search that waited for the index waits
                    // for it too.
                    if more.iter().any(|warning| matches!(warning, Warning::IndexedOnTheWay { .. })) {
                        store.semantic.wait_for(store.lexical.generation(), self.settings.embedding_wait);
                    }
                    warnings.extend(more);
                    if store.wait_for_structure(self.settings.ingest_wait) == StructureWait::InVain {
                        warnings.push(Warning::LinksBehind);
                    }
                }
                Err(error) if stores.iter().any(|other| !other.holds_nothing()) => {
                    warnings.push(Warning::StoreUnavailable { scope: store.scope, reason: error_chain(&error) });
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(warnings)
    }
}

/// Records that the documents and memories of the hits were retrieved, each once.
fn note_retrievals(stores: &[Arc<Store>], hits: &[Hit]) {
    for (place, store) in stores.iter().enumerate() {
        let item = |hit: &Hit| match &hit.memory {
            Some(recalled) => ItemId::Memory(recalled.memory.id),
            None => ItemId::Document(hit.document.id),
        };
        let here = hits.iter().filter(|hit| hit.store == place);
        store.retrievals.note(here.map(item).collect::<HashSet<_>>());
    }
}

/// The outcome of one pass over the pipeline.
enum Attempt {
    Answered(Box<Answer>),
    /// Files changed during the pass and were indexed since. The search must restart.
    Overtaken,
}

impl Search<'_> {
    /// Returns the weights of the retrievers, and the rankers if they decide on the order.
    ///
    /// Semantic retrieval is left out if the rankers have no semantic features.
    fn deciding(&self) -> (Vec<(Retriever, f64)>, Option<&Rankers>) {
        let (mut weights, given) = self.weights();
        let deciding = self.ranking.rankers.as_ref().filter(|_| order::is_learned(self, &given));
        if deciding.is_some_and(|rankers| !rankers.know_meaning()) {
            weights.retain(|&(retriever, _)| retriever != Retriever::Semantic);
        }
        (weights, deciding)
    }

    /// Returns the weights of the retrievers, and the weights that the request or its store sets explicitly.
    fn weights(&self) -> (Vec<(Retriever, f64)>, Weights) {
        let given = weights::given(&self.request.weights, &self.stores[0].settings().weights);
        let mut weights = weights::of(self.understood.class, &given);
        for (retriever, weight) in &mut weights {
            if self.request.leaves_out(retriever.as_str()) {
                *weight = 0.0;
            }
        }
        (weights, given)
    }

    /// Returns the stages that are switched on but had no data to contribute.
    fn silent(&self, pool: &[pool::Finds], weights: &[(Retriever, f64)]) -> Vec<Ablation> {
        let found = || pool.iter().filter(|finds| !finds.evidence.documents.is_empty());
        let is_asked = weights.iter().any(|&(retriever, weight)| retriever == Retriever::Semantic && weight > 0.0);
        let has_structure = !self.request.without.contains(&Ablation::Structure);
        let stages = [
            (Ablation::Semantic, is_asked && found().any(|finds| finds.meaning.is_none())),
            (Ablation::Structure, has_structure && found().any(|finds| finds.structure.is_none())),
        ];
        stages.into_iter().filter(|&(_, is_silent)| is_silent).map(|(stage, _)| stage).collect()
    }

    /// Runs the pipeline once. The last attempt drops hits of changed files instead of restarting.
    fn attempt(&self, clock: &mut StageClock, is_last: bool) -> Result<Attempt, SearchError> {
        let store_settings = self.stores[0].settings();
        let (weights, deciding) = self.deciding();
        let are_given = self.weights().1 != Weights::default();
        let pool = pool::gather(self, &weights, deciding.is_some(), clock)?;
        let looks = expand::look(self, &pool);
        let mut ranked = order::order(self, &pool, deciding)?;
        clock.lap(Stage::Rank);
        let rescored = rerank::rerank(self, &mut ranked, clock)?;
        let candidates = ranked.len() as u64;
        let selected = select(ranked, store_settings.chunks_per_document);
        clock.lap(Stage::Select);

        looks.into_iter().for_each(Deferred::join);
        let Some(page) = page::page(self, &selected, is_last)? else { return Ok(Attempt::Overtaken) };
        let page::Page { hits, confidence, best_score, next_offset, left_out, masked } = page;
        let coverage: Vec<Coverage> = self.stores.iter().map(|store| store.coverage()).collect();
        let stale_files = left_out.len() as u64 + coverage.iter().map(Coverage::files_to_come).sum::<u64>();
        let mut warnings: Vec<Warning> =
            left_out.into_iter().map(|path| Warning::LeftOut { path: mask::shown_path(path) }).collect();
        warnings.extend(masked.into_iter().map(|path| Warning::SecretsMasked { path }));
        let unknown = self.understood.unknown_filters.iter().cloned();
        warnings.extend(unknown.map(|UnknownFilter { word, problem }| Warning::UnknownFilter { word, problem }));
        warnings.extend((are_given && self.ranking.rankers.is_some()).then_some(Warning::WeightsDecide));
        let model = pool.iter().find_map(|finds| Some(finds.meaning.as_ref()?.model.to_string()));
        let mut silent = self.silent(&pool, &weights);
        let reranker = match rescored {
            rerank::Outcome::NotAsked => None,
            rerank::Outcome::Rescored { model } => Some(model),
            rerank::Outcome::PassedOver { reason } => {
                silent.push(Ablation::Rerank);
                warnings.push(Warning::NotReranked { reason });
                None
            }
        };
        if weights.iter().any(|&(retriever, weight)| retriever == Retriever::Semantic && weight > 0.0) {
            let problems = self.stores.iter().flat_map(|store| store.semantic.problems());
            let passed_over = |reason| Warning::EmbeddingsPassedOver { reason, instead: model.clone() };
            warnings.extend(problems.map(passed_over));
            let is_to_come = |store: &Arc<Store>| store.semantic.is_to_come(store.lexical.generation());
            if silent.contains(&Ablation::Semantic) && self.stores.iter().any(is_to_come) {
                warnings.push(Warning::EmbeddingsToCome);
            }
        }
        clock.lap(Stage::Expand);
        Ok(Attempt::Answered(Box::new(Answer {
            class: self.understood.class,
            scope: self.scope,
            filters: self.understood.filters.clone(),
            weights,
            confidence,
            is_doubtful: confidence.is_some_and(|confidence| confidence < store_settings.low_confidence),
            did_you_mean: pool::spelled(&pool),
            hits,
            candidates,
            retrieved: pool::counts(&pool),
            best_score,
            next_offset,
            facets: match self.request.facets {
                Facets::On => facets::facets(self.stores, self.understood)?,
                Facets::Off => Vec::new(),
            },
            coverage,
            stale_files,
            stages: std::mem::take(&mut clock.laps),
            model,
            reranker,
            silent,
            warnings,
        })))
    }
}

/// A document as a ranker sees it.
pub(crate) struct Seen {
    pub(crate) store: usize,
    pub(crate) chunk: ChunkRow,
    pub(crate) kind: Kind,
    pub(crate) row: Vec<f32>,
}

/// Returns the features of every candidate, even if no ranker decides on the order.
pub(crate) fn seen(
    engine: &Engine,
    request: &SearchRequest,
    understood: &Understood,
    scope: Scope,
    stores: &[Arc<Store>],
) -> Result<Vec<Seen>, SearchError> {
    engine.freshen_all(stores)?;
    let ranking = stores[0].ranking(&engine.settings.rankers);
    let search = Search { engine, request, understood, scope, stores, ranking: &ranking };
    let (weights, _) = search.weights();
    let pool = pool::gather(&search, &weights, true, &mut StageClock::default())?;
    let (basis, none) = (order::basis(&pool), Rankers::none());
    let rankers = ranking.rankers.as_ref().unwrap_or(&none);
    let mut all = Vec::new();
    for kind in Kind::ALL {
        let kinds: Vec<_> = pool.iter().map(|finds| finds.on(kind)).collect();
        let (features, _) = order::scored(&search, &kinds, kind, basis, rankers)?;
        let documents =
            kinds.iter().enumerate().flat_map(|(store, one)| one.documents.iter().map(move |d| (store, *d)));
        all.extend(documents.enumerate().map(|(place, (store, document))| Seen {
            store,
            chunk: document.chunk,
            kind,
            row: features.row(place),
        }));
    }
    Ok(all)
}

/// Adds the filters of the request to those in the query text.
///
/// # Errors
/// A filter names an unknown language.
pub(crate) fn merge_filters(understood: &mut Understood, request: &SearchRequest) -> Result<(), UnknownLanguage> {
    let inline = &mut understood.filters;
    inline.types.extend(request.filters.types.iter().copied());
    inline.languages.extend(request.filters.languages.iter().cloned());
    inline.paths.extend(request.filters.paths.iter().cloned());
    inline.tags.extend(request.filters.tags.iter().cloned());
    known_languages(&mut inline.languages)
}

/// Replaces language aliases by the canonical names that documents use.
///
/// # Errors
/// A name is not a known language.
pub(crate) fn known_languages(languages: &mut [Language]) -> Result<(), UnknownLanguage> {
    languages.iter_mut().try_for_each(|language| {
        *language = language.as_str().parse()?;
        Ok(())
    })
}
