//! The catalog, its connections, and the check of its consistency.
//!
//! There is one connection that writes, behind a mutex, and a pool of connections that read. In WAL mode a reader never waits for the
//! writer, so a search is not delayed by an index run. In return, a snapshot that is kept open keeps the log from being checkpointed.
//! SQLite does not notice that another program replaced or overwrote an open file; `DatabaseStamps` does.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use recall_core::{DocumentRow, Generation};
use recall_os::{delete_file, share_file};
use rusqlite::Connection;

use crate::catalog::connection::{self, Checkpoint, DatabaseStamps, Disturbance, IdleReaders, Role};
use crate::catalog::open::{self, Opened};
use crate::catalog::{CatalogOpenError, CatalogWriteError, ReadError, Snapshot, Writer, base, rows};

/// Statements that move the modification times of files, but not of memories, by a nanosecond, so that no file has them.
const SHIFT_TIMES: &str = include_str!("database/shift_times.sql");

/// The page size of a fork.
///
/// It has few rows of its own, and thirteen tables of at least a page each. With [pages of 16 KiB](open) it would take 0.7
/// instead of 0.1 MB for 2,000 documents.
const FORK_PAGE_BYTES: u32 = 4 * 1024;

/// A store's catalog.
///
/// Can be shared by any number of threads. Closing the last connection checkpoints the write-ahead log.
#[derive(Debug)]
pub struct Catalog {
    path: PathBuf,
    role: Role,
    /// Closed before the writer, because only the writer can checkpoint the log when the last connection is closed.
    idle_readers: IdleReaders,
    /// `None` if the catalog is read-only.
    writer: Option<Mutex<Connection>>,
    /// The fingerprint of the files when this process last wrote them.
    stamps: Mutex<DatabaseStamps>,
}

impl Catalog {
    /// Opens the catalog in a file. Creates it if there is none.
    ///
    /// The file's directory must exist. A file that exists but cannot be written is opened read-only. The cost does not
    /// depend on the file's size: damage beyond the first pages is found when those pages are read.
    ///
    /// # Errors
    /// See [`CatalogOpenError`].
    pub fn open(path: &Path) -> Result<Self, CatalogOpenError> {
        let Opened { connection, role } = open::open(path)?;
        let (writer, readers) = match role {
            Role::Write => (Some(Mutex::new(connection)), Vec::new()),
            Role::Read | Role::ReadImmutable => (None, vec![connection]),
        };
        let reader_role = if role == Role::Write { Role::Read } else { role };
        let stamps = Mutex::new(DatabaseStamps::read(path, None));
        let catalog =
            Self { path: path.to_owned(), role: reader_role, idle_readers: IdleReaders::new(readers), writer, stamps };
        catalog.stamps.lock().generation = catalog.generation().ok();
        Ok(catalog)
    }

    /// Whether another program has changed the files since they were opened or last written by this process. Reads the
    /// metadata of two files.
    ///
    /// A commit of another process is not a disturbance. Returns `None` without a check while this process is writing.
    pub fn disturbance(&self) -> Option<Disturbance> {
        let writing = match &self.writer {
            Some(writer) => Some(writer.try_lock()?),
            None => None,
        };
        let mut known = self.stamps.lock();
        let now = DatabaseStamps::read(&self.path, known.generation);
        if !now.differs(&known) {
            return None;
        }
        if now.is_of_another_file(&known) {
            return Some(Disturbance::Replaced);
        }
        // A read-only file is controlled by other processes. Its pages are read again after their next commit.
        let generation = self.generation().ok();
        let is_committed = generation.zip(known.generation).is_some_and(|(now, before)| now > before);
        if writing.is_none() || is_committed || now.is_folded(&known) {
            *known = now;
            known.generation = generation;
            return None;
        }
        Some(Disturbance::Overwritten)
    }

    /// Whether the path still leads to the open file. Costs one `stat`.
    pub fn is_in_place(&self) -> bool {
        self.stamps.lock().is_of_file_at(&self.path)
    }

