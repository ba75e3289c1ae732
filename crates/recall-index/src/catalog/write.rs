//! Transactions: a batch of changes becomes the next generation.
//!
//! The generation is the version that all derived data refer to. It is written in the transaction of the changes, so there is no
//! state in which it and the rows disagree. A statement that fails aborts the whole transaction: SQLite may have rolled it back
//! already, and a further statement would commit on its own.

use std::path::Path;

use parking_lot::{Mutex, MutexGuard};
use recall_core::{DocumentRow, Generation, Timestamp};
use recall_text::DocPath;
use rusqlite::Connection;

use crate::catalog::CatalogWriteError;
use crate::catalog::file_stamps::DatabaseStamps;
use crate::catalog::rows::{self, failures::FileFailure, state::StateRow};

mod insert;

pub use insert::{DocumentRecord, Inserted};

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
        match rows::state::read(&self.connection) {
            Ok(state) => Ok(Transaction { connection: &self.connection, before: state, state, phase: Phase::Open }),
            Err(error) => {
                self.connection.execute_batch("ROLLBACK")?;
                Err(error.into())
            }
        }
    }

    /// Records that this version of the parser has parsed all documents.
    pub fn set_parser_version(&mut self, version: u32) -> Result<(), CatalogWriteError> {
        Ok(rows::state::write_parser_version(&self.connection, version)?)
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        let generation = rows::state::read(&self.connection).ok().map(|state| state.generation);
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
        insert::validate(record)?;
        self.attempt(|transaction| {
            let inserted = insert::insert(transaction.connection, &mut transaction.state, record)?;
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
                rows::state::write(transaction.connection, &transaction.state)?;
            }
            transaction.connection.prepare_cached("COMMIT")?.execute([])?;
            Ok(())
        })?;
        self.phase = Phase::Committed;
        Ok(self.state.generation)
    }

    fn remove_document(&mut self, path: &DocPath) -> Result<Option<DocumentRow>, CatalogWriteError> {
        let removed = insert::remove(self.connection, path)?;
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

#[cfg(test)]
mod tests;
