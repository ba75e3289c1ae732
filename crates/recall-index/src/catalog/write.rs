//! Transactions: a batch of changes becomes the next generation.
//!
//! The generation is the version that all derived data refer to. It is written in the transaction of the changes, so there is no
//! state in which it and the rows disagree. A statement that fails aborts the whole transaction: SQLite may have rolled it back
//! already, and a further statement would commit on its own.

use std::path::Path;

use parking_lot::{Mutex, MutexGuard};
use recall_core::{ChunkRow, Document, DocumentRow, Generation, ParsedDocument, Timestamp};
use recall_text::DocPath;
use rusqlite::Connection;

use crate::catalog::CatalogWriteError;
use crate::catalog::connection::DatabaseStamps;
use crate::catalog::rows::failures::{self, FileFailure};
use crate::catalog::rows::{self, StateRow, chunks, documents, edges, symbols, texts};

/// Exclusive access for writing, released on drop.
#[derive(Debug)]
pub struct Writer<'c> {
    /// Released last, so that no other thread writes before the fingerprint is taken.
    connection: MutexGuard<'c, Connection>,
    path: &'c Path,
    stamps: &'c Mutex<DatabaseStamps>,
}

impl<'c> Writer<'c> {
    pub(crate) fn new(
        connection: MutexGuard<'c, Connection>,
        path: &'c Path,
        stamps: &'c Mutex<DatabaseStamps>,
    ) -> Self {
        Self { connection, path, stamps }
    }

    /// Starts a transaction. Waits while another process has one.
    ///
    /// # Errors
    /// [`CatalogWriteError::Busy`] if that takes longer than five seconds.
    pub fn begin(&mut self) -> Result<Transaction<'_>, CatalogWriteError> {
        // An immediate transaction waits for its turn. A transaction that is upgraded from reading to writing would
        // fail at once.
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        match rows::read_state(&self.connection) {
            Ok(state) => Ok(Transaction { connection: &self.connection, before: state, state, phase: Phase::Open }),
            Err(error) => {
                self.connection.execute_batch("ROLLBACK")?;
                Err(error.into())
            }
        }
    }

    /// Records that this version of the parser has parsed all documents.
    pub fn set_parser_version(&mut self, version: u32) -> Result<(), CatalogWriteError> {
        Ok(rows::write_parser_version(&self.connection, version)?)
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        let generation = rows::read_state(&self.connection).ok().map(|state| state.generation);
        *self.stamps.lock() = DatabaseStamps::read(self.path, generation);
    }
}

/// A batch of changes that become visible together at the commit. Dropping it rolls them back.
#[derive(Debug)]
pub struct Transaction<'w> {
    connection: &'w Connection,
    before: StateRow,
    state: StateRow,
    phase: Phase,
}

/// The state of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// A statement failed. SQLite may have ended the transaction by itself, and a further statement would commit on its
    /// own.
    Failed,
    Committed,
}

impl Transaction<'_> {
    /// Stores a document and replaces the one at the same path.
    ///
    /// The document keeps its creation time. A failure recorded for the path is deleted.
    ///
    /// # Errors
    /// [`CatalogWriteError::InvalidRecord`] if a chunk's span is outside of the text or splits a character, or if the chunks'
    /// ordinals are not 0, 1, 2…. The transaction can continue after this error.
    pub fn insert(&mut self, record: &DocumentRecord<'_>) -> Result<Inserted, CatalogWriteError> {
        validate(record)?;
        self.attempt(|transaction| {
            let inserted = insert(transaction.connection, &mut transaction.state, record)?;
            transaction.mark_changed();
            Ok(inserted)
        })
    }

    /// Removes the document at a path. Returns the row that it had.
    pub fn remove(&mut self, path: &DocPath) -> Result<Option<DocumentRow>, CatalogWriteError> {
        self.attempt(|transaction| transaction.remove_document(path))
    }

    /// Updates the size and time of a file with unchanged content. Returns the document's row.
    ///
    /// Does not create a new generation by itself.
    pub fn touch(
        &mut self,
        path: &DocPath,
        size_bytes: u64,
        modified: Timestamp,
    ) -> Result<Option<DocumentRow>, CatalogWriteError> {
        self.attempt(|transaction| {
            let Some(entry) = rows::documents::by_path(transaction.connection, path)? else { return Ok(None) };
            rows::documents::touch(transaction.connection, entry.row, size_bytes, modified)?;
            Ok(Some(entry.row))
        })
    }

    /// Records that a file is not indexed, and removes the document at its path. Returns the row of that document.
    ///
    /// Replaces an earlier failure of the same path. Creates a new generation only if a document was removed.
    pub fn record_failure(&mut self, failure: &FileFailure) -> Result<Option<DocumentRow>, CatalogWriteError> {
        self.attempt(|transaction| {
            let removed = match DocPath::new(&failure.path) {
                Ok(path) => transaction.remove_document(&path)?,
                Err(_) => None,
            };
            rows::failures::insert(transaction.connection, failure)?;
            Ok(removed)
        })
    }

    /// Deletes the failure of a path. Returns whether there was one.
    pub fn clear_failure(&mut self, path: &str) -> Result<bool, CatalogWriteError> {
        self.attempt(|transaction| Ok(rows::failures::delete(transaction.connection, path)?))
    }

    /// Commits the changes. Returns the resulting generation.
    ///
    /// The generation increases by one if documents were stored or removed.
    ///
    /// # Errors
    /// The transaction is rolled back.
    pub fn commit(mut self) -> Result<Generation, CatalogWriteError> {
        self.attempt(|transaction| {
            if transaction.state != transaction.before {
                rows::write_state(transaction.connection, &transaction.state)?;
            }
            transaction.connection.prepare_cached("COMMIT")?.execute([])?;
            Ok(())
        })?;
        self.phase = Phase::Committed;
        Ok(self.state.generation)
    }

    fn remove_document(&mut self, path: &DocPath) -> Result<Option<DocumentRow>, CatalogWriteError> {
        let removed = remove(self.connection, path)?;
        if removed.is_some() {
            self.mark_changed();
        }
        Ok(removed.map(|entry| entry.row))
    }

    /// Marks that documents have changed.
    fn mark_changed(&mut self) {
        self.state.generation = self.before.generation.next();
    }

    fn attempt<T>(
        &mut self,
        write: impl FnOnce(&mut Self) -> Result<T, CatalogWriteError>,
    ) -> Result<T, CatalogWriteError> {
        if self.phase != Phase::Open {
            return Err(CatalogWriteError::Aborted);
        }
        let outcome = write(self);
        if outcome.is_err() {
            self.phase = Phase::Failed;
        }
        outcome
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.phase != Phase::Committed && !self.connection.is_autocommit() {
            // A rollback only fails if SQLite has already rolled back by itself.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

/// A document and its contents, to be stored.
#[derive(Clone, Copy, Debug)]
pub struct DocumentRecord<'a> {
    /// The document. Its `id` is ignored and derived from its path.
    pub document: &'a Document,
    /// The whole text, which the spans of `parsed` refer to.
    pub text: &'a str,
    /// The parsed text. Edges of kind `Defines` are not stored, because they follow from the symbols.
    pub parsed: &'a ParsedDocument,
    /// The current time. It becomes the creation time of a document that is indexed for the first time.
    pub indexed: Timestamp,
}

/// The rows of a stored document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The document's row.
    pub document: DocumentRow,
    /// The row of its first chunk. The others follow in order, without gaps.
    pub first_chunk: ChunkRow,
    /// The row of the document that was replaced and removed with its chunks.
    pub replaced: Option<DocumentRow>,
}

