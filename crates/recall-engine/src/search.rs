//! Here is a query; which chunks answer it?
//!
//! ```text
//! understand ─► retrieve (lexical, symbol, path) ─► fuse + prior ─► select ─► expand ─► hits
//! ```

mod expand;
pub(crate) mod features;
mod prior;
mod retrieve;
mod weights;

use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{Fused, RankedList, Retriever, Scope, SearchRequest, Selectable, Understood, select, understand};

use crate::Engine;
use crate::candidates::RankedDocument;
use crate::answer::{Answer, Factor, Hit, Stage, StageTimes, Warning};
use crate::error::SearchError;
use crate::freshness::{freshen, reason_of};
use crate::origin::Origin;
use crate::store::Store;

use expand::Expanded;

/// How often a search begins anew because files changed under it.
const ATTEMPTS: u32 = 4;

/// How long a search waits for a generation that is being published.
const PUBLICATION_PATIENCE: Duration = Duration::from_secs(2);

/// A chunk in the order of the answer, before it is read.
struct Ranked {
    /// Which of the request's stores it is in.
    store: usize,
    fused: Fused,
    priors: Vec<Factor>,
    score: f64,
}

impl Selectable for Ranked {
    type Document = (usize, i64);

    fn document(&self) -> Self::Document {
        (self.store, self.fused.document.0)
    }
}

impl Engine {
    /// Answers a search.
    ///
    /// Before it answers, the stores are brought up to their files as far as there is time, and each hit's own file is
    /// compared with what was indexed of it: a file that changed is indexed first, one that is gone brings no hit.
    ///
    /// # Errors
    /// The query holds no word, the scope has no store, or a store cannot be opened or read.
    pub fn search(&self, origin: &Origin, request: &SearchRequest) -> Result<Answer, SearchError> {
        self.answer(origin, request).inspect_err(|error| {
            if let SearchError::Store(error) = error {
                self.registry.close_damaged(error);
            }
        })
    }

    fn answer(&self, origin: &Origin, request: &SearchRequest) -> Result<Answer, SearchError> {
        let mut clock = StageClock::default();
        let mut understood = understand(&request.query);
        let scope = understood.scope.unwrap_or(request.scope);
        merge_filters(&mut understood, request);
        if understood.text.is_empty() {
            return Err(SearchError::EmptyQuery);
        }
        clock.lap(Stage::Understand);
        let stores = self.registry.stores(origin, scope, &*self.clock)?;
        if stores.is_empty() {
            return Err(SearchError::NoStore { scope });
        }
        let mut warnings = self.freshen_all(&stores)?;
        clock.lap(Stage::Freshness);

        let search = Search { engine: self, request, understood: &understood, scope, stores: &stores };
        let mut attempt = 0;
        loop {
            attempt += 1;
            match search.attempt(&mut clock, attempt == ATTEMPTS)? {
                Attempt::Answered(mut answer) => {
                    warnings.append(&mut answer.warnings);
                    answer.warnings = warnings;
                    return Ok(*answer);
                }
                Attempt::Overtaken => {}
            }
        }
    }

    /// What the learned ranker would see of every candidate.
    ///
    /// # Errors
    /// As [`Engine::search`].
    pub fn candidates(&self, origin: &Origin, request: &SearchRequest) -> Result<Vec<RankedDocument>, SearchError> {
        let mut understood = understand(&request.query);
        let scope = understood.scope.unwrap_or(request.scope);
        merge_filters(&mut understood, request);
        if understood.text.is_empty() {
            return Err(SearchError::EmptyQuery);
        }
        let stores = self.registry.stores(origin, scope, &*self.clock)?;
        if stores.is_empty() {
            return Err(SearchError::NoStore { scope });
        }
        self.freshen_all(&stores)?;
        let store = &stores[0];
        let weights = weights::of(understood.class, &weights::given(&request.weights, &store.settings.weights));
        let (lists, evidence) = retrieve::retrieve(store, &understood, &weights)?;
        let mut fused = rustc_hash::FxHashMap::default();
        for ranked in prior::apply(&lists, &understood, 0) {
            let best = fused.entry(ranked.fused.document.0).or_insert(ranked.score);
            *best = ranked.score.max(*best);
        }
        let structure = store.structure();
        let found = [features::Found { lists: &lists, evidence: &evidence, structure: &structure, fused: &fused }];
        let rows = features::rows(&understood, &found);
        let chunks: Vec<_> = evidence.documents.iter().map(|document| document.chunk).collect();
        let hits = store.read(|snapshot| snapshot.hits(&chunks))?;
        let mut out = Vec::new();
        for ((hit, document), row) in hits.into_iter().zip(&evidence.documents).zip(rows.chunks_exact(features::COUNT)) {
            if let Some(hit) = hit {
                out.push(RankedDocument {
                    path: hit.document.document.path,
                    lines: (hit.chunk.span.start_line, hit.chunk.span.end_line),
                    features: row.to_vec(),
                    fused: fused[&document.document.0],
                });
            }
        }
        Ok(out)
    }

    /// Waits until the graph of every store's documents is up to them.
    ///
    /// # Errors
    /// A store cannot be opened or read.
    pub fn settle(&self, origin: &Origin, scope: Scope) -> Result<(), SearchError> {
        for store in self.registry.stores(origin, scope, &*self.clock)? {
            store.read_structure()?;
        }
        Ok(())
    }

