//! Writing of documents to the index, and the policy of merging its segments.
//!
//! A commit survives the end of the process, not a loss of power: files are synced and sealed once, by [`LexicalWriter::finish`],
//! since a sync of each of the twenty files of a commit took nine tenths of its time. What a loss of power tears is found by checksum
//! and rebuilt from the catalog.
//!
//! After its first commit, a writer expects more and leaves small segments alone; they are merged when it finishes.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{DocumentRow, Generation};
use tantivy::directory::error::LockError;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy, MergeCandidate, MergePolicy, UserOperation};
use tantivy::{IndexWriter, SegmentMeta, TantivyError, Term};

use crate::lexical::byte_semaphore::ByteSemaphore;
use crate::lexical::chunk_document::{ChunkDocument, IndexedDocument, chunks};
use crate::lexical::format;
use crate::lexical::integrity;
use crate::lexical::open::{LexicalOpenError, cause, system_error};
use crate::lexical::shared_index::SharedIndex;

/// How long to wait for another writer's lock. A child process holds the open files of its parent, the lock included,
/// until it executes its own program, so a released lock may stay taken for a moment.
const LOCK_TIMEOUT: Duration = Duration::from_millis(250);

/// The interval at which the lock is tried.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The resources of a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterSettings {
    /// The number of indexing threads, from 1 to 8. Each commit creates a segment per thread, so use one for a small
    /// batch.
    pub threads: usize,
    /// The memory that all threads together fill before they write a segment. At least 15 MB per thread.
    pub heap_bytes: usize,
}

impl Default for WriterSettings {
    /// One thread, and memory for the terms of about 30 MB of source.
    fn default() -> Self {
        Self { threads: 1, heap_bytes: 64 * 1024 * 1024 }
    }
}

/// The smallest heap per thread that tantivy accepts.
const MIN_HEAP_BYTES: usize = 15_000_000;
/// The largest heap per thread that tantivy accepts.
const MAX_HEAP_BYTES: usize = u32::MAX as usize - 1_000_000;
/// The most threads that tantivy accepts.
const MAX_THREADS: usize = 8;
/// The text that waits for the indexing threads. They need far less to stay busy; more would only take memory.
const MAX_IN_FLIGHT_BYTES: usize = 8 * 1024 * 1024;

/// The writer of an index. Dropping it without a commit leaves the index unchanged.
pub struct LexicalWriter {
    shared: Arc<SharedIndex>,
    inner: IndexWriter<ChunkDocument>,
    in_flight: ByteSemaphore,
    /// The number of commits so far, and the generation of the last one.
    commits: usize,
    committed: Generation,
    /// Whether there are changes since the last commit.
    has_more: bool,
}

impl LexicalWriter {
    pub(crate) fn open(shared: Arc<SharedIndex>, settings: WriterSettings) -> Result<Self, LexicalWriteError> {
        let threads = settings.threads.clamp(1, MAX_THREADS);
        let open = || {
            let options = IndexWriterOptions::builder()
                .num_worker_threads(threads)
                .memory_budget_per_thread((settings.heap_bytes / threads).clamp(MIN_HEAP_BYTES, MAX_HEAP_BYTES))
                .num_merge_threads(1)
                .build();
            shared.index.writer_with_options(options)
        };
        shared.last_write_error.clear();
        let began = Instant::now();
        let inner = loop {
            match open() {
                Err(TantivyError::LockFailure(LockError::LockBusy, _)) if began.elapsed() < LOCK_TIMEOUT => {
                    std::thread::sleep(LOCK_POLL_INTERVAL);
                }
                Err(TantivyError::LockFailure(LockError::LockBusy, _)) => {
                    return Err(LexicalWriteError::Busy { path: shared.dir.clone() });
                }
                opened => break opened.map_err(|error| LexicalWriteError::new(&shared, error))?,
            }
        };
        inner.set_merge_policy(Box::new(default_merge_policy()));
        let in_flight = ByteSemaphore::new(MAX_IN_FLIGHT_BYTES);
        Ok(Self { shared, inner, in_flight, commits: 0, committed: Generation::default(), has_more: false })
    }

