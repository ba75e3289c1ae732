//! A cache of embeddings by model and text.
//!
//! One SQLite file for all stores and models. All contents can be computed again, so the file is bounded in size,
//! evicts what was not used for the longest time, and is recreated if it is damaged.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use recall_core::{ModelFingerprint, TextHash, Timestamp};
use rusqlite::{Connection, TransactionBehavior};

use crate::catalog::connection::{self, Role, side_file};
use crate::catalog::open;

mod rows;

pub use super::error::EmbeddingStoreError;
pub use rows::{EmbeddingStatistics, ModelStatistics};
use rows::{TRANSACTION_LEN, Use};

/// The number of uses kept in memory before they are written together.
const MAX_PENDING_USES: usize = 4096;

const DAY_NANOS: i64 = 24 * 60 * 60 * 1_000_000_000;

/// A cache of embeddings by model and text, shared by all stores.
///
/// Can be shared by threads, and by processes through its path. Each call locks the file for a short time.
#[derive(Debug)]
pub struct EmbeddingStore {
    path: PathBuf,
    most_bytes: u64,
    state: Mutex<EmbeddingState>,
}

#[derive(Debug)]
struct EmbeddingState {
    /// `None` if the file is damaged and cannot be replaced because another process uses it.
    connection: Option<Connection>,
    /// Uses that are not written yet.
    used: Vec<Use>,
    replacements: u32,
    /// Locked shared while the file is in use; replacing the file requires an exclusive lock. Declared last, so that it
    /// is released after the connection is closed.
    lock: File,
}

impl EmbeddingStore {
    /// Opens the store in a file, or creates it. A damaged store is moved away and replaced.
    ///
    /// The file's directory must exist. `most_bytes` bounds the size of the contents. A lower bound than before takes
    /// effect with the next write.
    ///
    /// # Errors
    /// See [`EmbeddingStoreError`]. A caller that can compute embeddings can continue without the store.
    pub fn open(path: &Path, most_bytes: u64, now: Timestamp) -> Result<Self, EmbeddingStoreError> {
        if let Some(name) = open::network_file_system(path) {
            return Err(EmbeddingStoreError::NetworkFileSystem { path: path.to_owned(), name });
        }
        let lock_path = side_file(path, ".lock");
        let io_error = |source| EmbeddingStoreError::io(&lock_path, source);
        open::create(&lock_path).map_err(io_error)?;
        let lock = File::options().read(true).write(true).open(&lock_path).map_err(io_error)?;
        lock.lock_shared().map_err(io_error)?;
        let mut state = EmbeddingState { connection: None, used: Vec::new(), replacements: 0, lock };
        match open_file(path) {
            Ok(connection) => state.connection = Some(connection),
            Err(EmbeddingStoreError::Damaged { reason }) => state.replace_damaged(path, reason, now)?,
            Err(error) => return Err(error),
        }
        Ok(Self { path: path.to_owned(), most_bytes, state: Mutex::new(state) })
    }

    /// Returns the embeddings of texts by a model, in the order of the texts. `None` for each that is not stored.
    ///
    /// An embedding is returned exactly as it was put. One that was altered since counts as missing.
    ///
    /// # Errors
    /// See [`EmbeddingStoreError`]. Damage is not an error: the file is replaced, and all embeddings are missing.
    pub fn get_many(
        &self,
        model: ModelFingerprint,
        texts: &[TextHash],
        now: Timestamp,
    ) -> Result<Vec<Option<Vec<u8>>>, EmbeddingStoreError> {
        let found = self.attempt(now, |state| {
            let (connection, used) = state.parts()?;
            let found = rows::get(connection, model, texts, day(now), used)?;
            if used.len() >= MAX_PENDING_USES {
                state.write_uses()?;
            }
            Ok(found)
        })?;
        Ok(found.unwrap_or_else(|| vec![None; texts.len()]))
    }

    /// Stores embeddings of texts by a model, and replaces existing ones. Evicts others if the store exceeds its bound.
    ///
    /// # Errors
    /// See [`EmbeddingStoreError`]. A part of the embeddings, from the front, may have been stored.
    pub fn put_many(
        &self,
        model: ModelFingerprint,
        embeddings: &[(TextHash, &[u8])],
        now: Timestamp,
    ) -> Result<(), EmbeddingStoreError> {
        let put = |state: &mut EmbeddingState| {
            state.write_uses()?;
            let (connection, _) = state.parts()?;
            for some in embeddings.chunks(TRANSACTION_LEN) {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                rows::put(&transaction, model, some, day(now))?;
                transaction.commit()?;
            }
            rows::evict(connection, self.most_bytes)
        };
        // If the file was replaced, store them in the new one.
        if self.attempt(now, put)?.is_none() {
            self.attempt(now, put)?;
        }
        Ok(())
    }

    /// Deletes all embeddings by a model. Returns their number.
    ///
    /// # Errors
    /// See [`EmbeddingStoreError`].
    pub fn forget(&self, model: ModelFingerprint, now: Timestamp) -> Result<usize, EmbeddingStoreError> {
        let forgotten = self.attempt(now, |state| rows::forget(state.parts()?.0, model))?;
        Ok(forgotten.unwrap_or(0))
    }