    /// Brings every store up to its files. A store that fails is told of when another one holds something.
    fn freshen_all(&self, stores: &[Arc<Store>]) -> Result<Vec<Warning>, SearchError> {
        let mut warnings = Vec::new();
        for store in stores {
            warnings.extend(store.repaired.iter().map(|what| Warning::Repaired { what: what.clone() }));
            let configuration = store.settings.warnings.iter();
            warnings.extend(configuration.map(|message| Warning::Configuration { message: message.clone() }));
            match freshen(store, &self.settings, &self.clock) {
                Ok(more) => warnings.extend(more),
                Err(error) if stores.iter().any(|other| !other.holds_nothing()) => {
                    warnings.push(Warning::StoreUnavailable { scope: store.scope, reason: reason_of(&error) });
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(warnings)
    }
}

/// One search over the stores that it sees.
struct Search<'a> {
    engine: &'a Engine,
    request: &'a SearchRequest,
    understood: &'a Understood,
    scope: Scope,
    stores: &'a [Arc<Store>],
}

/// How one pass over the pipeline ended.
enum Attempt {
    Answered(Box<Answer>),
    /// Files changed under it, and were indexed since: it is to begin anew.
    Overtaken,
}

impl Search<'_> {
    /// Runs the pipeline once. The last attempt leaves hits of changing files out instead of waiting for them.
    fn attempt(&self, clock: &mut StageClock, is_last: bool) -> Result<Attempt, SearchError> {
        let (offset, limit) = (self.request.offset as usize, self.request.limit as usize);
        let store_settings = &self.stores[0].settings;
        let given = weights::given(&self.request.weights, &store_settings.weights);
        let mut weights = weights::of(self.understood.class, &given);
        for (retriever, weight) in &mut weights {
            if self.request.leaves_out(retriever.as_str()) {
                *weight = 0.0;
            }
        }
        let mut retrieved: Vec<(Retriever, u64)> = Vec::new();
        let mut ranked = Vec::new();
        for (place, store) in self.stores.iter().enumerate() {
            let (lists, _evidence) = retrieve::retrieve(store, self.understood, &weights)?;
            count(&mut retrieved, &lists);
            clock.lap(Stage::Retrieve);
            ranked.extend(prior::apply(&lists, self.understood, self.request, place));
            clock.lap(Stage::Fuse);
        }
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| key(a).cmp(&key(b))));
        let candidates = ranked.len() as u64;
        // One more than is shown tells whether there is a next page.
        let selected = select(ranked, store_settings.chunks_per_document, 0, offset + limit + 1);
        let next_offset = (selected.len() > offset + limit).then(|| self.request.offset + self.request.limit);
        clock.lap(Stage::Fuse);

        let mut warnings = Vec::new();
        let mut hits = match expand::expand(self, &selected, is_last)? {
            Expanded::Hits { hits, left_out } => {
                warnings.extend(left_out.into_iter().map(|path| Warning::LeftOut { path }));
                hits
            }
            Expanded::Overtaken => return Ok(Attempt::Overtaken),
        };
        hits.sort_by(order_of_hits);
        if !self.request.leaves_out("collapse") {
            expand::collapse_repeats(&mut hits);
        }
        let hits: Vec<Hit> = hits.into_iter().skip(offset).take(limit).collect();
        clock.lap(Stage::Expand);
        Ok(Attempt::Answered(Box::new(Answer {
            class: self.understood.class,
            scope: self.scope,
            weights,
            hits,
            candidates,
            retrieved,
            next_offset,
            coverage: self.stores.iter().map(|store| store.coverage()).collect(),
            stages: std::mem::take(&mut clock.laps),
            warnings,
        })))
    }
}

/// Adds the lengths of one store's lists to the counts.
fn count(retrieved: &mut Vec<(Retriever, u64)>, lists: &[RankedList]) {
    for RankedList { retriever, candidates, .. } in lists {
        let more = candidates.len() as u64;
        match retrieved.iter_mut().find(|(known, _)| known == retriever) {
            Some((_, sum)) => *sum += more,
            None => retrieved.push((*retriever, more)),
        }
    }
}

fn key(ranked: &Ranked) -> (usize, i64) {
    (ranked.store, ranked.fused.chunk.0)
}

/// Score, path, span, id.
fn order_of_hits(a: &Hit, b: &Hit) -> std::cmp::Ordering {
    b.score
        .total_cmp(&a.score)
        .then_with(|| a.document.path.cmp(&b.document.path))
        .then_with(|| a.chunk.span.bytes.cmp(&b.chunk.span.bytes))
        .then_with(|| (a.scope, a.id).cmp(&(b.scope, b.id)))
}

/// The filters of the request and those inside the query hold together.
fn merge_filters(understood: &mut Understood, request: &SearchRequest) {
    let inline = &mut understood.filters;
    inline.types.extend(request.filters.types.iter().copied());
    inline.languages.extend(request.filters.languages.iter().cloned());
    inline.paths.extend(request.filters.paths.iter().cloned());
    inline.tags.extend(request.filters.tags.iter().cloned());
}

/// Takes the time of each stage; a stage that runs several times adds up.
struct StageClock {
    last: Instant,
    laps: StageTimes,
}

impl Default for StageClock {
    fn default() -> Self {
        Self { last: Instant::now(), laps: Vec::new() }
    }
}

impl StageClock {
    fn lap(&mut self, stage: Stage) {
        let now = Instant::now();
        let took = now - self.last;
        self.last = now;
        match self.laps.iter_mut().find(|(known, _)| *known == stage) {
            Some((_, sum)) => *sum += took,
            None => self.laps.push((stage, took)),
        }
    }
}