    /// Whether the catalog is read-only.
    pub fn is_read_only(&self) -> bool {
        self.writer.is_none()
    }

    /// The catalog's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The generation of the committed state.
    pub fn generation(&self) -> Result<Generation, ReadError> {
        Ok(self.snapshot()?.generation())
    }

    /// Opens a view of the committed state, which later commits do not change.
    ///
    /// Never waits for the writer. A long-lived snapshot prevents checkpoints of the write-ahead log.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, ReadError> {
        loop {
            let connection = match self.idle_readers.take() {
                Some(connection) => connection,
                None => connection::open_reader(&self.path, self.role)?,
            };
            // A new connection has the base, or there is none yet, or opening it has failed.
            if let Some(snapshot) = Snapshot::begin(&self.idle_readers, connection)? {
                return Ok(snapshot);
            }
        }
    }

    /// Locks the catalog for writing. Waits while another thread holds the lock.
    ///
    /// # Errors
    /// [`CatalogWriteError::ReadOnly`] if the catalog is read-only.
    pub fn writer(&self) -> Result<Writer<'_>, CatalogWriteError> {
        let connection = self.writer.as_ref().ok_or(CatalogWriteError::ReadOnly)?;
        Ok(Writer::new(connection.lock(), &self.path, &self.stamps))
    }

    /// Checkpoints the write-ahead log and truncates it, as far as open snapshots allow.
    ///
    /// Waits for this catalog's writer, but for no other process.
    pub fn checkpoint(&self) -> Result<Checkpoint, CatalogWriteError> {
        let writer = self.writer.as_ref().ok_or(CatalogWriteError::ReadOnly)?.lock();
        let outcome = connection::checkpoint(&writer);
        let mut stamps = self.stamps.lock();
        *stamps = DatabaseStamps::read(&self.path, stamps.generation);
        Ok(outcome?)
    }

    /// Completes a [fork](Self::fork) that did not end: deletes documents from this catalog's own file that the shared file has.
    ///
    /// The caller ensures that no other process writes the catalog. Open snapshots are not affected; they keep the file from
    /// shrinking until a later [checkpoint](Self::checkpoint).
    pub fn adopt_base(&self) -> Result<(), CatalogWriteError> {
        let writer = self.writer.as_ref().ok_or(CatalogWriteError::ReadOnly)?.lock();
        let adopted = adopt(&writer, &self.path);
        let mut stamps = self.stamps.lock();
        *stamps = DatabaseStamps::read(&self.path, stamps.generation);
        Ok(adopted?)
    }

    /// Creates another catalog with the same documents at a path, where there must be none, and shares them with it.
    ///
    /// The documents are moved to a file that both have. Changes of one catalog are not seen by the other. Takes as long as
    /// copying the file and deleting its rows, or little if this catalog already shares its documents. Open snapshots are not
    /// affected.
    ///
    /// The modification times of files differ by a nanosecond in the new catalog, so that the next scan compares every file by
    /// its hash: a file of another work tree may have the same size and time and another text.
    ///
    /// # Errors
    /// See [`CatalogOpenError`]. A catalog that cannot be created leaves at most the link to the shared file.
    pub fn fork(&self, target: &Path) -> Result<(), CatalogOpenError> {
        let base = base::file(&self.path);
        if !base.exists() {
            self.write_base(&base)?;
        }
        self.adopt_new_base()?;
        share_file(&base, &base::file(target))
            .map_err(|source| CatalogOpenError::Io { path: target.to_owned(), source })?;
        self.write_fork(target)
    }

    /// Adopts a base that was created since the catalog was opened. A read-only catalog keeps its documents. So does one whose
    /// connection has an earlier base, which it gave up, until it is opened again.
    fn adopt_new_base(&self) -> Result<(), CatalogOpenError> {
        let Some(writer) = &self.writer else { return Ok(()) };
        let writer = writer.lock();
        if base::is_attached(&writer) {
            return Ok(());
        }
        open::attach_base(&self.path, &writer)?;
        let adopted = adopt(&writer, &self.path).map_err(|error| CatalogOpenError::new(&self.path, error));
        let mut stamps = self.stamps.lock();
        *stamps = DatabaseStamps::read(&self.path, stamps.generation);
        adopted
    }

    /// Writes a compact copy of the committed state of the file to a path, at once or not at all.
    fn write_base(&self, target: &Path) -> Result<(), CatalogOpenError> {
        let failed = |error| CatalogOpenError::new(target, error);
        let connection = connection::open(&self.path, self.role).map_err(failed)?;
        if base::is_needed(&connection).map_err(failed)? {
            let reason = base::MISSING.to_owned();
            return Err(CatalogOpenError::Damaged { path: self.path.clone(), reason });
        }
        write_whole(target, |unfinished| {
            connection.execute("VACUUM main INTO ?1", [unfinished.to_string_lossy()]).map(|_| ())
        })
    }

    /// Writes a compact copy of the committed state of the file, with other times, at once or not at all. The base is there.
    fn write_fork(&self, target: &Path) -> Result<(), CatalogOpenError> {
        let failed = |error| CatalogOpenError::new(target, error);
        let connection = connection::open(&self.path, self.role).map_err(failed)?;
        connection.pragma_update(None, "page_size", FORK_PAGE_BYTES).map_err(failed)?;
        write_whole(target, |unfinished| {
            connection.execute("VACUUM main INTO ?1", [unfinished.to_string_lossy()])?;
            let copy = Connection::open(unfinished)?;
            base::attach_file(&copy, &base::file(target))?;
            copy.execute_batch(SHIFT_TIMES)
        })
    }

    /// Rewrites the file without the space of deleted rows. If less than half of the documents in the base are still here, they
    /// are copied and the base is given up. Open snapshots are not affected.
    pub fn compact(&self) -> Result<(), CatalogWriteError> {
        let writer = self.writer.as_ref().ok_or(CatalogWriteError::ReadOnly)?.lock();
        base::give_up_if_mostly_unused(&writer, &self.path)?;
        connection::vacuum(&self.path)?;
        let outcome = connection::checkpoint(&writer);
        let mut stamps = self.stamps.lock();
        *stamps = DatabaseStamps::read(&self.path, stamps.generation);
        outcome?;
        Ok(())
    }

    /// The size of the catalog on disk in bytes, including its write-ahead log.
    pub fn size_bytes(&self) -> io::Result<u64> {
        let mut total = std::fs::metadata(&self.path)?.len();
        match std::fs::metadata(connection::side_file(&self.path, "-wal")) {
            Ok(log) => total += log.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(total)
    }

    /// Reads everything and returns the problems found.
    ///
    /// Takes seconds for a large catalog. Writing can continue meanwhile.
    pub fn check(&self) -> Result<Vec<Problem>, ReadError> {
        find_problems(&self.snapshot()?)
    }
}

