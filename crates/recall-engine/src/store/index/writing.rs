//! Writing of an index, by one writer at a time.

use std::sync::atomic::Ordering;
use std::time::Duration;

use recall_core::{DocumentRow, Generation};
use recall_index::catalog::Checkpoint;
use recall_index::lexical::{IndexedDocument, LexicalWriter, WriterSettings};

use super::Index;
use crate::error::StoreError;
use crate::index_runs::Cancel;
use crate::store::ordered::OrderedGuard;

/// How many documents are read from the catalog at a time while the lexical index is rebuilt.
const DOCUMENTS_A_PAGE: usize = 256;

/// How often a checkpoint is repeated that readers kept from emptying the log, and the pause before it. Most reads take
/// milliseconds; the graph of a large store takes a second.
const CHECKPOINT_RETRIES: u32 = 200;
const CHECKPOINT_PAUSE: Duration = Duration::from_millis(10);

/// The turn to write an index. All others wait until it is dropped.
pub(crate) struct IndexWriting<'a> {
    index: &'a Index,
    /// The writer of the lexical index, while it is open.
    lexical: OrderedGuard<'a, Option<LexicalWriter>>,
}

impl Index {
    /// Takes the right of this process to write, unless it has it.
    ///
    /// # Errors
    /// Another process has it.
    pub(crate) fn claim(&self) -> Result<(), StoreError> {
        self.lock.take()
    }

    /// Returns whether this process has the right to write.
    pub(crate) fn is_claimed(&self) -> bool {
        self.lock.is_held()
    }

    /// Takes the turn to write. Waits while another thread has it.
    ///
    /// # Errors
    /// Another process has the right to write.
    pub(crate) fn write(&self) -> Result<IndexWriting<'_>, StoreError> {
        self.lock.take()?;
        Ok(self.begin_writing())
    }

    /// Takes the turn to write a few documents. A long run hands it over between two batches. Fails if `patience` passes first.
    ///
    /// # Errors
    /// Another process has the right to write, or another thread has the turn for longer.
    pub(crate) fn write_within(&self, patience: Duration) -> Result<IndexWriting<'_>, StoreError> {
        self.lock.take()?;
        self.short_writes.fetch_add(1, Ordering::Relaxed);
        let lexical = self.writing.try_lock_for(patience);
        self.short_writes.fetch_sub(1, Ordering::Relaxed);
        let lexical = lexical.ok_or_else(|| StoreError::Writing { root: self.root.clone() })?;
        Ok(IndexWriting { index: self, lexical })
    }

    /// Returns whether a thread waits to write a few documents.
    pub(crate) fn is_awaited(&self) -> bool {
        self.short_writes.load(Ordering::Relaxed) > 0
    }

    /// Takes the turn to write, whatever process has the right to.
    fn begin_writing(&self) -> IndexWriting<'_> {
        IndexWriting { index: self, lexical: self.writing.lock() }
    }

    /// Records that all documents are those of the current parser.
    pub(crate) fn record_parser_version(&self) -> Result<(), StoreError> {
        let recorded = self.catalog.writer().and_then(|mut writer| writer.set_parser_version(recall_chunk::VERSION));
        recorded.map_err(|source| self.write_error(source))
    }

    /// Rebuilds the lexical index from the catalog if their generations differ.
    pub(crate) fn repair_lexical(&self) -> Result<(), StoreError> {
        self.begin_writing().repair_lexical()
    }

    /// Rebuilds the lexical index from the catalog.
    pub(crate) fn rebuild_lexical(&self) -> Result<(), StoreError> {
        let mut writing = self.write()?;
        let generation = self.catalog_generation()?;
        writing.rewrite_lexical(generation)
    }

    /// Rebuilds what is derived from a catalog that was changed from outside.
    pub(in crate::store) fn rebuild_derived(&self) -> Result<(), StoreError> {
        {
            let mut writing = self.begin_writing();
            let generation = self.catalog_generation()?;
            writing.rewrite_lexical(generation)?;
        }
        self.reload_known()
    }

    /// Closes the writer of the lexical index, which waits for its merges, and checkpoints the catalog's write-ahead log.
    pub(in crate::store) fn settle(&self) {
        self.close_lexical_writer(&mut self.writing.lock());
    }

    /// Checkpoints the catalog's write-ahead log until no reader needs it, for two seconds or until the store is to close.
    pub(in crate::store) fn empty_log(&self, cancel: &Cancel) {
        for _ in 0..CHECKPOINT_RETRIES {
            if self.checkpoint() != Some(Checkpoint::Partial) || cancel.is_cancelled() {
                return;
            }
            std::thread::sleep(CHECKPOINT_PAUSE);
        }
    }

    /// Closes the writer of the lexical index without its merges. Waits while another thread writes.
    pub(in crate::store) fn abandon_merges(&self) {
        drop(self.writing.lock().take());
    }

    /// Closes the writer of the lexical index, if it is open, and checkpoints the catalog's write-ahead log.
    pub(super) fn close_lexical_writer(&self, writing: &mut Option<LexicalWriter>) {
        if let Some(Err(error)) = writing.take().map(LexicalWriter::finish) {
            tracing::warn!(root = %self.root.display(), %error, "the lexical index could not be sealed");
        }
        self.checkpoint();
    }

    /// Empties the catalog's write-ahead log, which is as large as the last index run, even if that wrote only the times of files.
    /// Every later reader would search it. Returns `None` if this process does not write the catalog, or on an error.
    fn checkpoint(&self) -> Option<Checkpoint> {
        if !self.lock.is_held() || self.catalog.is_read_only() {
            return None;
        }
        let outcome = self.catalog.checkpoint();
        outcome
            .inspect_err(|error| {
                tracing::warn!(root = %self.root.display(), %error, "the catalog's log could not be folded in");
            })
            .ok()
    }
}

