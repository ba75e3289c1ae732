//! The context of a search: the request, the stores, the ranking and the stage timings.
//!
//! [`SearchedStore`] is the seam between the pipeline and a store (ADR 48). It returns evidence, not candidates: the index of this
//! machine computes evidence from its postings in a fraction of a millisecond, and a shared store's is computed here from the
//! analyses that it returns. With one trait below `recall-shared` for both, the index would have to read and decode analyses for each
//! candidate.

use std::time::{Duration, Instant};

use recall_core::rql::Filter;
use recall_core::{ChunkRow, DocumentRow, ModelFingerprint, Scope, SearchRequest, Understood};
use recall_index::catalog::ChunkedDocument;
use recall_index::lexical::{Closeness, Facets};

use super::answer::{Stage, StageTimes};
use super::retriever_weights::RetrieverWeights;
use super::store_results::{ChunksRead, PastUse, StoreResults};
use crate::Engine;
use crate::embeddings::ChunkTexts;
use crate::engine::MountedStore;
use crate::error::StoreError;
use crate::matching::PeriodLimit;
use crate::mount::Mount;
use crate::ranking::Rankers;
use crate::store::Store;
use crate::task_pool::Deferred;
use crate::warning::{Coverage, Warning};

/// What a search asks of a store: candidates and texts. The index of this machine and every kind of shared store give the same
/// evidence, so that no later stage depends on where a document is.
pub(super) trait SearchedStore {
    /// Returns the models that cover its documents; `None` if it has none.
    fn models(&self) -> Option<Vec<ModelFingerprint>>;

    /// Runs every retriever that has a weight; the semantic one with the given models, or any.
    fn retrieve(
        &self,
        search: &Search<'_>,
        weights: &RetrieverWeights,
        models: Option<&[ModelFingerprint]>,
    ) -> Result<StoreResults, StoreError>;

    /// Starts to compute how near the words of the query are to each other in these chunks, of a store with that many. `None` for a
    /// chunk that is gone.
    fn closeness(
        &self,
        search: &Search<'_>,
        rows: Vec<ChunkRow>,
        chunks: u64,
    ) -> Deferred<Result<Vec<Option<Closeness>>, StoreError>>;

    /// Returns the text of each chunk as a model reads it, in order; empty for a chunk that is gone.
    fn model_texts(
        &self,
        chunks: &[(DocumentRow, ChunkRow)],
        build: fn(&ChunkedDocument) -> ChunkTexts,
    ) -> Result<Vec<String>, StoreError>;

    /// Reads chunks as hits. In the last attempt, changed files are left out instead of indexed.
    fn hits(
        &self,
        search: &Search<'_>,
        chunks: &[(DocumentRow, ChunkRow)],
        is_last: bool,
    ) -> Result<ChunksRead, StoreError>;

    /// Counts the documents that contain a word of the query and pass its filters, with directories as the client narrows a search by
    /// them.
    fn facets(&self, search: &Search<'_>) -> Result<StoreFacets, StoreError>;

    /// Returns whether a document is a memory of somebody else, for whom the user does not vouch.
    fn is_of_somebody_else(&self, document: DocumentRow) -> bool;

    /// Returns where its paths are in the client's project.
    fn mount(&self) -> &Mount;

    /// Returns the state of the store that the answer is from.
    fn coverage(&self) -> Coverage;
}

/// The counts of a store's documents by value.
#[derive(Default)]
pub(super) struct StoreFacets {
    pub(super) counts: Facets,
    /// Why a shared store has none.
    pub(super) warning: Option<Warning>,
}

/// One search over a fixed list of stores.
pub(super) struct Search<'a> {
    pub(super) engine: &'a Engine,
    pub(super) request: &'a SearchRequest,
    pub(super) understood: &'a Understood,
    pub(super) scope: Scope,
    /// All of them. The store of a candidate is an index of this list.
    pub(super) searched: &'a [&'a dyn SearchedStore],
    /// Those of this machine, which are the first ones of the list.
    pub(super) stores: &'a [MountedStore],
    /// The store whose settings apply to the search: the first one, or the project's.
    pub(super) base: &'a Store,
    /// `None` if the fused order is final.
    pub(super) rankers: Option<&'a Rankers>,
    /// A condition on hits, in addition to the filters of the request.
    pub(super) filter: Option<&'a Filter>,
    /// The period that hits were made in; `None` for any time.
    pub(super) period: Option<&'a PeriodLimit>,
    /// The changes of the past that are evidence.
    pub(super) past: PastUse<'a>,
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
