//! The context of a search: the request, the stores, the ranking and the stage timings.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{RowSet, Scope, SearchRequest, Understood};
use recall_rql::{Filter, Object};

use crate::Engine;
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::matching::Matching;
use crate::search::answer::{Stage, StageTimes};
use crate::search::shared::SharedAnswer;
use crate::store::{Ranking, Store};

/// One search over a fixed list of stores.
pub(super) struct Search<'a> {
    pub(super) engine: &'a Engine,
    pub(super) request: &'a SearchRequest,
    pub(super) understood: &'a Understood,
    pub(super) scope: Scope,
    pub(super) stores: &'a [MountedStore],
    /// What the shared stores answered.
    pub(super) shared: &'a [SharedAnswer],
    /// The store whose settings apply to the search: the first one, or the project's.
    pub(super) base: &'a Store,
    pub(super) ranking: &'a Ranking,
    /// A condition on hits, in addition to the filters of the request.
    pub(super) filter: Option<&'a Filter>,
}

impl Search<'_> {
    /// Returns the shared store with the index of a store; `None` for a store of this machine.
    pub(super) fn shared_at(&self, store: usize) -> Option<&SharedAnswer> {
        self.shared.get(store.checked_sub(self.stores.len())?)
    }

    /// Returns the chunks of a store that satisfy the condition; `None` without one.
    pub(super) fn allowed(&self, store: &MountedStore) -> Result<Option<Arc<RowSet>>, StoreError> {
        let Some(filter) = self.filter else { return Ok(None) };
        let matching = Matching::new(Object::Chunk, Some(filter), &store.mount);
        Ok(Some(Arc::new(matching.chunk_rows(store, self.engine.clock.now())?.0)))
    }

    /// Returns the query as it concerns a store.
    pub(super) fn understood_in(&self, store: &MountedStore) -> Cow<'_, Understood> {
        store.mount.inner_query(self.understood).map_or(Cow::Borrowed(self.understood), Cow::Owned)
    }
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
