//! The compact use case: frees the space of deleted data.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use recall_core::Scope;

use crate::Engine;
use crate::error::StatusError;
use crate::origin::Origin;

/// What compaction freed, over all indexes of the data home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactReport {
    /// The bytes of the indexes on disk before.
    pub bytes_before: u64,
    /// The bytes of the indexes on disk afterwards.
    pub bytes_after: u64,
    /// The roots that are gone, whose indexes were deleted.
    pub deleted: Vec<PathBuf>,
    /// How long it took.
    pub took: Duration,
}

impl Engine {
    /// Rewrites the indexes of the stores that the client sees without the space of deleted data, and deletes their quarantined
    /// parts and the indexes of roots that are gone. Writes wait meanwhile; searches continue.
    ///
    /// # Errors
    /// A store cannot be opened or written, or another process writes it.
    pub fn compact(&self, origin: &Origin, scope: Scope) -> Result<CompactReport, StatusError> {
        let began = Instant::now();
        let bytes = || self.kept_stores().iter().map(|store| store.index_bytes).sum();
        let bytes_before = bytes();
        for store in self.stores(origin, scope)? {
            store.compact()?;
        }
        let deleted = self.delete_gone_indexes(Duration::ZERO);
        Ok(CompactReport { bytes_before, bytes_after: bytes(), deleted, took: began.elapsed() })
    }
}
