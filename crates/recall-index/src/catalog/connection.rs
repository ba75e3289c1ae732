//! Configuration of SQLite connections, and fingerprints of the files of an open catalog.
//!
//! SQLite trusts its caches: it does not read cached pages again and does not verify the log again. If a file is
//! replaced or overwritten while it is open, results mix the old and the new contents.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parking_lot::Mutex;
use recall_core::Generation;
use recall_os::FileStamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::catalog::{ReadError, base};

/// How long a connection waits for another process. A batch of another process commits well within this. Within one
/// process nothing waits for SQLite: writers queue for a mutex, and readers have snapshots.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The log is checkpointed when a commit leaves it longer than this many pages (32 MiB). With SQLite's default of 4
/// MiB, a first index would copy and sync nearly every page twice while a user waits.
const CHECKPOINT_PAGES: u32 = 2048;

/// The capacity of the cache of prepared statements. There are fewer statements.
const PREPARED_STATEMENTS: usize = 64;

/// The page cache of a reader. A search reads a dozen pages of 16 KiB. SQLite's default of 2 MiB does not hold the
/// inner pages and the most used documents of a medium-sized project.
const READER_CACHE_KIB: i64 = 6 * 1024;

/// The number of idle read connections kept. Each takes up to 6 MiB of page cache. Additional readers open and close
/// their own.
const IDLE_READERS: usize = 4;

/// Read connections that no snapshot uses.
#[derive(Debug)]
pub(crate) struct IdleReaders(Mutex<Vec<Connection>>);

impl IdleReaders {
    pub(crate) fn new(connections: Vec<Connection>) -> Self {
        Self(Mutex::new(connections))
    }

    pub(crate) fn take(&self) -> Option<Connection> {
        self.0.lock().pop()
    }

    /// Adds a connection, or closes it if there are enough.
    pub(crate) fn put(&self, connection: Connection) {
        let mut idle = self.0.lock();
        if idle.len() < IDLE_READERS {
            idle.push(connection);
        }
    }
}

/// The result of a [checkpoint](crate::catalog::Catalog::checkpoint).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checkpoint {
    /// The write-ahead log is empty.
    Complete,
    /// Open snapshots still need a part of the log.
    Partial,
}

/// The purpose of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Writes, creates and migrates. There is one.
    Write,
    /// Reads while the writer may be writing.
    Read,
    /// Reads a file in a place that is read-only even for lock files.
    ReadImmutable,
}

/// Opens and configures a connection.
pub(crate) fn open(path: &Path, role: Role) -> rusqlite::Result<Connection> {
    let connection = match role {
        // The file exists already: opening a catalog creates it, with the right permissions.
        Role::Write => Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | common_flags())?,
        Role::Read => Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | common_flags())?,
        Role::ReadImmutable => {
            Connection::open_with_flags(base::immutable_uri(path), OpenFlags::SQLITE_OPEN_READ_ONLY | common_flags())?
        }
    };
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
    // Plans never depend on the bound values. Without this, SQLite discards some prepared statements at each new value
    // and parses them again, which takes longer than running them.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // A damaged file must not make SQLite run functions from its schema or read beyond a page's cells.
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    if role == Role::Write {
        connection.pragma_update(None, "foreign_keys", true)?;
        // The catalog is derived data, so a power failure may lose the last commits; the rest is always a committed
        // state. `FULL` would sync the disk at every commit.
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
        // 8 MiB keep the indexes over paths and ids of a large store in memory while a batch is written.
        connection.pragma_update(None, "cache_size", -8192)?;
    }
    Ok(connection)
}

/// Opens a connection for snapshots of a file with a known schema.
///
/// Setting the cache size makes SQLite read the schema, which fails for a file that was not recognised yet.
///
/// # Errors
/// An error of SQLite, or [`ReadError::Damaged`] if `base.db` is missing and a document refers to it.
pub(crate) fn open_reader(path: &Path, role: Role) -> Result<Connection, ReadError> {
    let connection = open(path, role)?;
    connection.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
    base::attach(&connection, path)?;
    Ok(connection)
}

/// A connection is used by one thread at a time, so SQLite need not lock it. A base is attached by a URI.
fn common_flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI
}

/// The file with this suffix next to a database: `-wal`, `-shm`.
pub(crate) fn side_file(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// Quarantines a damaged catalog with its log, as [`recall_os::quarantine`] does, so that a new one can be created. SQLite still
/// finds the log under the new name. No process may have the catalog open.
///
/// # Errors
/// The catalog does not exist, or its directory cannot be written.
pub fn quarantine(path: &Path, suffix: &str) -> std::io::Result<PathBuf> {
    // The log first. If it stayed behind, SQLite would apply it to the next catalog.
    recall_os::quarantine_with(path, &["-wal", "-shm"], suffix)
}

/// Deletes a catalog with its log and its link to a base. No process may have the catalog open.
///
/// # Errors
/// The directory of the catalog cannot be written. What is left is deleted by the next call.
pub fn delete(path: &Path) -> std::io::Result<()> {
    // The log first. If it stayed behind, SQLite would apply it to the next catalog.
    for file in [side_file(path, "-wal"), side_file(path, "-shm"), path.to_owned(), base::file(path)] {
        recall_os::delete_file(&file)?;
    }
    Ok(())
}

/// Rewrites the file without the space of deleted rows.
///
/// On a connection of its own: SQLite creates the indexes of the new file by the names of their tables, and finds the
/// [views](base) first.
pub(crate) fn vacuum(path: &Path) -> rusqlite::Result<()> {
    open(path, Role::Write)?.execute_batch("VACUUM")
}

/// Checkpoints the log without waiting for readers.
pub(crate) fn checkpoint(connection: &Connection) -> rusqlite::Result<Checkpoint> {
    connection.busy_timeout(Duration::ZERO)?;
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(if busy? == 0 { Checkpoint::Complete } else { Checkpoint::Partial })
}

/// How another program changed the files of an open catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbance {
    /// The file was replaced or removed.
    Replaced,
    /// The file or its log was overwritten in place.
    Overwritten,
}

/// The fingerprint of the files when this process last wrote them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DatabaseStamps {
    file: Option<FileStamp>,
    log: Option<FileStamp>,
    /// Their generation. `None` if it could not be read.
    pub(crate) generation: Option<Generation>,
}

impl DatabaseStamps {
    pub(crate) fn read(path: &Path, generation: Option<Generation>) -> Self {
        Self { file: FileStamp::read(path), log: FileStamp::read(&side_file(path, "-wal")), generation }
    }

    /// Whether the metadata of a file changed.
    pub(crate) fn differs(&self, before: &Self) -> bool {
        (self.file, self.log) != (before.file, before.log)
    }

    /// Whether the file is the one at a path.
    pub(crate) fn is_of_file_at(&self, path: &Path) -> bool {
        match (FileStamp::read(path), self.file) {
            (Some(there), Some(known)) => there.is_same_file(&known),
            (None, None) => true,
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    /// Whether the file was replaced by another one, removed or created.
    pub(crate) fn is_of_another_file(&self, before: &Self) -> bool {
        match (self.file, before.file) {
            (Some(now), Some(before)) => !now.is_same_file(&before),
            (None, None) => false,
            (None, Some(_)) | (Some(_), None) => true,
        }
    }

    /// Whether another process has checkpointed the log: the file was written, and the log is empty since.
    pub(crate) fn is_folded(&self, before: &Self) -> bool {
        let bytes = |log: Option<FileStamp>| log.map_or(0, |log| log.bytes());
        self.file != before.file && bytes(self.log) == 0 && bytes(before.log) > 0
    }
}
