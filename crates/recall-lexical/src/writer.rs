//! How do documents get into the index, and out of it?

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::{DocumentRow, Generation};
use tantivy::directory::error::LockError;
use tantivy::indexer::{IndexWriterOptions, UserOperation};
use tantivy::{IndexWriter, TantivyError, Term};

use crate::chunk_document::{ChunkDocument, IndexedDocument, chunks};
use crate::format;
use crate::in_flight::InFlight;
use crate::index::Shared;
use crate::integrity;
use crate::merging;
use crate::open::{OpenError, cause, refusal};

/// How long another writer's lock is waited for. A process that is being started has the files of the one that starts it open,
/// the lock among them, until it runs its own program: so a lock that was just let go may be held for a moment more.
const LOCK_PATIENCE: Duration = Duration::from_millis(250);

/// How often it is looked whether it is free.
const LOCK_LOOK: Duration = Duration::from_millis(2);

/// What a writer may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterSettings {
    /// How many threads index, from 1 to 8. Each commit makes a segment a thread, so a small batch wants one.
    pub threads: usize,
    /// The memory that all threads together fill before they write a segment; at least 15 MB a thread are taken.
    pub heap_bytes: usize,
}

impl Default for WriterSettings {
    /// One thread, and room for the terms of about 30 MB of source.
    fn default() -> Self {
        Self { threads: 1, heap_bytes: 64 * 1024 * 1024 }
    }
}

/// The index library accepts no smaller heap for a thread.
const MIN_HEAP_BYTES: usize = 15_000_000;
/// Nor a larger one.
const MAX_HEAP_BYTES: usize = u32::MAX as usize - 1_000_000;
/// Nor more threads.
const MAX_THREADS: usize = 8;
/// Text that waits for the indexing threads. They are fed well by far less; more only takes memory.
const MAX_IN_FLIGHT_BYTES: usize = 8 * 1024 * 1024;

/// The one writer of an index. Dropped without a commit, it leaves the index as it was.
pub struct LexicalWriter {
    shared: Arc<Shared>,
    inner: IndexWriter<ChunkDocument>,
    in_flight: InFlight,
    /// How often it has committed, and as which generation the last time.
    commits: usize,
    committed: Generation,
    /// Whether something came since.
    has_more: bool,
}

impl LexicalWriter {
    pub(crate) fn open(shared: Arc<Shared>, settings: WriterSettings) -> Result<Self, WriteError> {
        let threads = settings.threads.clamp(1, MAX_THREADS);
        let open = || {
            let options = IndexWriterOptions::builder()
                .num_worker_threads(threads)
                .memory_budget_per_thread((settings.heap_bytes / threads).clamp(MIN_HEAP_BYTES, MAX_HEAP_BYTES))
                .num_merge_threads(1)
                .build();
            shared.index.writer_with_options(options)
        };
        shared.refusal.clear();
        let began = Instant::now();
        let inner = loop {
            match open() {
                Err(TantivyError::LockFailure(LockError::LockBusy, _)) if began.elapsed() < LOCK_PATIENCE => {
                    std::thread::sleep(LOCK_LOOK);
                }
                Err(TantivyError::LockFailure(LockError::LockBusy, _)) => {
                    return Err(WriteError::Busy { path: shared.dir.clone() });
                }
                opened => break opened.map_err(|error| WriteError::of(&shared, error))?,
            }
        };
        inner.set_merge_policy(Box::new(merging::few()));
        let in_flight = InFlight::new(MAX_IN_FLIGHT_BYTES);
        Ok(Self { shared, inner, in_flight, commits: 0, committed: Generation::default(), has_more: false })
    }

