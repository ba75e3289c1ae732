//! The search pipeline: from a query to ranked hits.
//!
//! ```text
//! understand ─► retrieve (lexical, symbol, path, semantic) ─► fuse + prior ─► rank (learned) ─► rescore ─► select ─► expand ─► hits
//! ```
//!
//! Retrievers find chunks; learned rankers order documents by all that is known of them (ADR 6), where fusion knows ranks only. One
//! relevance makes a list of all kinds (ADR 22). Every store is a `SearchedStore`, so no later stage knows where a document is
//! (ADR 48). A hit has the text that its file has: a pass that finds a changed file indexes it, and the search starts again. Begin
//! with `plan`, `context`, `candidates`, `order` and `page`.

mod annotations;
mod answer;
mod candidate_features;
mod candidates;
mod context;
mod copied;
mod definitions;
mod dependencies;
mod directories;
mod exact;
mod expand;
mod features;
mod framed;
mod fused;
mod gone;
mod here;
mod item_priors;
mod joined_words;
mod learn;
mod logs;
mod messages;
mod named;
mod named_files;
mod nearness;
mod operators;
mod options;
mod order;
mod overloads;
mod page;
mod passages;
mod plan;
mod prior;
mod ranked;
mod releases;
mod rerank;
mod retriever_weights;
mod semantic;
mod shared;
mod store_results;
mod test_files;
mod uses;
mod verdict;

use std::cell::OnceCell;
use std::mem;
use std::time::Instant;

use recall_core::rql::Filter;
use recall_core::{
    Ablation, Facets, MemoryId, Recording, Scope, SearchRequest, Understood, UnknownFilter, Weights, select,
    understand_whole,
};
use recall_text::error_chain;

use crate::engine::MountedStore;
use crate::error::{SearchError, StoreError};
use crate::matching::PeriodLimit;
use crate::memory::{compare_memories_now, compare_memories_soon};
use crate::origin::Origin;
use crate::ranking::Rankers;
use crate::task_pool::Deferred;
use crate::warning::{Coverage, LeftOutGroup, Warning};
use crate::{Engine, mask};
use candidates::StoreCandidates;
use context::{Search, SearchedStore, StageClock};
use logs::TurnSearch;
use plan::{SearchPlan, SharedStores, TimeWordsUse};
use store_results::{Links, PastUse};

pub use answer::{Answer, Explanation, Facet, Hit, Reranked, Rescorer, Stage, StageTimes};
pub use candidate_features::RankedDocument;
pub(crate) use expand::changed_documents;
pub(crate) use framed::certain_file;
pub(crate) use messages::raising_line;
pub(crate) use plan::known_languages;
pub(crate) use prior::kind_factor;
pub(crate) use ranked::{Scored, ScoredChunk, score_chunks};
pub use retriever_weights::RetrieverWeights;
pub(crate) use semantic::warn_of_problems;
pub(crate) use shared::repositories;

/// The most passes of a search whose files change while it runs.
pub(crate) const ATTEMPTS: u32 = 4;

/// How often a search restarts because a store is damaged. A store has two indexes that can be: the catalog and the lexical
/// index.
const REPAIRS: u32 = 2;

impl Engine {
    /// Answers a search in the stores of this machine.
    ///
    /// First updates the stores from their files, within the time budget. Then compares each hit's file with its indexed state:
    /// a changed file is indexed before the answer, and a deleted file gives no hit.
    ///
    /// # Errors
    /// The query has no words, the scope has no store, or a store cannot be opened or read.
    pub fn search(&self, origin: &Origin, request: &SearchRequest) -> Result<Answer, SearchError> {
        self.repairing(|| self.answer(origin, request, None, SharedStores::LeaveOut, TimeWordsUse::Limit))
    }