/// Adopts the base that a connection has, and makes the file smaller.
fn adopt(writer: &Connection, path: &Path) -> rusqlite::Result<()> {
    if base::adopt(writer, path)? {
        connection::vacuum(path)?;
        // The log is as large as the contents that were deleted.
        connection::checkpoint(writer)?;
    }
    Ok(())
}

/// Creates a database at a path, at once or not at all. `write` gets another path, where there is an empty file.
fn write_whole(target: &Path, write: impl FnOnce(&Path) -> rusqlite::Result<()>) -> Result<(), CatalogOpenError> {
    let io_failed = |source| CatalogOpenError::Io { path: target.to_owned(), source };
    let unfinished = connection::side_file(target, ".new");
    delete_file(&unfinished).map_err(io_failed)?;
    open::create(&unfinished).map_err(io_failed)?;
    write(&unfinished).map_err(|error| CatalogOpenError::new(target, error))?;
    File::open(&unfinished).and_then(|file| file.sync_all()).map_err(io_failed)?;
    fs::rename(&unfinished, target).map_err(io_failed)?;
    // Documents are deleted from a catalog once they are in its base. Systems other than Unix cannot sync a folder.
    match target.parent() {
        Some(folder) if cfg!(unix) => File::open(folder).and_then(|folder| folder.sync_all()).map_err(io_failed),
        _ => Ok(()),
    }
}

