//! The stores on disk: for which roots they are kept, the deletion of indexes whose roots are gone, and the freeing of
//! space.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use recall_core::{Scope, Timestamp};
use recall_text::error_chain;

use crate::Engine;
use crate::error::StatusError;
use crate::origin::Origin;
use crate::store_folder::StoreFolder;

/// A store on disk, open or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptStore {
    /// The root that its folder names, whether it exists or not.
    pub root: PathBuf,
    /// The bytes of its index on disk. A file that several indexes share is counted in parts.
    pub index_bytes: u64,
    /// The time of the last change of its index; `None` if it has none.
    pub last_change: Option<Timestamp>,
    /// Whether the root is missing.
    pub is_gone: bool,
    /// When the root was first found missing.
    pub gone_since: Option<Timestamp>,
}

impl Engine {
    /// Returns every store on disk, by root.
    pub fn kept_stores(&self) -> Vec<KeptStore> {
        let stores = StoreFolder::all(&self.registry.places).into_iter();
        let mut stores: Vec<KeptStore> = stores
            .map(|(root, folder)| KeptStore {
                index_bytes: folder.index_bytes(),
                last_change: folder.last_change().map(Timestamp::from),
                is_gone: is_gone(&root),
                gone_since: folder.gone_since().map(Timestamp::from),
                root,
            })
            .collect();
        stores.sort_unstable_by(|a, b| a.root.cmp(&b.root));
        stores
    }

    /// Deletes the indexes of stores whose roots have been missing for `grace`; returns those roots.
    ///
    /// The time begins when a call of this first finds the root missing: a drive may be unmounted for a while. What cannot be
    /// derived is kept: the sessions and the selection of the project.
    pub fn delete_gone_indexes(&self, grace: Duration) -> Vec<PathBuf> {
        let now = self.clock.now();
        let mut deleted = Vec::new();
        for (root, folder) in StoreFolder::all(&self.registry.places) {
            let failed = |error: &dyn std::error::Error| {
                tracing::warn!(root = %root.display(), error = error_chain(error), "the index of a missing root was not deleted");
            };
            let since = match folder.mark_gone(is_gone(&root)) {
                Ok(Some(since)) => since,
                Ok(None) => continue,
                Err(error) => {
                    failed(&error);
                    continue;
                }
            };
            let age = now.0.saturating_sub(Timestamp::from(since).0);
            if i128::from(age) < grace.as_nanos() as i128 || folder.last_change().is_none() {
                continue;
            }
            match self.registry.delete_unused_index(&root, &folder) {
                Ok(true) => {
                    tracing::info!(root = %root.display(), "the index is deleted, since its root is gone");
                    deleted.push(root);
                }
                Ok(false) => {}
                Err(error) => failed(&error),
            }
        }
        deleted
    }
}

/// Whether nothing is at the path. A root that cannot be looked at is not gone.
fn is_gone(root: &std::path::Path) -> bool {
    root.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

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