impl<'a> IndexWriting<'a> {
    pub(crate) fn catalog(&self) -> Result<recall_index::catalog::Writer<'a>, StoreError> {
        self.index.catalog.writer().map_err(|source| self.index.write_error(source))
    }

    /// Takes the writer of the lexical index out, if it is open. A writer that is dropped loses what it has not committed.
    pub(crate) fn take_lexical(&mut self) -> Option<LexicalWriter> {
        self.lexical.take()
    }

    /// Lets the thread that waits longest write, and takes the turn again after it. What was written must be committed.
    ///
    /// # Errors
    /// The other thread failed between its two commits, and the lexical index cannot be repaired.
    pub(crate) fn hand_over(&mut self) -> Result<(), StoreError> {
        self.lexical.hand_over();
        self.repair_lexical()
    }

    /// Keeps the writer of the lexical index open.
    pub(crate) fn keep_lexical(&mut self, writer: Option<LexicalWriter>) {
        *self.lexical = writer;
    }

    /// Opens the writer of the lexical index.
    pub(crate) fn open_lexical(&self, settings: WriterSettings) -> Result<LexicalWriter, StoreError> {
        self.index.lexical.writer(settings).map_err(|source| self.index.lexical_write_error(source))
    }

    /// Makes a generation visible to those who wait for it.
    pub(crate) fn publish(&self, generation: Generation) {
        self.index.published.publish(generation);
    }

    /// Rebuilds the lexical index from the catalog if their generations differ.
    pub(crate) fn repair_lexical(&mut self) -> Result<(), StoreError> {
        let generation = self.index.catalog_generation()?;
        // If another process writes the index, it is between its two commits, or rebuilds the lexical index itself.
        if self.index.generation() == generation || self.index.lock.take().is_err() {
            return Ok(());
        }
        tracing::info!(root = %self.index.root.display(), %generation, "the lexical index is rebuilt from the catalog");
        self.rewrite_lexical(generation)?;
        self.index.reload_known()
    }

    /// Rewrites the catalog and the lexical index without the space of deleted data.
    pub(crate) fn compact(mut self) -> Result<(), StoreError> {
        // Its merges are repeated by the compaction.
        drop(self.take_lexical());
        let lexical = self.open_lexical(WriterSettings::default())?;
        lexical.compact().map_err(|source| self.index.lexical_write_error(source))?;
        self.index.catalog.compact().map_err(|source| self.index.write_error(source))
    }

    /// Clears the lexical index and writes every document of the catalog to it.
    fn rewrite_lexical(&mut self, generation: Generation) -> Result<(), StoreError> {
        let failed = |source| self.index.lexical_write_error(source);
        // An open writer may hold some of the documents that are written here.
        drop(self.lexical.take());
        let mut writer = self.open_lexical(WriterSettings::default())?;
        writer.clear().map_err(failed)?;
        let mut after = DocumentRow(0);
        loop {
            let page = self.index.read(|snapshot| snapshot.records_after(after, DOCUMENTS_A_PAGE))?;
            let Some(last) = page.last() else { break };
            after = last.row;
            for record in &page {
                writer
                    .add(&IndexedDocument {
                        row: record.row,
                        first_chunk: record.first_chunk,
                        document: &record.document,
                        parsed: &record.parsed,
                        text: &record.text,
                    })
                    .map_err(failed)?;
            }
        }
        writer.commit(generation).map_err(failed)?;
        writer.finish().map_err(failed)?;
        self.publish(generation);
        Ok(())
    }
}
