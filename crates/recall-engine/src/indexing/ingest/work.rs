//! The work of an ingest, with its progress and cancellation.

use recall_core::MemoryId;

use crate::indexing::ingest::prepare::Task;
use crate::known::Written;
use crate::progress::{Cancel, Progress};

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

/// The most files of a small ingest, whose states are read one by one afterwards.
const FEW_FILES: usize = 64;

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

/// The progress callback and the cancellation of an ingest.
pub(crate) struct RunControl<'a> {
    pub(crate) progress: &'a mut dyn FnMut(Progress),
    pub(crate) cancel: &'a Cancel,
}
