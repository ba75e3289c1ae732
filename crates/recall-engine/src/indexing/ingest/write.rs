//! The work of an ingest: the writing of prepared documents, in transactions, with its progress and cancellation.
//!
//! Threads prepare files in any order, and one writes them in the order of the list: the rows of documents do not depend on the
//! number of threads. A window bounds the bytes between them (ADR 19). A batch is committed by its size, so that segments are large,
//! or by its age, so that searches during a long run see what is there. After an error the current batch is lost, and the next scan
//! finds its files again.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::time::{Duration, Instant};

use crossbeam_channel::RecvTimeoutError;
use recall_core::{MemoryId, Timestamp};
use recall_index::catalog::{DocumentRecord, FailureKind, Inserted};
use recall_index::lexical::{IndexedDocument, LexicalWriter, WriterSettings};
use recall_text::DocPath;

use crate::embeddings::UpdateExtent;
use crate::error::StoreError;
use crate::index_runs::{Cancel, IndexRun, Progress, Room};
use crate::indexing::ingest::prepare::{Prepared, Preparer, Task};
use crate::indexing::ingest::window::Window;
use crate::known::Written;
use crate::store::{IndexWork, IndexWriting, IngestOutcome, Store};
use crate::warning::Indexing;

/// A batch is committed when it has this many bytes of text: enough for segments that need not be merged at once.
const BATCH_BYTES: u64 = 64 * 1024 * 1024;

/// A batch is committed at this age, so that searches during a long run see the new documents.
const BATCH_AGE: Duration = Duration::from_secs(3);

/// A batch of a long run has at least this age before a short write gets its turn, so that the run goes on while searches follow each
/// other. That often it looks for such a write while a large file is read.
const TURN_AGE: Duration = Duration::from_millis(100);

/// A run of at most this many files is an edit, not an index run: one thread prepares and one writes.
const SMALL_RUN_FILES: usize = 16;

/// At most this many memories are embedded before searches see them, as in an edit. That takes some milliseconds; without it, no
/// semantic search would be possible while memories keep arriving.
const EMBEDDED_MEMORIES: usize = 256;

/// A larger file is prepared on a thread of its own. The allocator keeps freed memory per thread, and a syntax tree takes tens of
/// megabytes: sixteen threads that have each parsed a large file would hold a gigabyte, although one file is in flight.
const ALONE_BYTES: u64 = 128 * 1024;

/// The shortest time between two progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// An ingest that writes its work in one or more parts.
#[derive(Clone, Copy)]
pub(super) struct Ingest<'a> {
    pub(super) store: &'a Store,
    pub(super) work: &'a Work,
    pub(super) threads: NonZero<usize>,
    pub(super) now: Timestamp,
    pub(super) index_run: Option<&'a IndexRun>,
}

impl Ingest<'_> {
    pub(super) fn kind(&self) -> IndexWork {
        if self.index_run.is_some() { IndexWork::Run } else { IndexWork::Edit }
    }
}

/// A part of the files to read.
pub(super) struct IngestPart<'a> {
    /// The indices of the tasks in the order in which they are written, up to the end of the part.
    pub(super) order: &'a [usize],
    /// How many of them were written before.
    pub(super) done: usize,
    /// How many bytes of text were written before.
    pub(super) bytes: u64,
    pub(super) kind: PartKind,
}

/// What a part is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    /// All files.
    Whole,
    /// The files that most likely answer a question that waits.
    Likely,
    /// All other files. A new question ends it early.
    Rest,
}

impl<'a> IngestPart<'a> {
    /// Returns the part that is all of the work.
    pub(super) fn new(order: &'a [usize]) -> Self {
        Self { order, done: 0, bytes: 0, kind: PartKind::Whole }
    }
}

