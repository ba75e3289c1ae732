//! PostgreSQL with pgvector.
//!
//! Every table is partitioned by tenant and protected by row-level security. Terms are arrays of numbers with a GIN index; a model's
//! vectors are a table of their own with an HNSW index. A publication writes documents that are not live, and one transaction makes
//! them live and ends those that they replace.
//!
//! PostgreSQL's own text search has other words and no BM25, and a filter by tenant after an HNSW scan would read the rows of others
//! first (ADR 43). Begin with `schema`, `publication` and `find`.

mod connection;
mod facets;
mod find;
mod password;
mod publication;
mod schema;
mod text_scan;

use std::time::Duration;

use crate::guarded::Connections;
use crate::seam::{BranchState, ChunkRecord, DocumentRecord};
use crate::{
    Ask, Branch, FacetCounts, FacetScan, Found, Key, Manifest, Model, Place, Publication, SharedStore, Statistics,
    StoreError, TextScan, TextStep, WholeDocument,
};
use connection::Pool;
pub use connection::{PostgresSettings, Replica};
pub use password::Authentication;
use schema::numbers;

/// A PostgreSQL server.
pub struct Postgres {
    connections: Connections<Pool>,
}

impl Postgres {
    /// Creates the store. Connects with the first request.
    ///
    /// # Errors
    /// The address is invalid, or would send the password or the texts over an unprotected network.
    pub fn new(settings: &PostgresSettings) -> Result<Self, StoreError> {
        let readers = (Pool::new(settings, settings.read)?, settings.deadline);
        let writers = (Pool::new(settings, Replica::Primary)?, settings.publish_deadline);
        Ok(Self { connections: Connections::start("postgres", &settings.password, readers, writers)? })
    }
}

impl SharedStore for Postgres {
    fn kind(&self) -> &'static str {
        "postgres"
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.connections.read(schema::ping)
    }

    fn statistics(&self, keys: &[u32]) -> Result<Statistics, StoreError> {
        let keys = numbers(keys);
        self.connections.read(|pool| schema::read_statistics(pool, keys))
    }

    fn models(&self) -> Result<Vec<Model>, StoreError> {
        self.connections.read(schema::models)
    }

    fn find(&self, ask: &Ask) -> Result<Found, StoreError> {
        let ask = ask.clone();
        self.connections.read(|pool| find::find(pool, ask))
    }

    fn texts(&self, chunks: &[Key]) -> Result<Vec<Option<String>>, StoreError> {
        let chunks = chunks.to_vec();
        self.connections.read(|pool| find::texts(pool, chunks))
    }

    fn document(&self, places: &[Place]) -> Result<Option<WholeDocument>, StoreError> {
        let places = places.to_vec();
        self.connections.read(|pool| find::document(pool, places))
    }

    fn facets(&self, scan: &FacetScan) -> Result<FacetCounts, StoreError> {
        let scan = scan.clone();
        self.connections.read(|pool| facets::count(pool, scan))
    }

    fn scan_texts(&self, scan: &TextScan) -> Result<TextStep, StoreError> {
        let scan = scan.clone();
        self.connections.read(|pool| text_scan::step(pool, scan))
    }

    fn publish_deadline(&self) -> Duration {
        self.connections.publish_deadline()
    }

    fn branch(&self, branch: &Branch) -> Result<Option<BranchState>, StoreError> {
        let branch = branch.clone();
        self.connections.write(|pool| publication::branch(pool, branch))
    }

    fn manifest(&self, branch: &Branch) -> Result<Manifest, StoreError> {
        let branch = branch.clone();
        self.connections.write(|pool| publication::manifest(pool, branch))
    }

    fn begin(&self, branch: &Branch, model: Option<&Model>) -> Result<Publication, StoreError> {
        let (branch, model) = (branch.clone(), model.cloned());
        self.connections.write(|pool| publication::begin(pool, branch, model))
    }

    fn missing(&self, chunks: &[Key], model: Option<&Model>) -> Result<Vec<bool>, StoreError> {
        let (chunks, model) = (chunks.to_vec(), model.cloned());
        self.connections.write(|pool| publication::missing(pool, chunks, model))
    }

    fn put_chunks(&self, chunks: &[ChunkRecord], model: Option<&Model>) -> Result<(), StoreError> {
        let (chunks, model) = (chunks.to_vec(), model.cloned());
        self.connections.write(|pool| publication::put_chunks(pool, chunks, model))
    }

    fn put_documents(&self, publication: &Publication, documents: &[DocumentRecord]) -> Result<(), StoreError> {
        let (publication, documents) = (publication.clone(), documents.to_vec());
        self.connections.write(|pool| publication::put_documents(pool, publication, documents))
    }

    fn commit(
        &self,
        publication: &Publication,
        added: u64,
        removed: &[String],
        state: &BranchState,
    ) -> Result<(), StoreError> {
        let (publication, removed, state) = (publication.clone(), removed.to_vec(), state.clone());
        self.connections.write(|pool| publication::commit(pool, publication, added, removed, state))
    }

    fn collect(&self) -> Result<u64, StoreError> {
        self.connections.write(publication::collect)
    }
}
