//! The context of a search: the request, the stores, the ranking and the stage timings.

use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{Scope, SearchRequest, Understood};

use crate::Engine;
use crate::search::answer::{Stage, StageTimes};
use crate::store::{Ranking, Store};

/// One search over a fixed list of stores.
pub(super) struct Search<'a> {
    pub(super) engine: &'a Engine,
    pub(super) request: &'a SearchRequest,
    pub(super) understood: &'a Understood,
    pub(super) scope: Scope,
    pub(super) stores: &'a [Arc<Store>],
    pub(super) ranking: &'a Ranking,
}

/// Measures the time of each stage. The times of a stage that runs several times are summed.
pub(super) struct StageClock {
    last: Instant,
    pub(super) laps: StageTimes,
}

impl Default for StageClock {
    fn default() -> Self {
        Self { last: Instant::now(), laps: Vec::new() }
    }
}

impl StageClock {
    pub(super) fn lap(&mut self, stage: Stage) {
        let now = Instant::now();
        let took = now - self.last;
        self.last = now;
        match self.laps.iter_mut().find(|(known, _)| *known == stage) {
            Some((_, sum)) => *sum += took,
            None => self.laps.push((stage, took)),
        }
    }
    /// Returns the time that a stage has taken so far.
    pub(super) fn spent(&self, stage: Stage) -> Duration {
        self.laps.iter().find(|(known, _)| *known == stage).map_or(Duration::ZERO, |&(_, spent)| spent)
    }
}
