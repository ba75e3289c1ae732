//! PostgreSQL with pgvector.
//!
//! Every table is partitioned by tenant and protected by row-level security. Terms are arrays of numbers with a GIN index; a model's
//! vectors are a table of their own with an HNSW index. A publication writes documents that are not live, and one transaction makes
//! them live and ends those that they replace.

mod connection;
mod find;
mod publication;
mod schema;
mod statistics;

use std::sync::Arc;
use std::time::Duration;

use crate::seam::{BranchState, ChunkRecord, DocumentRecord};
use crate::worker::Worker;
use crate::{Ask, Branch, Found, Key, Manifest, Model, Publication, SharedStore, Statistics, StoreError};
use connection::Pool;

/// Where a PostgreSQL store is, and who reads it.
#[derive(Clone)]
pub struct PostgresSettings {
    /// The address: `postgres://user@host:port/database`, with several hosts separated by commas for a primary and its standbys.
    pub address: String,
    /// The password; empty for none.
    pub password: String,
    /// The tenant, whose rows alone are read and written.
    pub tenant: String,
    /// How long a search waits for an answer.
    pub deadline: Duration,
    /// Which server a search asks.
    pub read: Replica,
    /// How long a request of a publication may take.
    pub publish_deadline: Duration,
}

/// Which of several servers is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replica {
    /// Any that answers, a standby too.
    #[default]
    Any,
    /// The primary.
    Primary,
}

/// A PostgreSQL server.
pub struct Postgres {
    settings: PostgresSettings,
    readers: Arc<Pool>,
    writers: Arc<Pool>,
    /// Dropped last, since the pools' connections run on it.
    worker: Worker,
}

impl Postgres {
    /// Creates the store. Connects with the first request.
    ///
    /// # Errors
    /// The address is invalid, or would send the password or the texts over an unprotected network.
    pub fn new(settings: PostgresSettings) -> Result<Self, StoreError> {
        let readers = Arc::new(Pool::new(&settings, settings.read)?);
        let writers = Arc::new(Pool::new(&settings, Replica::Primary)?);
        let worker = Worker::start("postgres").map_err(StoreError::unreachable)?;
        Ok(Self { settings, readers, writers, worker })
    }

    fn read<T: Send + 'static, F>(&self, task: impl FnOnce(Arc<Pool>) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        self.worker.run(self.settings.deadline, task(Arc::clone(&self.readers)))
    }

    fn write<T: Send + 'static, F>(&self, task: impl FnOnce(Arc<Pool>) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        self.worker.run(self.settings.publish_deadline, task(Arc::clone(&self.writers)))
    }
}

impl SharedStore for Postgres {
    fn kind(&self) -> &'static str {
        "postgres"
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.read(statistics::ping)
    }

    fn statistics(&self, keys: &[u32]) -> Result<Statistics, StoreError> {
        let keys = numbers(keys);
        self.read(|pool| statistics::read(pool, keys))
    }

    fn models(&self) -> Result<Vec<Model>, StoreError> {
        self.read(statistics::models)
    }

    fn find(&self, ask: &Ask) -> Result<Found, StoreError> {
        let ask = ask.clone();
        self.read(|pool| find::find(pool, ask))
    }

    fn texts(&self, chunks: &[Key]) -> Result<Vec<Option<String>>, StoreError> {
        let chunks = chunks.to_vec();
        self.read(|pool| find::texts(pool, chunks))
    }

    fn branch(&self, branch: &Branch) -> Result<Option<BranchState>, StoreError> {
        let branch = branch.clone();
        self.write(|pool| publication::branch(pool, branch))
    }

    fn manifest(&self, branch: &Branch) -> Result<Manifest, StoreError> {
        let branch = branch.clone();
        self.write(|pool| publication::manifest(pool, branch))
    }

    fn begin(&self, branch: &Branch, model: Option<&Model>) -> Result<Publication, StoreError> {
        let (branch, model) = (branch.clone(), model.cloned());
        self.write(|pool| publication::begin(pool, branch, model))
    }

    fn missing(&self, chunks: &[Key], model: Option<&Model>) -> Result<Vec<bool>, StoreError> {
        let (chunks, model) = (chunks.to_vec(), model.cloned());
        self.write(|pool| publication::missing(pool, chunks, model))
    }

    fn put_chunks(&self, chunks: &[ChunkRecord], model: Option<&Model>) -> Result<(), StoreError> {
        let (chunks, model) = (chunks.to_vec(), model.cloned());
        self.write(|pool| publication::put_chunks(pool, chunks, model))
    }

    fn put_documents(&self, publication: &Publication, documents: &[DocumentRecord]) -> Result<(), StoreError> {
        let (publication, documents) = (publication.clone(), documents.to_vec());
        self.write(|pool| publication::put_documents(pool, publication, documents))
    }

    fn commit(
        &self,
        publication: &Publication,
        added: u64,
        removed: &[String],
        state: &BranchState,
    ) -> Result<(), StoreError> {
        let (publication, removed, state) = (publication.clone(), removed.to_vec(), state.clone());
        self.write(|pool| publication::commit(pool, publication, added, removed, state))
    }

    fn collect(&self) -> Result<u64, StoreError> {
        self.write(publication::collect)
    }
}

/// Keys as PostgreSQL stores them.
fn numbers(keys: &[u32]) -> Vec<i32> {
    keys.iter().map(|key| key.cast_signed()).collect()
}