    /// The contents of the store in numbers.
    ///
    /// # Errors
    /// See [`EmbeddingStoreError`].
    pub fn statistics(&self, now: Timestamp) -> Result<EmbeddingStatistics, EmbeddingStoreError> {
        let statistics = self.attempt(now, |state| rows::statistics(state.parts()?.0))?;
        Ok(statistics.unwrap_or_default())
    }

    /// The number of times the file was replaced since and including the opening.
    pub fn replacements(&self) -> u32 {
        self.state.lock().replacements
    }

    /// The store's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs a step on the file. If the step finds damage, replaces the file and returns `None`.
    fn attempt<T>(
        &self,
        now: Timestamp,
        mut step: impl FnMut(&mut EmbeddingState) -> Result<T, EmbeddingStoreError>,
    ) -> Result<Option<T>, EmbeddingStoreError> {
        let mut state = self.state.lock();
        match step(&mut state) {
            Err(EmbeddingStoreError::Damaged { reason }) => {
                state.replace_damaged(&self.path, reason, now)?;
                Ok(None)
            }
            outcome => outcome.map(Some),
        }
    }
}

impl EmbeddingState {
    fn parts(&mut self) -> Result<(&mut Connection, &mut Vec<Use>), EmbeddingStoreError> {
        let damaged = || EmbeddingStoreError::damaged("it is damaged, and another process uses it");
        Ok((self.connection.as_mut().ok_or_else(damaged)?, &mut self.used))
    }

    /// Writes the recorded uses.
    fn write_uses(&mut self) -> Result<(), EmbeddingStoreError> {
        let (connection, used) = self.parts()?;
        if used.is_empty() {
            return Ok(());
        }
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        rows::write_uses(&transaction, used)?;
        transaction.commit()?;
        used.clear();
        Ok(())
    }

    /// Moves the file away and creates a new one.
    ///
    /// SQLite finds a file's log by its name. If the file were renamed while another process has it open, that process
    /// would use the log of the new file. Therefore this fails until no other process uses the file.
    fn replace_damaged(&mut self, path: &Path, reason: String, now: Timestamp) -> Result<(), EmbeddingStoreError> {
        let io_error = |source| EmbeddingStoreError::io(path, source);
        self.connection = None;
        self.used.clear();
        self.lock.unlock().map_err(io_error)?;
        match self.lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                self.lock.lock_shared().map_err(io_error)?;
                return Err(EmbeddingStoreError::Damaged { reason });
            }
            Err(TryLockError::Error(error)) => return Err(io_error(error)),
        }
        let outcome = self.replace_file(path, now);
        self.lock.unlock().and_then(|()| self.lock.lock_shared()).map_err(io_error)?;
        outcome
    }

    /// Requires the exclusive lock.
    fn replace_file(&mut self, path: &Path, now: Timestamp) -> Result<(), EmbeddingStoreError> {
        if fs::exists(path).map_err(|error| EmbeddingStoreError::io(path, error))? {
            let suffix = format!("{:013}", now.as_millis());
            crate::catalog::quarantine(path, &suffix).map_err(|error| EmbeddingStoreError::io(path, error))?;
        }
        self.connection = Some(open_file(path)?);
        self.replacements += 1;
        Ok(())
    }
}

impl Drop for EmbeddingStore {
    fn drop(&mut self) {
        // A lost use only makes the next eviction slightly less accurate.
        let _ = self.state.get_mut().write_uses();
    }
}

fn day(now: Timestamp) -> i64 {
    now.0.div_euclid(DAY_NANOS)
}

/// The application id in the header, which identifies the file to other programs: "rcle".
const APPLICATION_ID: i32 = 0x7263_6C65;

/// The schema version. An older file is replaced instead of migrated, because everything in it can be computed again.
const SCHEMA: u32 = 1;

/// Rows are read at random positions, a few hundred bytes at a time, so most of a larger page would be read in vain.
const PAGE_BYTES: u32 = 4096;

/// Opens or creates a store's file.
fn open_file(path: &Path) -> Result<Connection, EmbeddingStoreError> {
    open::create(path).map_err(|source| EmbeddingStoreError::io(path, source))?;
    let mut connection = connection::open(path, Role::Write)?;
    // Reads both in one transaction: another process may be creating the schema.
    let reading = connection.transaction()?;
    let application: i32 = reading.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let things: i64 = reading.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    reading.commit()?;
    if application == 0 && things == 0 {
        connection.pragma_update(None, "page_size", PAGE_BYTES)?;
        // What eviction frees can be given back.
        connection.pragma_update(None, "auto_vacuum", "incremental")?;
    } else if application != APPLICATION_ID {
        return Err(EmbeddingStoreError::damaged("it is a database of another application"));
    }
    open::switch_to_wal(&connection)?;
    // Another process may have made the schema meanwhile, so it is looked for under the lock.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    match found {
        SCHEMA => {}
        0 => {
            transaction.execute_batch(include_str!("embeddings/schema_1.sql"))?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
            transaction.pragma_update(None, "user_version", SCHEMA)?;
        }
        newer => return Err(EmbeddingStoreError::NewerSchema { found: newer, known: SCHEMA }),
    }
    transaction.commit()?;
    Ok(connection)
}
