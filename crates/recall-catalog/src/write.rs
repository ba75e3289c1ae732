//! Transactions: a batch of changes becomes the next generation.
//!
//! The generation is the version that all derived data refer to. It is written in the transaction of the changes, so there is no
//! state in which it and the rows disagree. A statement that fails aborts the whole transaction: SQLite may have rolled it back
//! already, and a further statement would commit on its own.

use std::path::Path;

use parking_lot::{Mutex, MutexGuard};
use recall_core::{ChunkRow, DocPath, Document, DocumentRow, Generation, ParsedDocument, Timestamp};
use rusqlite::Connection;

use crate::WriteError;
use crate::file_stamps::FileStamps;
use crate::rows::{self, state::State};

mod insert;

/// Exclusive access for writing, released on drop.
#[derive(Debug)]
pub struct Writer<'c> {
    /// Released last, so that no other thread writes before the fingerprint is taken.
    connection: MutexGuard<'c, Connection>,
    path: &'c Path,
    stamps: &'c Mutex<FileStamps>,
}

impl<'c> Writer<'c> {
    pub(crate) fn new(connection: MutexGuard<'c, Connection>, path: &'c Path, stamps: &'c Mutex<FileStamps>) -> Self {
        Self { connection, path, stamps }
    }

    /// Starts a transaction. Waits while another process has one.
    ///
    /// # Errors
    /// [`WriteError::Busy`] if that takes longer than five seconds.
    pub fn begin(&mut self) -> Result<Transaction<'_>, WriteError> {
        // An immediate transaction waits for its turn. A transaction that is upgraded from reading to writing would
        // fail at once.
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        match rows::state::read(&self.connection) {
            Ok(state) => Ok(Transaction { connection: &self.connection, before: state, state, phase: Phase::Open }),
            Err(error) => {
                self.connection.execute_batch("ROLLBACK")?;
                Err(error.into())
            }
        }
    }

    /// Records that this version of the parser has parsed all documents.
    pub fn set_parser_version(&mut self, version: u32) -> Result<(), WriteError> {
        Ok(rows::state::write_parser_version(&self.connection, version)?)
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        let generation = rows::state::read(&self.connection).ok().map(|state| state.generation);
        *self.stamps.lock() = FileStamps::read(self.path, generation);
    }
}

/// A batch of changes that become visible together at the commit. Dropping it rolls them back.
#[derive(Debug)]
pub struct Transaction<'w> {
    connection: &'w Connection,
    before: State,
    state: State,
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

/// A file that is not indexed, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFailure {
    /// The file's path below the root. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// What kind of reason it is.
    pub kind: FailureKind,
    /// The reason, for display.
    pub reason: String,
    /// The file's size in bytes when it was read.
    pub size_bytes: u64,
    /// The file's modification time when it was read.
    pub modified: Timestamp,
}

/// The kind of reason why a file is not indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// A rule excludes it: it is binary, minified or too large.
    Skipped,
    /// It could not be read or decoded.
    Failed,
    /// It is the directory of a nested repository, which has a store of its own.
    Repository,
}

impl FailureKind {
    /// The kind's name in interfaces and in the catalog.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Failed => "failed",
            Self::Repository => "repository",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Skipped, Self::Failed, Self::Repository].into_iter().find(|kind| kind.as_str() == name)
    }
}

impl Transaction<'_> {
    /// Stores a document and replaces the one at the same path.
    ///
    /// The document keeps its creation time. A failure recorded for the path is deleted.
    ///
    /// # Errors
    /// [`WriteError::InvalidRecord`] if a chunk's span is outside of the text or splits a character, or if the chunks'
    /// ordinals are not 0, 1, 2…. The transaction can continue after this error.
    pub fn insert(&mut self, record: &DocumentRecord<'_>) -> Result<Inserted, WriteError> {
        insert::validate(record)?;
        self.attempt(|transaction| insert::insert(transaction, record))
    }

    /// Removes the document at a path. Returns the row that it had.
    pub fn remove(&mut self, path: &DocPath) -> Result<Option<DocumentRow>, WriteError> {
        self.attempt(|transaction| Ok(insert::remove(transaction, path)?.map(|entry| entry.row)))
    }

    /// Updates the size and time of a file with unchanged content. Returns the document's row.
    ///
    /// Does not create a new generation by itself.
    pub fn touch(
        &mut self,
        path: &DocPath,
        size_bytes: u64,
        modified: Timestamp,
    ) -> Result<Option<DocumentRow>, WriteError> {
        self.attempt(|transaction| {
            let Some(entry) = rows::documents::by_path(transaction.connection, path)? else { return Ok(None) };
            rows::documents::touch(transaction.connection, entry.row, size_bytes, modified)?;
            Ok(Some(entry.row))
        })
    }

    /// Records that a file is not indexed, and removes the document at its path. Returns the row of that document.
    ///
    /// Replaces an earlier failure of the same path. Creates a new generation only if a document was removed.
    pub fn record_failure(&mut self, failure: &FileFailure) -> Result<Option<DocumentRow>, WriteError> {
        self.attempt(|transaction| {
            let removed = match DocPath::new(&failure.path) {
                Ok(path) => insert::remove(transaction, &path)?,
                Err(_) => None,
            };
            rows::failures::insert(transaction.connection, failure)?;
            Ok(removed.map(|entry| entry.row))
        })
    }

    /// Deletes the failure of a path. Returns whether there was one.
    pub fn clear_failure(&mut self, path: &str) -> Result<bool, WriteError> {
        self.attempt(|transaction| Ok(rows::failures::delete(transaction.connection, path)?))
    }

    /// Commits the changes. Returns the resulting generation.
    ///
    /// The generation increases by one if documents were stored or removed.
    ///
    /// # Errors
    /// The transaction is rolled back.
    pub fn commit(mut self) -> Result<Generation, WriteError> {
        self.attempt(|transaction| {
            if transaction.state != transaction.before {
                rows::state::write(transaction.connection, &transaction.state)?;
            }
            transaction.connection.prepare_cached("COMMIT")?.execute([])?;
            Ok(())
        })?;
        self.phase = Phase::Committed;
        Ok(self.state.generation)
    }

    /// Marks that documents have changed.
    fn mark_changed(&mut self) {
        self.state.generation = self.before.generation.next();
    }

    fn attempt<T>(&mut self, write: impl FnOnce(&mut Self) -> Result<T, WriteError>) -> Result<T, WriteError> {
        if self.phase != Phase::Open {
            return Err(WriteError::Aborted);
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

#[cfg(test)]
mod tests;
