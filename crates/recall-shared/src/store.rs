//! The trait of a store that a team shares, with what a search and a publication ask of it.

use std::time::Duration;

use crate::facets::{FacetCounts, FacetScan};
use crate::seam::{
    Ask, Branch, BranchState, ChunkRecord, DocumentRecord, Found, Key, Manifest, Model, Place, Publication, Statistics,
    StoreError, WholeDocument,
};
use crate::text_scan::{TextScan, TextStep};

/// A store that a team shares. Its tenant is fixed when it is created: no request names one.
///
/// Every call may be repeated: a chunk or document that is there is not stored twice. Readers see the documents of the last
/// committed publication of each repository's default branch.
pub trait SharedStore: Send + Sync {
    /// The name of the kind, as a status shows it.
    fn kind(&self) -> &'static str;

    /// Returns once the server has answered.
    fn ping(&self) -> Result<(), StoreError>;

    /// Returns the statistics of the whole store, with the counts of these keys. Thousands of keys that nothing has cost little: they are
    /// the spellings near to a query's.
    fn statistics(&self, keys: &[u32]) -> Result<Statistics, StoreError>;

    /// Returns the models whose vectors the store has.
    fn models(&self) -> Result<Vec<Model>, StoreError>;

    /// Returns the documents with the best candidates of each retriever.
    ///
    /// A document is found once, by all of its chunks. If fewer chunks or documents match than the depth of a retriever, all of them
    /// are found; otherwise the best by the sum of the weights of their keys, or by their cosines.
    fn find(&self, ask: &Ask) -> Result<Found, StoreError>;

    /// Returns the texts of chunks, in their order; `None` for a chunk that is not there.
    fn texts(&self, chunks: &[Key]) -> Result<Vec<Option<String>>, StoreError>;

    /// Returns the document at the first of these places that has one.
    fn document(&self, places: &[Place]) -> Result<Option<WholeDocument>, StoreError>;

    /// Counts the documents that readers see, that satisfy the conditions and that have a word.
    ///
    /// A word that thousands of chunks have may be counted in part of them.
    fn facets(&self, scan: &FacetScan) -> Result<FacetCounts, StoreError>;

    /// Compares the texts of some documents with fragments, and returns those that contain one.
    ///
    /// The steps of a pass together compare each document that readers see and that satisfies the conditions, once.
    ///
    /// # Errors
    /// [Busy](StoreError::Busy) if something was published since the pass began: it must begin again.
    fn scan_texts(&self, scan: &TextScan) -> Result<TextStep, StoreError>;

    /// How long a publication waits for one of its requests, with its repeats.
    fn publish_deadline(&self) -> Duration {
        Duration::MAX
    }

    /// Returns the published state of a branch; `None` if it was never published.
    fn branch(&self, branch: &Branch) -> Result<Option<BranchState>, StoreError>;

    /// Returns the documents of a branch as readers see them. Counts only documents whose chunks are all there.
    fn manifest(&self, branch: &Branch) -> Result<Manifest, StoreError>;

    /// Begins a publication, and discards what an earlier one of this branch left. Creates what the store needs.
    ///
    /// If the earlier one is still running, its next request fails as [busy](StoreError::Busy).
    fn begin(&self, branch: &Branch, model: Option<&Model>) -> Result<Publication, StoreError>;

    /// Returns which chunks are not there, or lack a vector of the model, in the order of the keys.
    fn missing(&self, chunks: &[Key], model: Option<&Model>) -> Result<Vec<bool>, StoreError>;

    /// Stores chunks. Those that are there get their vector if they lack it.
    fn put_chunks(&self, chunks: &[ChunkRecord], model: Option<&Model>) -> Result<(), StoreError>;

    /// Stores documents of a publication. Their chunks must be there.
    fn put_documents(&self, publication: &Publication, documents: &[DocumentRecord]) -> Result<(), StoreError>;

    /// Makes a publication visible as a whole: its `added` documents replace those of equal paths, the `removed` ones are gone.
    ///
    /// A commit that was already done is done again without effect.
    ///
    /// # Errors
    /// The branch was published by somebody else since, or documents of the publication are missing. Nothing has changed then.
    fn commit(
        &self,
        publication: &Publication,
        added: u64,
        removed: &[String],
        state: &BranchState,
    ) -> Result<(), StoreError>;

    /// Deletes documents and chunks that no reader can see any more. Returns the number of deleted chunks.
    fn collect(&self) -> Result<u64, StoreError>;
}