    /// Answers a search among the chunks that satisfy a condition, in the stores of this machine and in the shared ones.
    ///
    /// A shared store that does not answer in time is a warning, and so is one of which more documents may pass the filter than were
    /// compared.
    ///
    /// # Errors
    /// See [`Engine::search`].
    pub fn search_where(
        &self,
        origin: &Origin,
        request: &SearchRequest,
        filter: Option<&Filter>,
    ) -> Result<Answer, SearchError> {
        self.repairing(|| self.answer(origin, request, filter, SharedStores::Ask, TimeWordsUse::Limit))
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

    fn answer(
        &self,
        origin: &Origin,
        request: &SearchRequest,
        filter: Option<&Filter>,
        shared: SharedStores,
        time_words: TimeWordsUse,
    ) -> Result<Answer, SearchError> {
        let mut clock = StageClock::default();
        let shared_use = shared;
        let plan = SearchPlan::new(self, origin, request, filter, shared, time_words, &mut clock)?;
        let SearchPlan { understood, paths, scope, stores, shared, base, period, time_words, mut warnings } = plan;
        let searched = searched_stores(&stores, &shared);
        let whole = OnceCell::new();
        let mut search = Search {
            engine: self,
            request,
            understood: &understood,
            scope,
            searched: &searched,
            stores: &stores,
            base: &base,
            rankers: base.rankers(&self.settings.rankers),
            filter,
            period: period.as_ref(),
            past: PastUse::Adopted,
        };
        let (mut attempt, mut patience) = (0, self.settings.embedding_wait);
        let began = Instant::now();
        loop {
            attempt += 1;
            // After very many changes, each attempt may find other hits in changed files.
            let is_late = attempt > 1 && began.elapsed() >= self.settings.few_files_wait;
            match search.attempt(&mut clock, is_late || attempt >= ATTEMPTS)? {
                // Texts that were just added may answer in other words: "nothing" is not said before they are compared.
                Attempt::Answered(answer) if answer.lacks_nearness() && !patience.is_zero() => {
                    semantic::wait_for_embeddings(&stores, mem::take(&mut patience));
                }
                // The title of a report may be in another language than the project. The rest of the text may have its words.
                Attempt::Answered(answer) if answer.hits.is_empty() && search.understood.report.is_some() => {
                    let filters = understood.filters.clone();
                    let understood = whole.get_or_init(|| Understood { filters, ..understand_whole(&request.query) });
                    search = Search { understood, ..search };
                }
                Attempt::Answered(answer) if answer.hits.is_empty() && request.offset == 0 && time_words.is_some() => {
                    let mut answer = self.answer(origin, request, filter, shared_use, TimeWordsUse::Ignore)?;
                    answer.warnings.extend(time_words.map(|words| Warning::PeriodWithoutHits { words }));
                    return Ok(answer);
                }
                Attempt::Answered(mut answer) => {
                    warnings.extend(time_words.map(|words| Warning::PeriodFromWords { words }));
                    warnings.append(&mut answer.warnings);
                    if answer.hits.is_empty() || answer.is_doubtful {
                        warnings.extend(warn_of_files_left_out(&stores)?);
                    }
                    // A name that is nearly one of the project's is a slip.
                    let is_slip = !answer.did_you_mean.is_empty();
                    if request.recording == Recording::On && request.offset == 0 && !is_slip {
                        warnings.extend(gone::warnings(&search)?);
                    }
                    warnings.extend(paths.warnings(&stores, answer.candidates == 0));
                    warnings.extend(search.period.and_then(PeriodLimit::warning));
                    answer.warnings = warnings;
                    let text = &search.understood.text;
                    let period = search.period;
                    TurnSearch { engine: self, store: &base, request, filter, text, period }.add_to(&mut answer);
                    return Ok(*answer);
                }
                Attempt::Overtaken => {}
            }
        }
    }

    /// Waits until the embeddings, the graph and the pairs of memories of every store cover its documents, and until the language model
    /// that compares memories, if there is one, was asked about them.
    ///
    /// # Errors
    /// A store cannot be opened or read.
    pub fn settle(&self, origin: &Origin, scope: Scope) -> Result<(), SearchError> {
        self.repairing(|| {
            for store in self.stores(origin, scope)? {
                store.index.embed_everything(store.jobs.cancel());
                store.index.read_structure()?;
                compare_memories_now(&store)?;
                self.comparer.ask_about(&store);
            }
            Ok(())
        })
    }
}

/// Returns all stores that a search asks: those of this machine, then the shared ones that answered.
fn searched_stores<'a>(stores: &'a [MountedStore], shared: &'a [shared::SharedAnswer]) -> Vec<&'a dyn SearchedStore> {
    let here = stores.iter().map(|store| store as &dyn SearchedStore);
    here.chain(shared.iter().map(|store| store as &dyn SearchedStore)).collect()
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
    fn deciding(&self) -> (RetrieverWeights, Option<&Rankers>) {
        let weights = self.weights();
        let deciding = self.rankers.filter(|_| order::is_learned(self, &self.given_weights()));
        if deciding.is_some_and(|rankers| !rankers.are_semantic()) {
            return (RetrieverWeights { semantic: 0.0, ..weights }, deciding);
        }
        (weights, deciding)
    }

    /// Returns the weights of the retrievers.
    fn weights(&self) -> RetrieverWeights {
        let weights = RetrieverWeights::resolve(self.understood.class, &self.given_weights());
        weights.retain(|retriever| !self.request.leaves_out(retriever.as_str()))
    }

    /// Returns the weights that the request or its store sets explicitly.
    fn given_weights(&self) -> Weights {
        retriever_weights::merge(&self.request.weights, &self.base.settings().weights)
    }

    /// Runs the pipeline once. The last attempt drops hits of changed files instead of restarting.
    fn attempt(&self, clock: &mut StageClock, is_last: bool) -> Result<Attempt, SearchError> {
        let store_settings = self.base.settings();
        let (weights, deciding) = self.deciding();
        let candidates = candidates::gather(self, &weights, deciding.is_some(), clock)?;
        let refreshes = expand::refresh_journals(self, &candidates);
        let mut ranked = order::order(self, &candidates, deciding)?;
        clock.lap(Stage::Rank);
        let rescored = rerank::rescore(self, &mut ranked, clock)?;
        passages::prefer_code(self, &mut ranked)?;
        logs::move_below(self, &candidates, &mut ranked)?;
        let candidate_count = ranked.len() as u64;
        // Several places of one file use a name.
        let lists_places = candidates.iter().any(|found| found.framed.has_users());
        let selected = if lists_places { ranked } else { select(ranked, store_settings.chunks_per_document) };
        clock.lap(Stage::Select);

        refreshes.into_iter().for_each(Deferred::join);
        let Some(page) = page::page(self, &selected, is_last)? else { return Ok(Attempt::Overtaken) };
        let coverage: Vec<Coverage> = self.searched.iter().map(|store| store.coverage()).collect();
        let model = candidates.iter().find_map(|found| Some(found.semantic.as_ref()?.model.to_string()));
        let silent = silent(&candidates, &weights, &rescored);
        let mut warnings = self.warnings(&weights, &page, &rescored, model.as_deref(), &silent);
        let page::Page { hits, retrieved, confidence, best_score, next_offset, left_out, masked: _, unread: _ } = page;
        self.stores.iter().for_each(|store| compare_memories_soon(&store.store, &self.engine.comparer));
        if self.request.recording == Recording::On {
            for (store, items) in self.stores.iter().zip(retrieved) {
                store.facts.retrievals().note(items);
            }
        }
        clock.lap(Stage::Expand);
        Ok(Attempt::Answered(Box::new(Answer {
            class: self.understood.class,
            translated: self
                .understood
                .original
                .as_ref()
                .map(|original| (original.language, self.understood.text.clone())),
            scope: self.scope,
            filters: self.understood.filters.clone(),
            weights,
            confidence,
            is_doubtful: confidence.is_some_and(|confidence| confidence < store_settings.low_confidence),
            did_you_mean: candidates::spell(self.searched, &candidates),
            hits,
            candidates: candidate_count,
            retrieved: candidates::counts(&candidates),
            best_score,
            next_offset,
            facets: match self.request.facets {
                Facets::On => page::facets(self, &mut warnings)?,
                Facets::Off => Vec::new(),
            },
            stale_files: left_out.len() as u64 + coverage.iter().map(Coverage::files_to_come).sum::<u64>(),
            coverage,
            stages: mem::take(&mut clock.laps),
            model,
            preranker: rescored.prerank.model(),
            reranker: rescored.rerank.model(),
            judge: rescored.judge.model(),
            silent,
            warnings,
        })))
    }

    /// Returns the warnings of an attempt, in the order in which answers list them. `model` is the embedding model that was used.
    fn warnings(
        &self,
        weights: &RetrieverWeights,
        page: &page::Page,
        rescored: &rerank::Rescored,
        model: Option<&str>,
        silent: &[Ablation],
    ) -> Vec<Warning> {
        let left_out = page.left_out.iter().map(|path| Warning::LeftOut { path: mask::shown_path(path.clone()) });
        let masked = page.masked.iter().map(|path| Warning::SecretsMasked { path: path.clone() });
        let unknown = self.understood.unknown_filters.iter().cloned();
        let unknown = unknown.map(|UnknownFilter { word, problem }| Warning::UnknownFilter { word, problem });
        let mut warnings: Vec<Warning> = left_out.chain(masked).chain(unknown).collect();
        warnings.extend(page.unread.iter().cloned());
        let memories = page.hits.iter().filter_map(|hit| Some(hit.memory.as_ref()?.memory.id));
        let has_put_back = |id: &MemoryId| self.stores.iter().any(|store| store.ledger.has_put_back(*id));
        let ids: Vec<MemoryId> = memories.filter(has_put_back).collect();
        if !ids.is_empty() {
            warnings.push(Warning::PutBack { ids });
        }
        if self.rankers.is_some() && self.given_weights() != Weights::default() {
            warnings.push(Warning::WeightsDecide);
        }
        let failures = [&rescored.prerank, &rescored.rerank].into_iter().filter_map(rerank::Outcome::failure);
        warnings.extend(failures.map(|reason| Warning::NotReranked { reason: reason.to_owned() }));
        if let Some(reason) = rescored.judge.failure() {
            warnings.push(Warning::NotJudged { reason: reason.to_owned() });
        }
        if weights.asks_semantic() {
            warnings.extend(semantic::warn_of_problems(self.stores, model));
            let is_to_come = |store: &MountedStore| store.index.embeddings().is_to_come(store.index.generation());
            if silent.contains(&Ablation::Semantic) && self.stores.iter().any(is_to_come) {
                warnings.push(Warning::EmbeddingsToCome);
            }
        }
        warnings
    }
}

/// Returns the stages that are switched on but did not contribute: they had no data, or their model failed.
fn silent(candidates: &[StoreCandidates], weights: &RetrieverWeights, rescored: &rerank::Rescored) -> Vec<Ablation> {
    let found = || candidates.iter().filter(|found| !found.evidence.documents.is_empty());
    let is_unread = |found: &StoreCandidates| found.semantic.is_none();
    let stages = [
        (Ablation::Semantic, weights.asks_semantic() && (found().any(is_unread) || candidates.iter().all(is_unread))),
        (Ablation::Structure, found().any(|found| matches!(found.links, Links::ToCome))),
        (Ablation::Prerank, rescored.prerank.failure().is_some()),
        (Ablation::Rerank, rescored.rerank.failure().is_some()),
        (Ablation::Judge, rescored.judge.failure().is_some()),
    ];
    stages.into_iter().filter(|&(_, is_silent)| is_silent).map(|(stage, _)| stage).collect()
}

/// Returns the warning about the files of the stores that may hold text and are not indexed; `None` if there are none.
///
/// Only an answer that found little asks for it.
fn warn_of_files_left_out(stores: &[MountedStore]) -> Result<Option<Warning>, StoreError> {
    let mut groups: Vec<LeftOutGroup> = Vec::new();
    for store in stores {
        for group in store.index.left_out_groups()?.into_iter().filter(|group| group.may_hide_text) {
            match groups.iter_mut().find(|known| known.reason == group.reason) {
                Some(known) => known.files += group.files,
                None => groups.push(group),
            }
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.files));
    Ok((!groups.is_empty()).then_some(Warning::FilesLeftOut { groups }))
}