/// Reads and parses in parallel, writes in the order of the part. Returns how many tasks of the order are written.
pub(super) fn write(
    run: &Ingest<'_>,
    writing: &mut IndexWriting<'_>,
    part: &IngestPart<'_>,
    control: &mut RunControl<'_>,
) -> Result<(IngestOutcome, usize), StoreError> {
    let Ingest { store, work, threads, now, index_run } = *run;
    let small = work.read.len() <= SMALL_RUN_FILES;
    let threads = if small { 1 } else { threads.get() };
    let most_bytes = store.settings().limits.ingest_bytes_in_flight;
    let window = match index_run {
        Some(index_run) => Window::new(most_bytes.min(index_run.file_bytes()), Box::new(|| index_run.room())),
        None => Window::new(most_bytes.min(FEW_BYTES), Box::new(|| Room::Left)),
    };
    let (sender, receiver) = crossbeam_channel::unbounded();
    let tasks: Vec<&Task> = part.order[part.done..].iter().map(|&place| &work.read[place]).collect();
    let tasks = &tasks[..];
    let size_of = |place: usize| tasks.get(place).map(|task| task.size_bytes());
    std::thread::scope(|scope| {
        for number in 0..threads {
            let sender = sender.clone();
            let window = &window;
            std::thread::Builder::new()
                .name(format!("ingest-{number}"))
                .stack_size(recall_chunk::PARSE_STACK_BYTES)
                .spawn_scoped(scope, move || {
                    let mut reader = Preparer::new(store, now);
                    while let Some(place) = window.take(size_of) {
                        let task = tasks[place];
                        let prepared = if task.size_bytes() > ALONE_BYTES {
                            prepare_alone(store, task, now).unwrap_or_else(|| reader.prepare(task))
                        } else {
                            reader.prepare(task)
                        };
                        if sender.send((place, prepared)).is_err() {
                            break;
                        }
                    }
                })
                .map_err(|source| StoreError::Thread { source })?;
        }
        drop(sender);
        let of_memories =
            work.read.len() <= EMBEDDED_MEMORIES && work.read.iter().all(|task| matches!(task, Task::Memory { .. }));
        let writer = index_run.filter(|_| !small).map_or_else(WriterSettings::default, IndexRun::writer);
        let embeds = match part.kind {
            // All that is indexed so far would hold up the rest for minutes.
            PartKind::Likely => Some(UpdateExtent::Newest),
            PartKind::Whole if small || of_memories => Some(UpdateExtent::FewChunks),
            PartKind::Whole | PartKind::Rest => None,
        };
        let mut run = IngestRun { embeds, work: run.kind(), ..IngestRun::new(store, writing, now, writer) };
        let result = write_all(&mut run, work, part, tasks, &receiver, &window, control);
        window.close();
        let IngestRun { outcome, lexical, writing, .. } = run;
        // After an error, the writer is dropped, and with it the uncommitted documents.
        if result.is_ok() {
            writing.keep_lexical(lexical);
        }
        result.map(|written| (outcome, part.done + written))
    })
}

