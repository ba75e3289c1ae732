//! The plan of a search: how the query is understood, and which stores are asked with which settings.
//!
//! Everything that depends on the client is decided here; the passes over the candidates that follow do not know where a store is or
//! why it is searched.

use std::sync::Arc;

use recall_core::rql::Filter;
use recall_core::{Filters, OtherProjects, Scope, SearchRequest, Understood, understand};
use recall_index::lexical::{KnownWords, translate};
use recall_text::{Language, UnknownLanguage};

use super::answer::Stage;
use super::context::StageClock;
use super::shared::{self, Pending, SharedAnswer};
use crate::Engine;
use crate::engine::{MountedStore, MountedStores};
use crate::error::{SearchError, StoreError};
use crate::indexing::freshen_for;
use crate::matching::{OutsidePaths, PathFilters, PeriodLimit};
use crate::origin::Origin;
use crate::store::{Store, StructureWait, Wanted};
use crate::task_pool::Deferred;
use crate::warning::Warning;

/// What a search asks, and whom.
pub(super) struct SearchPlan {
    /// The query, in English if it was in another language.
    pub(super) understood: Understood,
    pub(super) paths: PathFilters,
    pub(super) scope: Scope,
    /// The stores of this machine, updated from their files.
    pub(super) stores: Vec<MountedStore>,
    /// The shared stores that answered.
    pub(super) shared: Vec<SharedAnswer>,
    /// The store whose settings apply.
    pub(super) base: Arc<Store>,
    /// The period that hits were made in.
    pub(super) period: Option<PeriodLimit>,
    /// The words of the query that name it.
    pub(super) time_words: Option<String>,
    pub(super) warnings: Vec<Warning>,
}

/// What a search does with the stores that a team shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SharedStores {
    /// It asks those that the scope sees.
    Ask,
    /// It names them in a warning: the search is limited to a time, and they know none.
    Mention,
    /// It leaves them out: the caller reads more of the hits' stores, or must not wait for a server.
    LeaveOut,
}

/// What a search does with words of the query that name a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeWordsUse {
    /// It is limited to that time.
    Limit,
    /// They are words like others.
    Ignore,
}

impl SearchPlan {
    /// Reads the query, updates the stores of this machine, and collects the answers of the shared ones.
    ///
    /// # Errors
    /// The query has no words, a filter cannot be used, the scope has no store, or a store cannot be opened or read.
    pub(super) fn new(
        engine: &Engine,
        origin: &Origin,
        request: &SearchRequest,
        filter: Option<&Filter>,
        shared: SharedStores,
        time_words: TimeWordsUse,
        clock: &mut StageClock,
    ) -> Result<Self, SearchError> {
        let (understood, paths) = engine.understood(origin, request)?;
        let (understood, time_words) = match time_words {
            TimeWordsUse::Limit => engine.take_time_words(origin, understood),
            TimeWordsUse::Ignore => (understood, None),
        };
        let scope = understood.scope.unwrap_or(request.scope);
        let period = engine.period_limit(origin, &understood.filters)?;
        // Shared stores know no times.
        let shared = if shared == SharedStores::Ask && period.is_some() { SharedStores::Mention } else { shared };
        clock.lap(Stage::Understand);
        let MountedStores { stores, mut warnings } = own_stores(engine, origin, scope, request, &understood, shared)?;
        let others: Vec<String> = match shared {
            SharedStores::LeaveOut => Vec::new(),
            _ => engine.shared_stores(origin, scope).map(|store| store.name.clone()).collect(),
        };
        let mut understood = into_english(understood, &stores, !others.is_empty());
        understood.confirm_paths(|path| {
            // If an index is damaged, retrieving from it reports the error.
            stores.iter().any(|store| store.index.searcher().has_path(path).unwrap_or(false))
        });
        let pending = match shared {
            SharedStores::Ask => shared::ask(engine, origin, scope, &understood, request, filter, &stores),
            SharedStores::Mention if !others.is_empty() => {
                warnings.push(Warning::SharedWithoutTimes { stores: others });
                Vec::new()
            }
            SharedStores::Mention | SharedStores::LeaveOut => Vec::new(),
        };
        let base = match stores.first() {
            Some(store) => Arc::clone(store),
            // The settings of the project apply, though its documents are not searched.
            None => engine.registry.project(origin, &*engine.clock)?,
        };
        let shared = answers(pending, &mut warnings);
        let wanted = (request.offset + request.limit) as usize;
        warnings.extend(shared.iter().filter_map(|answer| answer.warning(wanted, request.facets)));
        warnings.extend(shared.iter().filter_map(SharedAnswer::warn_of_another_version));
        clock.lap(Stage::Freshness);
        Ok(Self { understood, paths, scope, stores, shared, base, period, time_words, warnings })
    }
}

/// Returns the stores of this machine that a search asks. There may be none if shared stores are the scope.
fn own_stores(
    engine: &Engine,
    origin: &Origin,
    scope: Scope,
    request: &SearchRequest,
    understood: &Understood,
    shared: SharedStores,
) -> Result<MountedStores, SearchError> {
    let sees_shared = shared != SharedStores::LeaveOut;
    let local = if sees_shared { engine.local_origin(origin, scope) } else { Some(origin.clone()) };
    let gathered = match local {
        Some(local) => engine.gathered_stores(&local, scope, request, understood)?,
        None if understood.text.is_empty() => return Err(SearchError::EmptyQuery),
        None => MountedStores { stores: Vec::new(), warnings: Vec::new() },
    };
    let may_be_empty = sees_shared && scope == Scope::Domain && !engine.settings.shared.is_empty();
    if gathered.stores.is_empty() && !may_be_empty { Err(SearchError::NoStore { scope }) } else { Ok(gathered) }
}