    /// Removes all documents, whether committed or just added. Takes effect with the next commit.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn clear(&mut self) -> Result<(), LexicalWriteError> {
        self.has_more = true;
        // The removal does not reach documents that are queued or half indexed, so roll back first. A rollback replaces
        // the inner writer, with the default policy.
        self.inner.rollback().map_err(|error| self.note_failure(error))?;
        self.inner.set_merge_policy(Box::new(default_merge_policy()));
        self.inner.delete_all_documents().map_err(|error| self.note_failure(error))?;
        Ok(())
    }

    /// Removes the chunks of a document that was added before. Does nothing if there is none.
    pub fn remove(&mut self, document: DocumentRow) {
        self.has_more = true;
        self.inner.delete_term(Term::from_field_u64(self.shared.fields.document, document.0 as u64));
    }

    /// Adds the chunks of a document. Blocks while the queued text exceeds its limit.
    ///
    /// # Errors
    /// An indexing thread failed. Nothing since the last commit will be in the index, and the writer cannot be used any
    /// more.
    pub fn add(&mut self, document: &IndexedDocument<'_>) -> Result<(), LexicalWriteError> {
        self.has_more = true;
        let permit = self.in_flight.acquire(document.text.len());
        let chunks = chunks(self.shared.fields, document, permit);
        // A batch goes to one thread, so the chunks of a document are adjacent in one segment.
        let operations: Vec<_> = chunks.into_iter().map(UserOperation::Add).collect();
        self.inner.run(operations).map_err(|error| self.note_failure(error))?;
        Ok(())
    }

    /// Commits the changes since the last commit under this generation, and publishes them to new searchers.
    ///
    /// The commit survives the end of the process in any way. A loss of power before [`finish`](Self::finish) may
    /// damage or undo it, which the next opening detects.
    ///
    /// # Errors
    /// The last committed state remains, on disk and for searchers, unless only the publication failed.
    pub fn commit(&mut self, generation: Generation) -> Result<(), LexicalWriteError> {
        if self.commits == 1 {
            // After a second commit, more are likely. Leave small segments to be merged at the end.
            self.inner.set_merge_policy(Box::new(BurstPolicy::default()));
        }
        self.commit_as(generation)?;
        (self.commits, self.committed, self.has_more) = (self.commits + 1, generation, false);
        self.shared.publish().map_err(LexicalWriteError::from)
    }

    fn commit_as(&mut self, generation: Generation) -> Result<(), LexicalWriteError> {
        let shared = &self.shared;
        let mut prepared = self.inner.prepare_commit().map_err(|error| LexicalWriteError::new(shared, error))?;
        prepared.set_payload(&format::payload(generation));
        prepared.commit().map_err(|error| LexicalWriteError::new(shared, error))?;
        Ok(())
    }

    /// Merges all segments into one without removed entries, then [finishes](Self::finish).
    ///
    /// # Errors
    /// The committed state remains.
    pub fn compact(mut self) -> Result<(), LexicalWriteError> {
        let segments = self.shared.index.searchable_segment_ids().map_err(|error| self.note_failure(error))?;
        if !segments.is_empty() {
            self.inner.merge(&segments).wait().map_err(|error| self.note_failure(error))?;
        }
        self.finish()
    }

    /// Closes the writer: waits for background merges, publishes their result, syncs all files and seals the index.
    ///
    /// Dropping the writer instead abandons its merges, and the next opening verifies the index.
    ///
    /// # Errors
    /// The committed state remains.
    pub fn finish(mut self) -> Result<(), LexicalWriteError> {
        if self.commits > 1 && !self.has_more {
            // Merges are chosen at a commit. This one adds nothing.
            self.inner.set_merge_policy(Box::new(default_merge_policy()));
            self.commit_as(self.committed)?;
        }
        let Self { shared, inner, .. } = self;
        let failed = |error| LexicalWriteError::new(&shared, error);
        inner.wait_merging_threads().map_err(failed)?;
        shared.publish()?;
        let metas = shared.index.load_metas().map_err(failed)?;
        integrity::seal(&shared.dir, &metas)
            .map_err(|source| LexicalWriteError::Io { path: shared.dir.clone(), source })
    }

    fn note_failure(&self, error: TantivyError) -> LexicalWriteError {
        LexicalWriteError::new(&self.shared, error)
    }
}

impl fmt::Debug for LexicalWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LexicalWriter").field("dir", &self.shared.dir).finish_non_exhaustive()
    }
}

