//! How do changed files come into a store?
//!
//! Files are read and parsed in parallel and written in order, in transactions of bounded size: first the catalog,
//! then the lexical index, then the generation is published.

mod prepare;
mod window;
mod write;

use std::collections::HashSet;
use std::num::NonZero;
use std::path::Path;
use std::time::{Duration, Instant};

use recall_core::Timestamp;

use crate::coverage::Indexing;
use crate::error::StoreError;
use crate::imports::Import;
use crate::progress::{Cancel, Progress};
use crate::store::Store;

pub(crate) use prepare::Task;

/// What an ingest is to do.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// Files to read.
    pub(crate) read: Vec<Task>,
    /// Paths that are no longer there, or no longer to be indexed.
    pub(crate) gone: Vec<String>,
    /// Files that are passed over by their stat alone, with the reason.
    pub(crate) skipped: Vec<recall_catalog::FileFailure>,
}

/// Up to how many files what is known of them is read one by one.
const FEW_FILES: usize = 64;

/// Up to how many bytes of files are read without a turn to import, and lie between reading and the catalog then.
const FEW_BYTES: u64 = 4 * 1024 * 1024;

impl Work {
    /// Whether it writes so few files that what is known of all others need not be read anew.
    fn is_small(&self) -> bool {
        let Self { read, gone, skipped } = self;
        read.len() + gone.len() + skipped.len() <= FEW_FILES
    }

    /// Whether it takes so much memory that it wants a turn to import.
    pub(crate) fn is_import(&self) -> bool {
        !self.is_small() || self.read.iter().map(|task| task.size_bytes).sum::<u64>() > FEW_BYTES
    }

    /// The files that it may write.
    fn paths(&self) -> HashSet<&str> {
        let Self { read, gone, skipped } = self;
        let skipped = skipped.iter().map(|failure| failure.path.as_str());
        read.iter().map(|task| task.path.as_str()).chain(gone.iter().map(String::as_str)).chain(skipped).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        let Self { read, gone, skipped } = self;
        read.is_empty() && gone.is_empty() && skipped.is_empty()
    }
}

/// What an ingest did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
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

impl Outcome {
    fn log(&self, root: &Path, took: Duration) {
        let Self { added, changed, touched, removed, failed, skipped, chunks, bytes } = self;
        let (root, took_ms) = (root.display(), took.as_millis() as u64);
        tracing::info!(%root, added, changed, touched, removed, failed, skipped, chunks, bytes, took_ms, "indexed");
    }
}

/// Who reports and who may stop an ingest.
pub(crate) struct Supervision<'a> {
    pub(crate) progress: &'a mut dyn FnMut(Progress),
    pub(crate) cancel: &'a Cancel,
}

/// Does the work. Waits while another thread writes to the store. More than a few files want the turn of an import.
///
/// What was committed before an error or a cancellation stands. Fails while another process has the store open.
pub(crate) fn ingest(
    store: &Store,
    work: &Work,
    threads: NonZero<usize>,
    now: Timestamp,
    import: Option<&Import>,
    supervision: &mut Supervision<'_>,
) -> Result<Outcome, StoreError> {
    store.index_lock.take()?;
    store.heal_lexical()?;
    let _writing = store.writing.lock();
    if store.cancel.is_cancelled() {
        return Err(StoreError::Cancelled);
    }
    let files = work.read.len() as u64;
    (supervision.progress)(Progress::Started { files });
    store.set_indexing(Some(Indexing { files_done: 0, files }));
    let started = Instant::now();
    let outcome = write::run(store, work, threads, now, import, supervision);
    store.set_indexing(None);
    match &outcome {
        Ok(outcome) if outcome.added + outcome.changed + outcome.removed > 0 && work.is_small() => {
            store.reload_written(&work.paths())?;
        }
        _ => drop(store.reload_known()?),
    }
    if let Ok(outcome) = &outcome {
        outcome.log(&store.root, started.elapsed());
    }
    outcome
}