/// Waits for the shared stores. One that does not answer is a warning.
fn answers(pending: Vec<Pending>, warnings: &mut Vec<Warning>) -> Vec<SharedAnswer> {
    let mut answers = Vec::with_capacity(pending.len());
    for answer in pending.into_iter().map(Deferred::join) {
        match answer {
            Ok(answer) => answers.push(answer),
            Err(warning) => warnings.push(warning),
        }
    }
    answers
}

impl Engine {
    /// Reads the query and the filters of a request, with paths below the root of the client's project.
    ///
    /// # Errors
    /// A filter names an unknown language, or a path outside of the project.
    pub(crate) fn understood(
        &self,
        origin: &Origin,
        request: &SearchRequest,
    ) -> Result<(Understood, PathFilters), SearchError> {
        let mut understood = understand(&request.query);
        merge_filters(&mut understood, request)?;
        let outside = if request.others == OtherProjects::None { OutsidePaths::Refuse } else { OutsidePaths::Keep };
        let paths = self.path_filters(origin, &understood.filters.paths, outside)?;
        understood.filters.paths.clone_from(&paths.resolved);
        Ok((understood, paths))
    }

    /// Returns the stores that a query searches, at least one, updated from their files.
    pub(crate) fn searched_stores(
        &self,
        origin: &Origin,
        scope: Scope,
        request: &SearchRequest,
        understood: &Understood,
    ) -> Result<MountedStores, SearchError> {
        let searched = self.gathered_stores(origin, scope, request, understood)?;
        if searched.stores.is_empty() { Err(SearchError::NoStore { scope }) } else { Ok(searched) }
    }

    /// Returns the stores of this machine that a query searches, updated from their files.
    fn gathered_stores(
        &self,
        origin: &Origin,
        scope: Scope,
        request: &SearchRequest,
        understood: &Understood,
    ) -> Result<MountedStores, SearchError> {
        if understood.text.is_empty() {
            return Err(SearchError::EmptyQuery);
        }
        let wanted = Wanted::question(understood);
        Ok(self.prepared_stores(origin, scope, &request.others, |store| self.prepare(store, Some(&wanted)))?)
    }

    /// Updates a store from its files, and waits for what a search needs of it, as long as there is time.
    pub(crate) fn prepare(&self, store: &Arc<Store>, wanted: Option<&Wanted>) -> Result<Vec<Warning>, StoreError> {
        let repairs = store.unreported_repairs();
        let mut warnings: Vec<Warning> = repairs.iter().map(|what| Warning::Repaired { what: what.clone() }).collect();
        let freshened = freshen_for(store, &self.settings, &self.clock, wanted);
        // Freshening reads the configuration again if it was changed.
        let settings = store.settings();
        let configuration = settings.warnings.iter();
        warnings.extend(configuration.map(|message| Warning::Configuration { message: message.clone() }));
        let more = freshened?;
        // Embedding takes a fraction of the time of indexing, so a search that waited for the index waits for it too.
        if more.iter().any(|warning| matches!(warning, Warning::IndexedOnTheWay { .. })) {
            store.index.embeddings().wait_for(store.index.generation(), self.settings.embedding_wait);
        }
        warnings.extend(more);
        if store.wait_for_structure(self.settings.ingest_wait) == StructureWait::InVain {
            warnings.push(Warning::LinksBehind);
        }
        Ok(warnings)
    }
}

/// Adds the filters of the request to those in the query text.
///
/// # Errors
/// A filter names an unknown language.
fn merge_filters(understood: &mut Understood, request: &SearchRequest) -> Result<(), UnknownLanguage> {
    let inline = &mut understood.filters;
    inline.types.extend(request.filters.types.iter().copied());
    inline.languages.extend(request.filters.languages.iter().cloned());
    inline.paths.extend(request.filters.paths.iter().cloned());
    inline.tags.extend(request.filters.tags.iter().cloned());
    let Filters { since, before, .. } = &request.filters;
    inline.since = since.clone().or(inline.since.take());
    inline.before = before.clone().or(inline.before.take());
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

/// The most words that are read to find other forms of a word.
const MOST_WORDS: usize = 64;

/// Returns a query in English, if it was in another language: its words are replaced by those that mean the same and that a text
/// contains. What texts contain of its own words stays. `asks_others` says that stores are searched whose words are not known here.
pub(super) fn into_english(understood: Understood, stores: &[MountedStore], asks_others: bool) -> Understood {
    match translate(&understood, &WordsOf { stores, asks_others }) {
        Some(translated) => understood.with_translation(translated.language, &translated.text, &translated.english),
        None => understood,
    }
}

/// The words of all texts that a query searches. If an index is damaged, retrieving from it reports the error.
struct WordsOf<'a> {
    stores: &'a [MountedStore],
    /// Other stores may contain any word.
    asks_others: bool,
}

impl KnownWords for WordsOf<'_> {
    fn contains(&self, word: &str) -> bool {
        self.asks_others || self.stores.iter().any(|store| store.index.searcher().contains(word).unwrap_or(false))
    }

    fn beginning_with(&self, prefix: &str) -> Vec<String> {
        let words = |store: &MountedStore| store.index.searcher().words_with_prefix(prefix, MOST_WORDS);
        self.stores.iter().flat_map(|store| words(store).unwrap_or_default()).collect()
    }
}