/// The reason why the index was not written.
#[derive(Debug, thiserror::Error)]
pub enum LexicalWriteError {
    /// Another writer is open, in this or another process.
    #[error("the lexical index in `{}` is locked by another writer", path.display())]
    Busy {
        /// The index's folder.
        path: PathBuf,
    },
    /// The files that the writer builds on are damaged.
    #[error("the lexical index in `{}` is damaged", path.display())]
    Damaged {
        /// The index's folder.
        path: PathBuf,
        /// The damage found.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The operating system reported an error.
    #[error("cannot write the lexical index in `{}`", path.display())]
    Io {
        /// The index's folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// An indexing thread ended early.
    #[error("writing the lexical index in `{}` failed", path.display())]
    Failed {
        /// The index's folder.
        path: PathBuf,
        /// The cause, as far as it is known.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl LexicalWriteError {
    fn new(shared: &SharedIndex, error: TantivyError) -> Self {
        let path = shared.dir.clone();
        if let Some(source) = system_error(&error) {
            return Self::Io { path, source };
        }
        // tantivy hides the kind of some errors.
        let is_hidden = matches!(&error, TantivyError::IoError(hidden) if hidden.kind() == io::ErrorKind::Other);
        let is_ended =
            matches!(error, TantivyError::ErrorInThread(_) | TantivyError::SystemError(_) | TantivyError::Poisoned);
        match shared.last_write_error.last().filter(|_| is_hidden || is_ended) {
            Some(source) => Self::Io { path, source },
            None if is_ended => Self::Failed { path, source: error.into() },
            None => Self::Damaged { path, source: cause(error) },
        }
    }
}

impl From<LexicalOpenError> for LexicalWriteError {
    fn from(error: LexicalOpenError) -> Self {
        match error {
            LexicalOpenError::Io { path, source } => Self::Io { path, source },
            LexicalOpenError::Damaged { path, source } => Self::Damaged { path, source },
            LexicalOpenError::Outdated { ref path, .. } => Self::Damaged { path: path.clone(), source: error.into() },
        }
    }
}

/// Segments below this size are small: rewriting one takes a few milliseconds.
const SMALL_CHUNKS: u32 = 2_000;

/// The number of segments merged into one. Every search looks up every word in each segment.
const MERGE_FACTOR: usize = 4;

/// Segments below this size form one level while commits follow each other.
const TINY_CHUNKS: u32 = 64;

/// The share of removed entries from which a segment is rewritten. Otherwise a large segment would keep them for ever.
const MAX_REMOVED_SHARE: f32 = 0.25;

/// A policy that keeps the number of segments small.
///
/// Segments of similar size are merged, four at a time. Each level is four times the size of the one below, and all
/// small segments form one level. A commit of one file thereby rewrites a few thousand chunks at most, and 100,000
/// chunks are at most a dozen segments.
pub(crate) fn default_merge_policy() -> LogMergePolicy {
    by_size(SMALL_CHUNKS)
}

/// A policy that keeps the number of merges small while commits follow each other. It merges small segments by size
/// too.
///
/// Merging all small segments at every third commit would write each chunk ten times or more before it is in a large
/// segment. With this policy it is written three times. At most nine small segments remain until [`default_merge_policy`] merges them.
#[derive(Debug)]
pub(crate) struct BurstPolicy {
    small: LogMergePolicy,
    large: LogMergePolicy,
}

impl Default for BurstPolicy {
    fn default() -> Self {
        Self { small: by_size(TINY_CHUNKS), large: default_merge_policy() }
    }
}

impl MergePolicy for BurstPolicy {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let (small, large): (Vec<_>, Vec<_>) =
            segments.iter().cloned().partition(|segment| segment.num_docs() < SMALL_CHUNKS);
        let mut candidates = self.small.compute_merge_candidates(&small);
        candidates.extend(self.large.compute_merge_candidates(&large));
        candidates
    }
}

/// Merges the segments of a level. Each level is four times the size of the one below, and all segments below `least`
/// form one level.
fn by_size(least: u32) -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(MERGE_FACTOR);
    policy.set_min_layer_size(least);
    policy.set_level_log_size((MERGE_FACTOR as f64).log2());
    policy.set_del_docs_ratio_before_merge(MAX_REMOVED_SHARE);
    policy
}
