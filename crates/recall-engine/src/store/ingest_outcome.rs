//! The counts of an ingest.

use std::path::Path;
use std::time::Duration;

/// The counts of an ingest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct IngestOutcome {
    pub(crate) added: u64,
    pub(crate) changed: u64,
    /// Files with a changed stat and unchanged content.
    pub(crate) touched: u64,
    pub(crate) removed: u64,
    /// Files that could not be read or parsed.
    pub(crate) failed: u64,
    /// Files that are not indexed because of their content, as binary files.
    pub(crate) skipped: u64,
    /// Files that were parsed in parts.
    pub(crate) in_parts: u64,
    pub(crate) chunks: u64,
    pub(crate) bytes: u64,
}

impl IngestOutcome {
    pub(crate) fn log(&self, root: &Path, took: Duration) {
        let Self { added, changed, touched, removed, failed, skipped, in_parts: _, chunks, bytes } = self;
        let (root, took_ms) = (root.display(), took.as_millis() as u64);
        tracing::info!(%root, added, changed, touched, removed, failed, skipped, chunks, bytes, took_ms, "indexed");
    }
}
