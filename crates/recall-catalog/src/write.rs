//! How does a batch of changed files become the next generation?

use std::path::Path;

use parking_lot::{Mutex, MutexGuard};
use recall_core::{ChunkRow, DocPath, Document, DocumentRow, Generation, ParsedDocument, Timestamp};
use rusqlite::Connection;

use crate::WriteError;
use crate::imprint::Imprint;
use crate::rows::{self, state::State};

mod insert;

/// The right to write, until it is dropped.
#[derive(Debug)]
pub struct Writer<'c> {
    /// Let go last, so that nobody writes before the imprint is taken.
    connection: MutexGuard<'c, Connection>,
    path: &'c Path,
    imprint: &'c Mutex<Imprint>,
}

impl<'c> Writer<'c> {
    pub(crate) fn new(connection: MutexGuard<'c, Connection>, path: &'c Path, imprint: &'c Mutex<Imprint>) -> Self {
        Self { connection, path, imprint }
    }

    /// Starts a transaction; waits while another process has one.
    ///
    /// # Errors
    /// [`WriteError::Busy`] when that takes longer than five seconds.
    pub fn begin(&mut self) -> Result<Transaction<'_>, WriteError> {
        // An immediate transaction waits for its turn; one that turned from reading to writing would fail at once.
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        match rows::state::read(&self.connection) {
            Ok(state) => {
                Ok(Transaction { connection: &self.connection, before: state, state, progress: Progress::Open })
            }
            Err(error) => {
                self.connection.execute_batch("ROLLBACK")?;
                Err(error.into())
            }
        }
    }

    /// Notes that all documents were parsed by this version of the parser.
    pub fn parsed_by(&mut self, version: u32) -> Result<(), WriteError> {
        Ok(rows::state::write_parsing(&self.connection, version)?)
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        let generation = rows::state::read(&self.connection).ok().map(|state| state.generation);
        *self.imprint.lock() = Imprint::of(self.path, generation);
    }
}

/// A batch of changes that become visible together, when it is committed. Dropping it undoes them.
#[derive(Debug)]
pub struct Transaction<'w> {
    connection: &'w Connection,
    before: State,
    state: State,
    progress: Progress,
}

/// How far a transaction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Open,
    /// A statement failed. SQLite may have ended the transaction by itself, so that a further statement would stand
    /// alone and last.
    Failed,
    Committed,
}

/// A document with all that was found in it, to be stored.
#[derive(Clone, Copy, Debug)]
pub struct DocumentRecord<'a> {
    /// The document. Its `id` is derived from its path and not looked at.
    pub document: &'a Document,
    /// Its whole text.
    pub text: &'a str,
    /// What the text was found to hold. Edges of kind `Defines` are not stored: they are the symbols.
    pub parsed: &'a ParsedDocument,
    /// The present moment: when the document is indexed for the first time, it is its time of creation.
    pub indexed: Timestamp,
}

/// Where a document was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The document's row.
    pub document: DocumentRow,
    /// The row of its first chunk; the others follow without a gap, in order.
    pub first_chunk: ChunkRow,
    /// The row of the document that was at its path before, and is gone with its chunks.
    pub replaced: Option<DocumentRow>,
}

/// A file that is not indexed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFailure {
    /// The file's path below the root; bytes that are not UTF-8 are replaced.
    pub path: String,
    /// What became of it.
    pub kind: FailureKind,
    /// The reason, for a person.
    pub reason: String,
    /// The file's length in bytes when it was looked at.
    pub size_bytes: u64,
    /// The file's modification time when it was looked at.
    pub modified: Timestamp,
}

/// What became of a file that is not indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// A rule leaves it out: it is binary, minified, too large.
    Skipped,
    /// It could not be read or decoded.
    Failed,
}

impl FailureKind {
    /// The kind's name, as interfaces and the catalog write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Skipped, Self::Failed].into_iter().find(|kind| kind.as_str() == name)
    }
}

impl Transaction<'_> {
    /// Stores a document, in the place of the one that its path had before.
    ///
    /// The document keeps its time of creation; a failure that was recorded for the path is forgotten.
    ///
    /// # Errors
    /// [`WriteError::InvalidRecord`] when a chunk's span lies outside the text or cuts a character, or when the chunks'
    /// ordinals are not 0, 1, 2…. The transaction can go on after that.
    pub fn insert(&mut self, record: &DocumentRecord<'_>) -> Result<Inserted, WriteError> {
        insert::validate(record)?;
        self.attempt(|transaction| insert::insert(transaction, record))
    }

    /// Removes the document at a path and tells which row it had.
    pub fn remove(&mut self, path: &DocPath) -> Result<Option<DocumentRow>, WriteError> {
        self.attempt(|transaction| Ok(insert::remove(transaction, path)?.map(|entry| entry.row)))
    }

    /// Notes that a file has another size or time, though its content is the same; tells the document's row.
    ///
    /// Alone it makes no new generation.
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

    /// Records that a file is not indexed, and removes the document that its path had before; tells that one's row.
    ///
    /// A failure of the same path is replaced. Alone, without a removed document, it makes no new generation.
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

    /// Forgets the failure of a path and tells whether there was one.
    pub fn clear_failure(&mut self, path: &str) -> Result<bool, WriteError> {
        self.attempt(|transaction| Ok(rows::failures::delete(transaction.connection, path)?))
    }

    /// Makes the changes last and visible; tells the generation that they make.
    ///
    /// The generation rises by one when documents were stored or removed, and stays when they were not.
    ///
    /// # Errors
    /// On error nothing of the transaction remains.
    pub fn commit(mut self) -> Result<Generation, WriteError> {
        self.attempt(|transaction| {
            if transaction.state != transaction.before {
                rows::state::write(transaction.connection, &transaction.state)?;
            }
            transaction.connection.prepare_cached("COMMIT")?.execute([])?;
            Ok(())
        })?;
        self.progress = Progress::Committed;
        Ok(self.state.generation)
    }

    /// Notes that what documents hold has changed.
    fn mark_changed(&mut self) {
        self.state.generation = self.before.generation.next();
    }

    fn attempt<T>(&mut self, write: impl FnOnce(&mut Self) -> Result<T, WriteError>) -> Result<T, WriteError> {
        if self.progress != Progress::Open {
            return Err(WriteError::Aborted);
        }
        let outcome = write(self);
        if outcome.is_err() {
            self.progress = Progress::Failed;
        }
        outcome
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.progress != Progress::Committed && !self.connection.is_autocommit() {
            // A rollback fails only where SQLite has rolled back by itself.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}

#[cfg(test)]
mod tests;
