//! The use case of learning from projects' histories: which files a text leads to.
//!
//! A history is used only where it is better. The newest changes are kept aside, and their subjects are asked with what was learnt from
//! the older ones, at several weights. If the best weight finds the changed files earlier than the search without a history, it is
//! adopted, and everything is learnt from. Otherwise nothing is.

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use recall_core::{
    DocumentRow, DocumentType, Filters, Recording, Scope, SearchRequest, StoreScope, Understood, understand,
};
use recall_index::lexical::terms;
use recall_text::{DocPath, FileKind};

use super::candidates;
use super::context::{Search, StageClock};
use super::order;
use super::searched_stores;
use super::store_results::PastUse;
use crate::Engine;
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::git::{Change, Git, Head};
use crate::known::KnownFile;
use crate::store::{HistoryModel, HistoryRecord, Past, Precedents, Store, Trial};

/// The most commits that are read of a history. More are older than what the decay by age leaves of them.
const MOST_COMMITS: usize = 5_000;

/// The commits that one process of git lists, so that an answer is small and in time.
const COMMITS_AT_ONCE: usize = 250;

/// The fewest usable changes that are learnt from.
const FEWEST_CHANGES: usize = 100;

/// Of so many changes, the newest one is kept aside.
const KEPT_ASIDE: usize = 5;

/// The most changes that are asked. Each takes as long as a few searches.
const MOST_QUESTIONS: usize = 150;

/// The fewest changes that can judge a history.
const FEWEST_QUESTIONS: usize = 20;

/// The most files of a change that is asked, and the fewest terms of its subject.
const MOST_ANSWERS: usize = 5;
const FEWEST_TERMS: usize = 3;

/// The weights that are tried, in standard deviations of the ranker's scores.
const WEIGHTS: [f64; 4] = [0.25, 0.5, 1.0, 1.5];

/// The least gain in the mean reciprocal rank for which a history is used. Less is chance.
const LEAST_GAIN: f64 = 0.01;

/// The fewest new commits after which a history is learnt from again, and their least share of what was learnt from.
const FEWEST_NEW: usize = 20;
const NEW_SHARE: usize = 50;

impl Engine {
    /// Learns from the histories of the open projects, one after the other: of those whose index is complete and whose history is new or
    /// has grown enough. Returns their number.
    ///
    /// It takes some seconds for each, half of which it sleeps. What was learnt is in the folder of the index.
    pub fn learn_from_history(&self) -> usize {
        self.registry.open_stores().iter().filter(|store| self.learn_from(store).is_some()).count()
    }

    /// Learns from the history of a store. `None` if nothing is to be learnt, or if the store is closed meanwhile.
    fn learn_from(&self, store: &Arc<Store>) -> Option<()> {
        let _working = store.jobs.begin_thread();
        if !is_ready(store) {
            return None;
        }
        let (git, history) = (Git::at(&store.root), store.facts.history());
        let head = Head::read_from(&store.root).commit?;
        if !history.begin(&head) || history.model().is_some_and(|model| !has_grown(git, &model, &head)) {
            return None;
        }
        let known = store.index.known_documents();
        let is_indexed = |path: &DocPath| known.files.get(path.as_str()).is_some_and(|file| file.hash.is_some());
        let changes = Past::usable(read_changes(store)?, is_indexed);
        let past = Past::new(&changes);
        let trial = if changes.len() < FEWEST_CHANGES { Trial::default() } else { self.trial(store, &changes, &past)? };
        tracing::info!(root = %store.root.display(), changes = changes.len(), ?trial, "learnt from the history");
        history.replace(HistoryRecord::new(head, past, trial));
        Some(())
    }

    /// Asks the newest changes with what is learnt from the others. `None` if the store is closed meanwhile or cannot be read.
    fn trial(&self, store: &Arc<Store>, changes: &[Change], past: &Past) -> Option<Trial> {
        let kept_aside = (changes.len() / KEPT_ASIDE).min(MOST_QUESTIONS);
        let precedents = Precedents::new(past, kept_aside);
        let (mut sums, mut questions) = ([0.0; WEIGHTS.len() + 1], 0);
        for change in &changes[..kept_aside] {
            let began = Instant::now();
            if store.jobs.cancel().is_cancelled() {
                return None;
            }
            if let Some(ranks) = self.ask(store, change, &precedents).ok()? {
                sums.iter_mut().zip(ranks).for_each(|(sum, rank)| *sum += rank);
                questions += 1;
            }
            thread::sleep(began.elapsed());
        }
        if questions < FEWEST_QUESTIONS {
            return Some(Trial::default());
        }
        let [without, with @ ..] = sums.map(|sum| sum / questions as f64);
        let best = with.into_iter().zip(WEIGHTS).max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
        let (with, weight) = best.expect("there are weights");
        let weight = if with - without >= LEAST_GAIN { weight } else { 0.0 };
        Some(Trial { questions, without, with, weight })
    }

