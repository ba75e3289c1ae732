//! Here are a model and texts: which of them were embedded before?
//!
//! One SQLite file for all stores and all models. Whatever it holds was computed and can be computed again: it is bounded in
//! size, forgets what was not used for longest, and begins anew when it is damaged.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use recall_core::{ModelFingerprint, TextHash, Timestamp};
use rusqlite::{Connection, TransactionBehavior};

use crate::connection::side_file;
use crate::open;

mod error;
mod evict;
mod rows;
mod schema;

pub use error::EmbeddingStoreError;
pub use rows::{EmbeddingStatistics, ModelStatistics};

/// As many embeddings are written in one transaction: some hundredths of a second, in which nobody else can write.
const TRANSACTION: usize = 4096;

/// So many uses are noted in memory before they are written, all at once.
const USES: usize = 4096;

const DAY_NANOS: i64 = 24 * 60 * 60 * 1_000_000_000;

/// Embeddings by model and text, shared by all stores.
///
/// Shared by reference between threads, and by path between processes; each call has the file for itself for a moment.
#[derive(Debug)]
pub struct EmbeddingStore {
    path: PathBuf,
    most_bytes: u64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// `None` when the file is damaged and another process keeps it from being replaced.
    connection: Option<Connection>,
    /// Uses that are not written yet.
    used: Vec<Use>,
    renewed: u32,
    /// Held shared while the file is in use: a file is only replaced by whoever can hold it alone. Declared last, hence
    /// released when the connection is closed.
    lock: File,
}

/// That an embedding was used.
#[derive(Clone, Copy, Debug)]
struct Use {
    row: i64,
    /// Since 1970.
    day: i64,
}

impl EmbeddingStore {
    /// Opens the store in a file, or begins one; a damaged one is set aside and begun anew.
    ///
    /// The file's directory must exist. `most_bytes` bounds what the file holds; a lower bound than before takes effect with
    /// the next write.
    ///
    /// # Errors
    /// See [`EmbeddingStoreError`]. Whoever can compute embeddings can do without the store.
    pub fn open(path: &Path, most_bytes: u64, now: Timestamp) -> Result<Self, EmbeddingStoreError> {
        if let Some(name) = open::network_file_system(path) {
            return Err(EmbeddingStoreError::NetworkFileSystem { path: path.to_owned(), name });
        }
        let lock_path = side_file(path, ".lock");
        let wrong = |source| EmbeddingStoreError::io(&lock_path, source);
        open::create(&lock_path).map_err(wrong)?;
        let lock = File::options().read(true).write(true).open(&lock_path).map_err(wrong)?;
        lock.lock_shared().map_err(wrong)?;
        let mut state = State { connection: None, used: Vec::new(), renewed: 0, lock };
        match schema::open(path) {
            Ok(connection) => state.connection = Some(connection),
            Err(EmbeddingStoreError::Damaged { reason }) => state.renew(path, reason, now)?,
            Err(error) => return Err(error),
        }
        Ok(Self { path: path.to_owned(), most_bytes, state: Mutex::new(state) })
    }

    /// The embeddings of texts by a model, in the order of the texts; `None` for each that is not there.
    ///
    /// An embedding is what was put, or `None`: one that was altered since counts as missing.
    ///
    /// # Errors
    /// See [`EmbeddingStoreError`]. Damage is no error: the file is set aside, and all are missing.
    pub fn get_many(
        &self,
        model: ModelFingerprint,
        texts: &[TextHash],
        now: Timestamp,
    ) -> Result<Vec<Option<Vec<u8>>>, EmbeddingStoreError> {
        let found = self.attempt(now, |state| {
            let (connection, used) = state.parts()?;
            let found = rows::get(connection, model, texts, day(now), used)?;
            if used.len() >= USES {
                state.note_uses()?;
            }
            Ok(found)
        })?;
        Ok(found.unwrap_or_else(|| vec![None; texts.len()]))
    }

    /// Keeps embeddings of texts by a model, in the place of those that they had, and evicts others when there are too many.
    ///
    /// # Errors
    /// See [`EmbeddingStoreError`]. Those at the front may have been kept.
    pub fn put_many(
        &self,
        model: ModelFingerprint,
        embeddings: &[(TextHash, &[u8])],
        now: Timestamp,
    ) -> Result<(), EmbeddingStoreError> {
        let put = |state: &mut State| {
            state.note_uses()?;
            let (connection, _) = state.parts()?;
            for some in embeddings.chunks(TRANSACTION) {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                rows::put(&transaction, model, some, day(now))?;
                transaction.commit()?;
            }
            evict::evict(connection, self.most_bytes)
        };
        // In a new file they are not yet.
        if self.attempt(now, put)?.is_none() {
            self.attempt(now, put)?;
        }
        Ok(())
    }