/// Prepares a large file on a new thread; `None` if the thread cannot be started.
fn prepare_alone(store: &Store, task: &Task, now: Timestamp) -> Option<Prepared> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("ingest-alone".to_owned())
            .stack_size(recall_chunk::PARSE_STACK_BYTES)
            .spawn_scoped(scope, || Preparer::new(store, now).prepare(task));
        Some(thread.ok()?.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Writes the tasks of a part, and returns how many: fewer than all if a question interrupts.
fn write_all(
    run: &mut IngestRun<'_, '_>,
    work: &Work,
    part: &IngestPart<'_>,
    tasks: &[&Task],
    receiver: &crossbeam_channel::Receiver<(usize, Prepared)>,
    window: &Window<'_>,
    control: &mut RunControl<'_>,
) -> Result<usize, StoreError> {
    let store = run.store;
    let is_interrupted = || part.kind == PartKind::Rest && store.jobs.questions().is_any_new();
    let mut early: BTreeMap<usize, Prepared> = BTreeMap::new();
    let mut done = 0;
    let mut first = true;
    let mut reported = Instant::now();
    while first || done < tasks.len() && !is_interrupted() {
        let mut catalog = run.writing.catalog()?;
        let mut batch = Batch::begin(run, &mut catalog)?;
        if first && part.done == 0 {
            batch.write_stat_changes(work)?;
        }
        first = false;
        while done < tasks.len() && !batch.is_full() && !batch.ends_early() && !is_interrupted() {
            if control.cancel.is_cancelled() || store.jobs.cancel().is_cancelled() {
                return Err(StoreError::Cancelled);
            }
            let prepared = match early.remove(&done) {
                Some(prepared) => prepared,
                None => match receiver.recv_timeout(TURN_AGE) {
                    Ok((place, prepared)) if place == done => prepared,
                    Ok((place, prepared)) => {
                        early.insert(place, prepared);
                        continue;
                    }
                    // A large file: others may wait for the turn meanwhile.
                    Err(RecvTimeoutError::Timeout) => continue,
                    // The senders live as long as there are files to prepare, so this is a closed window.
                    Err(RecvTimeoutError::Disconnected) => return Err(StoreError::Cancelled),
                },
            };
            let task = tasks[done];
            batch.write(&task.path(), prepared, task.is_known())?;
            window.free(task.size_bytes());
            done += 1;
            if reported.elapsed() >= PROGRESS_INTERVAL || done == tasks.len() {
                reported = Instant::now();
                let (files_done, files) = ((part.done + done) as u64, work.read.len() as u64);
                store.jobs.set_indexing(batch.run.work, Some(Indexing { files_done, files }));
                let current = task.path().as_str().to_owned();
                let bytes = part.bytes + batch.run.outcome.bytes;
                (control.progress)(Progress::Advanced { files_done, files, bytes, current });
            }
        }
        batch.commit()?;
        drop(catalog);
        if run.work == IndexWork::Run && done < tasks.len() && store.index.is_awaited() {
            run.hand_over()?;
        }
    }
    Ok(done)
}

/// One run over a list of files.
struct IngestRun<'a, 'w> {
    store: &'a Store,
    writing: &'a mut IndexWriting<'w>,
    now: Timestamp,
    outcome: IngestOutcome,
    lexical: Option<LexicalWriter>,
    lexical_settings: WriterSettings,
    /// How far documents are embedded before their generation is published; `None` if that follows.
    embeds: Option<UpdateExtent>,
    work: IndexWork,
}

impl<'a, 'w> IngestRun<'a, 'w> {
    fn new(
        store: &'a Store,
        writing: &'a mut IndexWriting<'w>,
        now: Timestamp,
        lexical_settings: WriterSettings,
    ) -> Self {
        let lexical = writing.take_lexical();
        let outcome = IngestOutcome::default();
        Self { store, writing, now, outcome, lexical, lexical_settings, embeds: None, work: IndexWork::Edit }
    }

    /// Lets a short write have the turn. Everything must be committed.
    fn hand_over(&mut self) -> Result<(), StoreError> {
        // The other one writes with the same writer of the lexical index: there can be only one.
        self.writing.keep_lexical(self.lexical.take());
        self.writing.hand_over()?;
        self.lexical = self.writing.take_lexical();
        Ok(())
    }

    /// Returns the writer of the lexical index. Opens it at the first call.
    fn lexical(&mut self) -> Result<&mut LexicalWriter, StoreError> {
        if self.lexical.is_none() {
            self.lexical = Some(self.writing.open_lexical(self.lexical_settings)?);
        }
        Ok(self.lexical.as_mut().expect("the line above put it there"))
    }
}

/// One transaction.
struct Batch<'r, 'a, 'w, 't> {
    run: &'r mut IngestRun<'a, 'w>,
    transaction: recall_index::catalog::Transaction<'t>,
    began: Instant,
    bytes: u64,
}

impl<'r, 'a, 'w, 't> Batch<'r, 'a, 'w, 't> {
    fn begin(
        run: &'r mut IngestRun<'a, 'w>,
        catalog: &'t mut recall_index::catalog::Writer<'_>,
    ) -> Result<Self, StoreError> {
        let transaction = catalog.begin().map_err(|source| run.store.index.write_error(source))?;
        Ok(Self { run, transaction, began: Instant::now(), bytes: 0 })
    }

    /// Returns whether a short write waits for the turn of a long run.
    fn ends_early(&self) -> bool {
        self.run.work == IndexWork::Run && self.began.elapsed() >= TURN_AGE && self.run.store.index.is_awaited()
    }

    fn is_full(&self) -> bool {
        self.bytes >= BATCH_BYTES || self.began.elapsed() >= BATCH_AGE
    }

    /// Writes the changes that need no reading: removed and skipped files.
    fn write_stat_changes(&mut self, work: &Work) -> Result<(), StoreError> {
        for path in &work.gone {
            self.transaction.clear_failure(path).map_err(|source| self.run.store.index.write_error(source))?;
            if let Ok(path) = DocPath::new(path) {
                self.remove(&path)?;
            }
        }
        for id in &work.gone_memories {
            let path = id.to_path();
            self.transaction.clear_failure(path.as_str()).map_err(|source| self.run.store.index.write_error(source))?;
            self.remove(&path)?;
        }
        for failure in &work.skipped {
            self.record(failure)?;
        }
        Ok(())
    }

    fn write(&mut self, path: &DocPath, prepared: Prepared, known: bool) -> Result<(), StoreError> {
        let store = self.run.store;
        match prepared {
            Prepared::Document(prepared) => {
                let record = DocumentRecord {
                    document: &prepared.document,
                    text: &prepared.text,
                    parsed: &prepared.parsed,
                    indexed: prepared.created.unwrap_or(self.run.now),
                };
                let Inserted { document, first_chunk, replaced } =
                    self.transaction.insert(&record).map_err(|source| store.index.write_error(source))?;
                let lexical = self.run.lexical()?;
                let failed = |source| store.index.lexical_write_error(source);
                if let Some(replaced) = replaced {
                    lexical.remove(replaced);
                }
                let indexed = IndexedDocument {
                    row: document,
                    first_chunk,
                    document: &prepared.document,
                    parsed: &prepared.parsed,
                    text: &prepared.text,
                };
                lexical.add(&indexed).map_err(failed)?;
                let bytes = prepared.text.len() as u64;
                self.bytes += bytes;
                let outcome = &mut self.run.outcome;
                outcome.bytes += bytes;
                outcome.chunks += prepared.parsed.chunks.len() as u64;
                outcome.in_parts += u64::from(prepared.is_in_parts);
                if known {
                    outcome.changed += 1;
                } else {
                    outcome.added += 1;
                }
            }
            Prepared::Touched { size_bytes, modified } => {
                self.transaction.touch(path, size_bytes, modified).map_err(|source| store.index.write_error(source))?;
                self.run.outcome.touched += 1;
            }
            Prepared::Gone => self.remove(path)?,
            Prepared::Failure(failure) => self.record(&failure)?,
        }
        Ok(())
    }

    fn remove(&mut self, path: &DocPath) -> Result<(), StoreError> {
        let store = self.run.store;
        if let Some(row) = self.transaction.remove(path).map_err(|source| store.index.write_error(source))? {
            self.run.lexical()?.remove(row);
            self.run.outcome.removed += 1;
        }
        Ok(())
    }

    /// Records why a file is not indexed, and removes its document.
    fn record(&mut self, failure: &recall_index::catalog::FileFailure) -> Result<(), StoreError> {
        let store = self.run.store;
        let removed = self.transaction.record_failure(failure).map_err(|source| store.index.write_error(source))?;
        if let Some(row) = removed {
            self.run.lexical()?.remove(row);
        }
        match failure.kind {
            FailureKind::Failed => self.run.outcome.failed += 1,
            FailureKind::Skipped | FailureKind::Repository => self.run.outcome.skipped += 1,
        }
        Ok(())
    }

    /// Commits the catalog, then the lexical index, then publishes the new generation.
    fn commit(self) -> Result<(), StoreError> {
        let Self { run, transaction, .. } = self;
        let store = run.store;
        // The catalog first: the lexical index can be rebuilt from it, and it cannot be rebuilt from the lexical index.
        let generation = transaction.commit().map_err(|source| store.index.write_error(source))?;
        // Before the generation is published: otherwise the next searches would have no semantic candidates.
        if let Some(extent) = run.embeds {
            store.catch_up(extent);
        }
        // A transaction that changed no document keeps the generation, which the lexical index already has.
        if generation != store.index.generation() {
            run.lexical()?.commit(generation).map_err(|source| store.index.lexical_write_error(source))?;
        }
        // Last: a search that waits for this generation then finds it in both.
        run.writing.publish(generation);
        Ok(())
    }
}

/// The files and memories that an ingest reads, removes or records.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// Files and memories whose documents are written.
    pub(crate) read: Vec<Task>,
    /// Paths of files that no longer exist or are no longer indexed.
    pub(crate) gone: Vec<String>,
    /// Memories whose documents are removed.
    pub(crate) gone_memories: Vec<MemoryId>,
    /// Files that are skipped because of their stat, with the reason.
    pub(crate) skipped: Vec<recall_index::catalog::FileFailure>,
}

