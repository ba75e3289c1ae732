//! Here is a query; which chunks answer it?
//!
//! ```text
//! understand ─► retrieve (lexical, symbol, path) ─► fuse + prior ─► rank (learned) ─► select ─► expand ─► hits
//! ```

mod expand;
pub(crate) mod features;
mod fused;
mod order;
mod pool;
mod prior;
mod retrieve;
mod texts;
mod weights;

use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{ChunkRow, Retriever, Scope, SearchRequest, Understood, select, understand};

use crate::Engine;
use crate::answer::{Answer, Hit, Stage, StageTimes, Warning};
use crate::error::SearchError;
use crate::freshness::{freshen, reason_of};
use crate::origin::Origin;
use crate::rankers::{Rankers, Side};
use crate::store::{Ranking, Store};

use expand::Expanded;

/// How often a search begins anew because files changed under it.
const ATTEMPTS: u32 = 4;

/// How long a search waits for a generation that is being published.
const PUBLICATION_PATIENCE: Duration = Duration::from_secs(2);

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
                    warnings.append(&mut answer.warnings);
                    answer.warnings = warnings;
                    return Ok(*answer);
                }
                Attempt::Overtaken => {}
            }
        }
    }

    /// The stores that a query is asked in, at least one.
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
    ranking: &'a Ranking,
}

/// How one pass over the pipeline ended.
enum Attempt {
    Answered(Box<Answer>),
    /// Files changed under it, and were indexed since: it is to begin anew.
    Overtaken,
}

impl Search<'_> {
    /// The weights of the retrievers, and the rankers where they decide.
    fn deciding(&self) -> (Vec<(Retriever, f64)>, Option<&Rankers>) {
        let given = weights::given(&self.request.weights, &self.stores[0].settings.weights);
        let mut weights = weights::of(self.understood.class, &given);
        for (retriever, weight) in &mut weights {
            if self.request.leaves_out(retriever.as_str()) {
                *weight = 0.0;
            }
        }
        (weights, self.ranking.rankers.as_ref().filter(|_| order::is_learned(self, &given)))
    }

    /// Runs the pipeline once. The last attempt leaves hits of changing files out instead of waiting for them.
    fn attempt(&self, clock: &mut StageClock, is_last: bool) -> Result<Attempt, SearchError> {
        let (offset, limit) = (self.request.offset as usize, self.request.limit as usize);
        let store_settings = &self.stores[0].settings;
        let (weights, deciding) = self.deciding();
        let pool = pool::gather(self, &weights, clock)?;
        let ranked = order::order(self, &pool, deciding)?;
        clock.lap(Stage::Rank);
        let candidates = ranked.len() as u64;
        // One more than is shown tells whether there is a next page.
        let selected = select(ranked, store_settings.chunks_per_document, 0, offset + limit + 1);
        let next_offset = (selected.len() > offset + limit).then(|| self.request.offset + self.request.limit);
        clock.lap(Stage::Select);

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
            confidence: hits.iter().filter_map(|hit| hit.confidence).max_by(f64::total_cmp),
            hits,
            candidates,
            retrieved: pool::counts(&pool),
            next_offset,
            coverage: self.stores.iter().map(|store| store.coverage()).collect(),
            stages: std::mem::take(&mut clock.laps),
            warnings,
        })))
    }
}

/// A document as a ranker sees it.
pub(crate) struct Seen {
    pub(crate) store: usize,
    pub(crate) chunk: ChunkRow,
    pub(crate) side: Side,
    pub(crate) row: Vec<f32>,
}

/// What the rankers see of every candidate, whoever decides.
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
    let (weights, _) = search.deciding();
    let pool = pool::gather(&search, &weights, &mut StageClock::default())?;
    let mut all = Vec::new();
    for side in Side::ALL {
        let sides: Vec<_> = pool.iter().map(|finds| finds.on(side)).collect();
        let texts = texts::closeness(stores, understood, &sides)?;
        let rows = features::rows(understood, request, &sides, &texts);
        let documents =
            sides.iter().enumerate().flat_map(|(store, one)| one.documents.iter().map(move |d| (store, *d)));
        all.extend(documents.zip(rows.chunks_exact(features::COUNT)).map(|((store, document), row)| Seen {
            store,
            chunk: document.chunk,
            side,
            row: row.to_vec(),
        }));
    }
    Ok(all)
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
pub(crate) fn merge_filters(understood: &mut Understood, request: &SearchRequest) {
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