/// Stores a document and replaces the one at the same path. The generation is the caller's.
fn insert(
    connection: &Connection,
    state: &mut StateRow,
    record: &DocumentRecord<'_>,
) -> Result<Inserted, CatalogWriteError> {
    let DocumentRecord { document, text, parsed, indexed } = *record;
    let replaced = remove(connection, &document.path)?;
    failures::delete(connection, document.path.as_str())?;

    let (row, first_chunk) = (state.next_document, state.next_chunk);
    state.next_document = DocumentRow(row.0 + 1);
    state.next_chunk = ChunkRow(first_chunk.0 + parsed.chunks.len() as i64);

    let stored_edges = edges::edges_to_store(&parsed.edges);
    let entry = documents::Entry {
        row,
        document: Document { tags: Vec::new(), ..document.clone() },
        created: replaced.as_ref().map_or(indexed, |old| old.created),
        own_title: parsed.title.clone(),
        own_tags: parsed.tags.clone(),
        outcome: parsed.outcome.clone(),
        text_bytes: text.len() as u64,
        first_chunk,
        chunk_count: parsed.chunks.len() as u32,
        symbol_count: parsed.symbols.len() as u32,
        edge_count: stored_edges.len() as u64,
    };
    documents::insert(connection, &entry)?;
    texts::insert(connection, row, text)?;
    texts::insert_signature(connection, row, text)?;
    documents::insert_tags(connection, row, &document.tags)?;
    chunks::insert(connection, row, first_chunk, &parsed.chunks)?;
    symbols::insert(connection, row, &parsed.symbols)?;
    edges::insert(connection, row, &stored_edges, text, &parsed.chunks)?;
    Ok(Inserted { document: row, first_chunk, replaced: replaced.map(|old| old.row) })
}

/// Removes the document at a path. Returns its row.
fn remove(connection: &Connection, path: &DocPath) -> Result<Option<documents::Entry>, CatalogWriteError> {
    let Some(entry) = documents::by_path(connection, path)? else { return Ok(None) };
    chunks::delete(connection, entry.chunk_rows())?;
    documents::delete(connection, entry.row)?;
    Ok(Some(entry))
}

/// Checks the record's spans against its text, so that everything stored can be read.
fn validate(record: &DocumentRecord<'_>) -> Result<(), CatalogWriteError> {
    let DocumentRecord { document, text, parsed, indexed: _ } = *record;
    let invalid = |reason: String| Err(CatalogWriteError::InvalidRecord { path: document.path.to_string(), reason });
    if u32::try_from(text.len()).is_err() {
        return invalid(format!("the text has {} bytes, more than the 4 GiB of a span", text.len()));
    }
    for (place, chunk) in parsed.chunks.iter().enumerate() {
        if chunk.ordinal as usize != place {
            return invalid(format!("chunk {place} has the ordinal {}", chunk.ordinal));
        }
        let spans = [Some(chunk.span.bytes), chunk.doc_comment];
        if spans.into_iter().flatten().any(|span| span.slice(text).is_none()) {
            return invalid(format!("chunk {place} has a span outside of the text"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