/// A problem of a catalog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The structure of the database file is invalid.
    #[error("{message}")]
    Structure {
        /// The message of SQLite.
        message: String,
    },
    /// A document after some row cannot be read.
    #[error("after document row {}: {reason}", after.0)]
    Document {
        /// The last readable row before it.
        after: DocumentRow,
        /// What does not fit in its rows.
        reason: String,
    },
    /// The number of entries in a table differs from the sum over the documents.
    #[error("{table} has {found} entries, but the documents have {expected}")]
    Count {
        /// The table whose entries are counted.
        table: &'static str,
        /// The number according to the documents.
        expected: u64,
        /// The number of entries that the table has.
        found: u64,
    },
}

/// The most structural problems that SQLite reports. The first ones are enough.
const STRUCTURE_PROBLEMS: u32 = 20;

pub(crate) fn find_problems(snapshot: &Snapshot<'_>) -> Result<Vec<Problem>, ReadError> {
    let mut problems = structure(snapshot)?;
    if !problems.is_empty() {
        return Ok(problems);
    }
    problems.extend(first_unreadable(snapshot)?);
    if problems.is_empty() {
        problems.extend(wrong_counts(snapshot)?);
    }
    Ok(problems)
}

fn structure(snapshot: &Snapshot<'_>) -> Result<Vec<Problem>, ReadError> {
    let connection = snapshot.connection();
    let statement = format!("PRAGMA integrity_check({STRUCTURE_PROBLEMS})");
    let messages = rows::all(connection, &statement, [], |row| Ok(row.get::<_, String>(0)?));
    let mut problems: Vec<Problem> = match messages {
        Ok(messages) => messages
            .into_iter()
            .filter(|message| message != "ok")
            .map(|message| Problem::Structure { message })
            .collect(),
        Err(ReadError::Damaged { reason }) => return Ok(vec![Problem::Structure { message: reason }]),
        Err(other) => return Err(other),
    };
    let orphans = rows::all(connection, "PRAGMA foreign_key_check", [], |row| Ok(row.get::<_, String>(0)?))?;
    problems.extend(
        orphans
            .into_iter()
            .take(STRUCTURE_PROBLEMS as usize)
            .map(|table| Problem::Structure { message: format!("a row of {table} has no document") }),
    );
    Ok(problems)
}

/// Reads every document. Stops at the first that cannot be read.
fn first_unreadable(snapshot: &Snapshot<'_>) -> Result<Option<Problem>, ReadError> {
    let mut after = DocumentRow(0);
    loop {
        match snapshot.records_after(after, 1) {
            Ok(records) => match records.first() {
                Some(record) => {
                    let spans = record.parsed.chunks.iter().map(|chunk| chunk.span.bytes);
                    if let Some(invalid) = spans.into_iter().find(|span| span.slice(&record.text).is_none()) {
                        let reason = format!("bytes {} to {} are not in the text", invalid.start, invalid.end);
                        return Ok(Some(Problem::Document { after, reason }));
                    }
                    after = record.row;
                }
                None => return Ok(None),
            },
            Err(ReadError::Damaged { reason }) => return Ok(Some(Problem::Document { after, reason })),
            Err(other) => return Err(other),
        }
    }
}

fn wrong_counts(snapshot: &Snapshot<'_>) -> Result<Vec<Problem>, ReadError> {
    let counts = snapshot.counts()?;
    let connection = snapshot.connection();
    let counts = [
        ("chunks", rows::chunks::count(connection)?, counts.chunks),
        ("texts", rows::texts::count(connection)?, counts.documents),
    ];
    let wrong = counts.into_iter().filter(|(_, found, expected)| found != expected);
    Ok(wrong.map(|(table, found, expected)| Problem::Count { table, expected, found }).collect())
}