/// The most files of a small ingest, whose states are read one by one afterwards, and which takes no turn to index.
pub(crate) const FEW_FILES: usize = 64;

/// The most bytes of an ingest without a turn to index, and the most bytes in flight of such an ingest.
pub(crate) const FEW_BYTES: u64 = 4 * 1024 * 1024;

impl Work {
    /// Returns whether it writes so few files that the states of all others need not be read again.
    pub(crate) fn is_small(&self) -> bool {
        self.count() <= FEW_FILES
    }

    /// Returns whether it takes so much memory that it needs a turn to index.
    pub(crate) fn is_index_run(&self) -> bool {
        !self.is_small() || self.read.iter().map(Task::size_bytes).sum::<u64>() > FEW_BYTES
    }

    /// Returns the files and memories that it may write.
    pub(crate) fn outcome(&self) -> Written<'_> {
        let Self { read, gone, gone_memories, skipped } = self;
        let mut written = Written::default();
        for task in read {
            match task {
                Task::File(file) => _ = written.files.insert(file.path.as_str()),
                Task::Memory { memory, .. } => _ = written.memories.insert(memory.id),
            }
        }
        written.files.extend(gone.iter().map(String::as_str));
        written.files.extend(skipped.iter().map(|failure| failure.path.as_str()));
        written.memories.extend(gone_memories);
        written
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    fn count(&self) -> usize {
        let Self { read, gone, gone_memories, skipped } = self;
        read.len() + gone.len() + gone_memories.len() + skipped.len()
    }
}

/// The callbacks and the cancellation of an ingest.
pub(crate) struct RunControl<'a> {
    /// How long an ingest without a turn to index waits for its turn to write.
    pub(crate) patience: Duration,
    pub(crate) progress: &'a mut dyn FnMut(Progress),
    pub(crate) cancel: &'a Cancel,
    /// Called in the first index of a large project, when the most likely files of the questions up to that number are indexed.
    pub(crate) likely_indexed: &'a mut dyn FnMut(u64),
}