    /// Removes every document that was added or committed before. As everything, it takes effect with the next commit.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn clear(&mut self) -> Result<(), WriteError> {
        self.has_more = true;
        // What is queued or half indexed is not reached by the removal. A rollback makes a new inner writer.
        self.inner.rollback().map_err(|error| self.failed(error))?;
        self.inner.set_merge_policy(Box::new(merging::few()));
        self.inner.delete_all_documents().map_err(|error| self.failed(error))?;
        Ok(())
    }

    /// Removes every chunk of a document that was added before; does nothing where there is none.
    pub fn remove(&mut self, document: DocumentRow) {
        self.has_more = true;
        self.inner.delete_term(Term::from_field_u64(self.shared.fields.document, document.0 as u64));
    }

    /// Adds every chunk of a document. Waits while more text is queued than the indexing threads need.
    ///
    /// # Errors
    /// An indexing thread has failed: nothing since the last commit will be in the index, and the writer is of no further
    /// use.
    pub fn add(&mut self, document: &IndexedDocument<'_>) -> Result<(), WriteError> {
        self.has_more = true;
        let ticket = self.in_flight.admit(document.text.len());
        let chunks = chunks(self.shared.fields, document, ticket);
        // One batch goes to one thread, so that the chunks of a document are neighbours in one segment.
        let operations: Vec<_> = chunks.into_iter().map(UserOperation::Add).collect();
        self.inner.run(operations).map_err(|error| self.failed(error))?;
        Ok(())
    }

    /// Commits everything since the last commit as that generation, and publishes it to new searchers.
    ///
    /// From then on it survives the end of the process, however that comes; a loss of power may damage or undo it until the
    /// writer is [finished](Self::finish), which the next opening notices.
    ///
    /// # Errors
    /// The state of the last commit stands, on disk and for searchers, except where only the publishing failed.
    pub fn commit(&mut self, generation: Generation) -> Result<(), WriteError> {
        if self.commits == 1 {
            // Where a second one comes, more may: small segments wait for the end to be merged.
            self.inner.set_merge_policy(Box::new(merging::Between::default()));
        }
        self.commit_as(generation)?;
        (self.commits, self.committed, self.has_more) = (self.commits + 1, generation, false);
        self.shared.publish().map_err(WriteError::from)
    }

    fn commit_as(&mut self, generation: Generation) -> Result<(), WriteError> {
        let shared = &self.shared;
        let mut prepared = self.inner.prepare_commit().map_err(|error| WriteError::of(shared, error))?;
        prepared.set_payload(&format::payload(generation));
        prepared.commit().map_err(|error| WriteError::of(shared, error))?;
        Ok(())
    }

    /// Closes the writer in order: waits for merges in the background, publishes their result, waits until all is on disk
    /// and seals the index.
    ///
    /// A writer that is only dropped abandons its merges, and the next opening verifies the index.
    ///
    /// # Errors
    /// The committed state stands.
    pub fn finish(mut self) -> Result<(), WriteError> {
        if self.commits > 1 && !self.has_more {
            // What is to be merged is decided at a commit; this one adds nothing.
            self.inner.set_merge_policy(Box::new(merging::few()));
            self.commit_as(self.committed)?;
        }
        let Self { shared, inner, .. } = self;
        let failed = |error| WriteError::of(&shared, error);
        inner.wait_merging_threads().map_err(failed)?;
        shared.publish()?;
        let metas = shared.index.load_metas().map_err(failed)?;
        integrity::seal(&shared.dir, &metas).map_err(|source| WriteError::Io { path: shared.dir.clone(), source })
    }

    fn failed(&self, error: TantivyError) -> WriteError {
        WriteError::of(&self.shared, error)
    }
}

impl fmt::Debug for LexicalWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LexicalWriter").field("dir", &self.shared.dir).finish_non_exhaustive()
    }
}

/// The index was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Another writer is open, in this process or another.
    #[error("the lexical index in `{}` is being written by somebody else", path.display())]
    Busy {
        /// The index's folder.
        path: PathBuf,
    },
    /// The files that the writer builds on are not what was written.
    #[error("the lexical index in `{}` is damaged", path.display())]
    Damaged {
        /// The index's folder.
        path: PathBuf,
        /// What is wrong with it.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The operating system refused.
    #[error("cannot write the lexical index in `{}`", path.display())]
    Io {
        /// The index's folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// An indexing thread ended early.
    #[error("writing the lexical index in `{}` failed", path.display())]
    Failed {
        /// The index's folder.
        path: PathBuf,
        /// What is known of it.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl WriteError {
    fn of(shared: &Shared, error: TantivyError) -> Self {
        let path = shared.dir.clone();
        if let Some(source) = refusal(&error) {
            return Self::Io { path, source };
        }
        // On its way through the index library an error loses its kind.
        let is_hidden = matches!(&error, TantivyError::IoError(hidden) if hidden.kind() == io::ErrorKind::Other);
        let is_ended =
            matches!(error, TantivyError::ErrorInThread(_) | TantivyError::SystemError(_) | TantivyError::Poisoned);
        match shared.refusal.last().filter(|_| is_hidden || is_ended) {
            Some(source) => Self::Io { path, source },
            None if is_ended => Self::Failed { path, source: error.into() },
            None => Self::Damaged { path, source: cause(error) },
        }
    }
}

impl From<OpenError> for WriteError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Io { path, source } => Self::Io { path, source },
            OpenError::Damaged { path, source } => Self::Damaged { path, source },
            OpenError::Outdated { ref path, .. } => Self::Damaged { path: path.clone(), source: error.into() },
        }
    }
}
