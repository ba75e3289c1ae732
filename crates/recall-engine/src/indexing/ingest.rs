//! The ingest of changed files and memories into a store.
//!
//! Files are read and parsed in parallel and written in order, in transactions of bounded size. Each commits the catalog, then the
//! lexical index, then publishes the generation. The order of the files is that of the scan whatever thread is fastest, so that rows,
//! and with them ties in a ranking, do not depend on timing. The texts between reading and writing are bounded in bytes (`window`).

mod prepare;
mod window;
mod write;

use std::num::NonZero;
use std::time::Instant;

use recall_core::Timestamp;

use crate::error::StoreError;
use crate::index_runs::{IndexRun, Progress};
use crate::store::{IngestOutcome, Store};
use crate::warning::Indexing;

pub(crate) use prepare::{FileTask, Task};
pub(crate) use write::{FEW_FILES, RunControl, Work};

/// Ingests the work. Waits while another thread writes to the store. More than a few files need `index_run`.
///
/// Batches that were committed before an error or a cancellation stay. Fails while another process has the store open.
pub(crate) fn ingest(
    store: &Store,
    work: &Work,
    threads: NonZero<usize>,
    now: Timestamp,
    index_run: Option<&IndexRun>,
    control: &mut RunControl<'_>,
) -> Result<IngestOutcome, StoreError> {
    let mut writing = store.index.write()?;
    // A crash between two commits leaves the lexical index behind. The commit of this ingest would give it the generation of the
    // catalog and hide what it lacks.
    writing.repair_lexical()?;
    if store.jobs.cancel().is_cancelled() {
        return Err(StoreError::Cancelled);
    }
    let files = work.read.len() as u64;
    (control.progress)(Progress::Started { files });
    store.jobs.set_indexing(Some(Indexing { files_done: 0, files }));
    let started = Instant::now();
    let outcome = write::run(store, &mut writing, work, threads, now, index_run, control);
    store.jobs.set_indexing(None);
    // After an error too: the batches before it are committed.
    match &outcome {
        Ok(outcome) if outcome.added + outcome.changed + outcome.removed > 0 && work.is_small() => {
            store.index.reload_written(&work.outcome())?;
        }
        _ => store.index.reload_known()?,
    }
    if let Ok(outcome) = &outcome {
        outcome.log(&store.root, started.elapsed());
    }
    outcome
}