    /// Returns the reciprocal rank of the first file of a change among the code that its subject finds: without a history, then at each
    /// of the weights. `None` if the change is not a question, or if none of its files is found.
    fn ask(
        &self,
        store: &Arc<Store>,
        change: &Change,
        precedents: &Precedents,
    ) -> Result<Option<[f64; WEIGHTS.len() + 1]>, StoreError> {
        let known = store.index.known_documents();
        let main = change.files.iter().filter(|path| FileKind::from_path(path) == FileKind::Main);
        let answers: Vec<DocumentRow> =
            main.filter_map(|path| known.files.get(path.as_str()).and_then(KnownFile::document)).collect();
        let subject = change.message.trim_start().lines().next().unwrap_or_default();
        if answers.is_empty() || answers.len() > MOST_ANSWERS || terms(subject).len() < FEWEST_TERMS {
            return Ok(None);
        }
        let filters = Filters { types: vec![DocumentType::Code], ..Filters::default() };
        let understood = Understood { filters, scope: None, ..understand(subject) };
        let request = SearchRequest { recording: Recording::Off, ..SearchRequest::new(subject, Scope::Project, 10) };
        let stores = [MountedStore::in_scope(Arc::clone(store))];
        let searched = searched_stores(&stores, &[]);
        let mut search = Search {
            engine: self,
            request: &request,
            understood: &understood,
            scope: Scope::Project,
            searched: &searched,
            stores: &stores,
            base: store,
            rankers: store.rankers(&self.settings.rankers),
            filter: None,
            period: None,
            past: PastUse::OnTrial { precedents, weight: 0.0 },
        };
        let weights = search.deciding().0;
        if search.deciding().1.is_none() {
            return Ok(None);
        }
        let candidates = candidates::gather(&search, &weights, true, &mut StageClock::default())?;
        let mut ranks = [0.0; WEIGHTS.len() + 1];
        for (rank, weight) in ranks.iter_mut().zip([0.0].into_iter().chain(WEIGHTS)) {
            search = Search { past: PastUse::OnTrial { precedents, weight }, ..search };
            let ranked = order::order(&search, &candidates, search.deciding().1)?;
            let Some(place) = ranked.iter().position(|one| answers.contains(&one.document)) else { return Ok(None) };
            *rank = 1.0 / (place + 1) as f64;
        }
        Ok(Some(ranks))
    }
}

/// Returns whether a store is a project whose index is complete and that wants to learn.
fn is_ready(store: &Store) -> bool {
    let generation = store.index.generation();
    store.scope == StoreScope::Project
        && store.settings().learns_from_history
        && store.index.is_claimed()
        && !store.index.holds_nothing()
        && store.jobs.indexing().is_none()
        && !store.index.embeddings().is_to_come(generation)
        && store.index.structure().generation >= generation
}

/// Returns whether a history has grown enough since it was learnt from. A rewritten one counts as grown.
fn has_grown(git: Git<'_>, model: &HistoryModel, head: &str) -> bool {
    let new = git.commits_since(&model.head);
    model.head != head && new.is_none_or(|new| new >= FEWEST_NEW.max(model.changes / NEW_SHARE))
}

/// Returns the changes of a project's history, the newest first. `None` if there are none, or if git does not answer.
fn read_changes(store: &Store) -> Option<Vec<Change>> {
    let git = Git::at(&store.root);
    let mut changes = Vec::new();
    for skipped in (0..MOST_COMMITS).step_by(COMMITS_AT_ONCE) {
        // Of a history that is read too slowly, the newest part is enough.
        let Some(read) = git.changes(skipped, COMMITS_AT_ONCE).filter(|read| !read.is_empty()) else { break };
        changes.extend(read);
        if store.jobs.cancel().is_cancelled() {
            return None;
        }
    }
    (!changes.is_empty()).then_some(changes)
}