    /// Forgets everything by a model; tells how many embeddings that were.
    ///
    /// # Errors
    /// See [`EmbeddingStoreError`].
    pub fn forget(&self, model: ModelFingerprint, now: Timestamp) -> Result<usize, EmbeddingStoreError> {
        let forgotten = self.attempt(now, |state| evict::forget(state.parts()?.0, model))?;
        Ok(forgotten.unwrap_or(0))
    }

    /// What the store holds.
    ///
    /// # Errors
    /// See [`EmbeddingStoreError`].
    pub fn statistics(&self, now: Timestamp) -> Result<EmbeddingStatistics, EmbeddingStoreError> {
        let statistics = self.attempt(now, |state| rows::statistics(state.parts()?.0))?;
        Ok(statistics.unwrap_or_default())
    }

    /// How often the file was set aside and begun anew since it was opened, opening included.
    pub fn renewed(&self) -> u32 {
        self.state.lock().renewed
    }

    /// The store's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Does something with the file. When that shows damage, the file is begun anew, and there is no answer.
    fn attempt<T>(
        &self,
        now: Timestamp,
        mut step: impl FnMut(&mut State) -> Result<T, EmbeddingStoreError>,
    ) -> Result<Option<T>, EmbeddingStoreError> {
        let mut state = self.state.lock();
        match step(&mut state) {
            Err(EmbeddingStoreError::Damaged { reason }) => {
                state.renew(&self.path, reason, now)?;
                Ok(None)
            }
            outcome => outcome.map(Some),
        }
    }
}

impl State {
    fn parts(&mut self) -> Result<(&mut Connection, &mut Vec<Use>), EmbeddingStoreError> {
        let damaged = || EmbeddingStoreError::damaged("it was found damaged before, and another process uses it");
        Ok((self.connection.as_mut().ok_or_else(damaged)?, &mut self.used))
    }

    /// Writes the uses that were noted.
    fn note_uses(&mut self) -> Result<(), EmbeddingStoreError> {
        let (connection, used) = self.parts()?;
        if used.is_empty() {
            return Ok(());
        }
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        rows::note_uses(&transaction, used)?;
        transaction.commit()?;
        used.clear();
        Ok(())
    }

    /// Sets the file aside and begins a new one.
    ///
    /// SQLite finds a file's log by its name: to rename one that another process has open would leave that process with the
    /// log of the new file. So nothing happens until it is let go.
    fn renew(&mut self, path: &Path, reason: String, now: Timestamp) -> Result<(), EmbeddingStoreError> {
        let wrong = |source| EmbeddingStoreError::io(path, source);
        self.connection = None;
        self.used.clear();
        self.lock.unlock().map_err(wrong)?;
        match self.lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                self.lock.lock_shared().map_err(wrong)?;
                return Err(EmbeddingStoreError::Damaged { reason });
            }
            Err(TryLockError::Error(error)) => return Err(wrong(error)),
        }
        let outcome = self.begin_anew(path, now);
        self.lock.unlock().and_then(|()| self.lock.lock_shared()).map_err(wrong)?;
        outcome
    }

    /// Only for the one who has the lock alone.
    fn begin_anew(&mut self, path: &Path, now: Timestamp) -> Result<(), EmbeddingStoreError> {
        if fs::exists(path).map_err(|error| EmbeddingStoreError::io(path, error))? {
            let suffix = format!("{:013}", now.as_millis());
            crate::set_aside(path, &suffix).map_err(|error| EmbeddingStoreError::io(path, error))?;
        }
        self.connection = Some(schema::open(path)?);
        self.renewed += 1;
        Ok(())
    }
}

impl Drop for EmbeddingStore {
    fn drop(&mut self) {
        // A lost use makes the next eviction a little less just, and nothing else.
        let _ = self.state.get_mut().note_uses();
    }
}

fn day(now: Timestamp) -> i64 {
    now.0.div_euclid(DAY_NANOS)
}
