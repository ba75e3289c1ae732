//! What an ingest did to a store.

use std::path::Path;
use std::time::Duration;

/// What an ingest did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IngestOutcome {
    pub(crate) added: u64,
    pub(crate) changed: u64,
    /// Files whose stat had changed and whose content had not.
    pub(crate) touched: u64,
    pub(crate) removed: u64,
    /// Files that could not be read or parsed.
    pub(crate) failed: u64,
    /// Files that are not text to be indexed.
    pub(crate) skipped: u64,
    pub(crate) chunks: u64,
    pub(crate) bytes: u64,
}

impl IngestOutcome {
    pub(crate) fn log(&self, root: &Path, took: Duration) {
        let Self { added, changed, touched, removed, failed, skipped, chunks, bytes } = self;
        let (root, took_ms) = (root.display(), took.as_millis() as u64);
        tracing::info!(%root, added, changed, touched, removed, failed, skipped, chunks, bytes, took_ms, "indexed");
    }
}
