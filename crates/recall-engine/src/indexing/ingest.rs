//! The ingest of changed files and memories into a store.
//!
//! Files are read and parsed in parallel and written in order, in transactions of bounded size. Each commits the catalog, then the
//! lexical index, then publishes the generation. The order of the files is that of the scan whatever thread is fastest, so that rows,
//! and with them ties in a ranking, do not depend on timing. The texts between reading and writing are bounded in bytes (`window`).

mod likely;
mod prepare;
mod window;
mod write;

use std::num::NonZero;
use std::time::Instant;

use recall_core::Timestamp;

use crate::error::StoreError;
use crate::index_runs::{IndexRun, Progress};
use crate::store::{IndexWork, IngestOutcome, RunKind, Store};
use crate::warning::Indexing;

pub(crate) use prepare::{FileTask, Task};
pub(crate) use write::{FEW_FILES, RunControl, Work};

use write::{Ingest, IngestPart};

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
    let files = work.read.len() as u64;
    (control.progress)(Progress::Started { files });
    let started = Instant::now();
    let order: Vec<usize> = (0..work.read.len()).collect();
    let run = Ingest { store, work, threads, now, index_run };
    store.jobs.set_indexing(run.kind(), Some(Indexing { files_done: 0, files }));
    let outcome = if order.len() >= likely::MANY_FILES {
        ingest_by_questions(&run, order, control)
    } else {
        ingest_part(&run, &IngestPart::new(&order), control).map(|(outcome, _)| outcome)
    };
    store.jobs.set_indexing(run.kind(), None);
    if let Ok(outcome) = &outcome {
        outcome.log(&store.root, started.elapsed());
    }
    outcome
}

/// Ingests a part of the work. Returns how many tasks of its order are written.
fn ingest_part(
    run: &Ingest<'_>,
    part: &IngestPart<'_>,
    control: &mut RunControl<'_>,
) -> Result<(IngestOutcome, usize), StoreError> {
    let Ingest { store, work, .. } = *run;
    let mut writing = match run.kind() {
        IndexWork::Run => store.index.write()?,
        IndexWork::Edit => store.index.write_within(control.patience)?,
    };
    // A crash between two commits leaves the lexical index behind. The commit of this ingest would give it the generation of the
    // catalog and hide what it lacks.
    writing.repair_lexical()?;
    if store.jobs.cancel().is_cancelled() {
        return Err(StoreError::Cancelled);
    }
    let written = write::write(run, &mut writing, part, control);
    // After an error too: the batches before it are committed.
    match &written {
        Ok((outcome, _)) if outcome.added + outcome.changed + outcome.removed > 0 && work.is_small() => {
            store.index.reload_written(&work.outcome())?;
        }
        _ => store.index.reload_known()?,
    }
    written
}

/// Ingests the first index of a large project, or very many changes: first what the questions that wait for it need most likely, then
/// the rest, which a new question interrupts.
fn ingest_by_questions(
    run: &Ingest<'_>,
    mut order: Vec<usize>,
    control: &mut RunControl<'_>,
) -> Result<IngestOutcome, StoreError> {
    let Ingest { store, work, threads, .. } = *run;
    let kind = if store.index.holds_nothing() { RunKind::FirstIndex } else { RunKind::Changes };
    let _taking = TakingQuestions::begin(store, kind);
    let (mut whole, mut done) = (IngestOutcome::default(), 0);
    while done < order.len() {
        let (questions, number) = store.jobs.questions().take();
        if !questions.is_empty() {
            let rest = &mut order[done..];
            let likely = likely::move_to_front(store, &work.read, rest, &questions, threads, control.cancel);
            let part =
                IngestPart { order: &order[..done + likely], done, bytes: whole.bytes, kind: write::PartKind::Likely };
            let (outcome, written) = ingest_part(run, &part, control)?;
            whole.add(&outcome);
            done = written;
            (control.likely_indexed)(number);
        }
        if done < order.len() && !store.jobs.questions().is_any_new() {
            let part = IngestPart { order: &order, done, bytes: whole.bytes, kind: write::PartKind::Rest };
            let (outcome, written) = ingest_part(run, &part, control)?;
            whole.add(&outcome);
            done = written;
        }
    }
    Ok(whole)
}

/// The time in which questions can say what a run needs next.
struct TakingQuestions<'a>(&'a Store);

impl<'a> TakingQuestions<'a> {
    fn begin(store: &'a Store, run: RunKind) -> Self {
        store.files.scans().take_questions(run);
        Self(store)
    }
}

impl Drop for TakingQuestions<'_> {
    fn drop(&mut self) {
        self.0.files.scans().leave_questions();
        self.0.jobs.questions().clear();
    }
}
