//! How is SQLite set up?

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::{Checkpoint, WriteError};

/// How long a connection waits for another process. Within one process nobody ever waits for SQLite: writers queue for
/// a mutex and readers have their snapshot. A batch of another process commits well within this.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The log is folded into the file when a commit leaves it longer than this many pages (32 MiB). SQLite's own 4 MiB
/// makes a first index copy and sync nearly every page twice while somebody waits for it.
const CHECKPOINT_PAGES: u32 = 2048;

/// How many different statements a connection keeps prepared; there are fewer.
const PREPARED_STATEMENTS: usize = 64;

/// How much of the file a reader keeps in memory. A search reads a dozen pages of 16 KiB, and SQLite's own 2 MiB hold not even
/// the inner pages and the most sought documents of a middling project.
const READER_CACHE_KIB: i64 = 6 * 1024;

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The one that writes, creates and migrates.
    Write,
    /// One of those that read beside it.
    Read,
    /// Reads a file in a place where nobody can write, not even the locks.
    ReadImmutable,
}

/// Opens a connection and sets it up.
pub(crate) fn open(path: &Path, role: Role) -> rusqlite::Result<Connection> {
    let connection = match role {
        // The file exists already: who opens a catalog makes it, with the permissions that it shall have.
        Role::Write => Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | no_mutex())?,
        Role::Read => Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | no_mutex())?,
        Role::ReadImmutable => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | no_mutex();
            Connection::open_with_flags(immutable_uri(path), flags)?
        }
    };
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
    // Plans never depend on the bound values. Without this, SQLite throws some prepared statements away at each new value and
    // parses them again, which takes longer than to run them.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // A damaged file must not make SQLite run its functions or read beyond a page's cells.
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    if role == Role::Write {
        connection.pragma_update(None, "foreign_keys", true)?;
        // The catalog is derived from files, so the last commits before a power cut may be lost; what is left is
        // always a committed state. `FULL` would sync the disk at every commit.
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
        // 8 MiB: the indexes over paths and ids of a large store stay in memory while a batch is written.
        connection.pragma_update(None, "cache_size", -8192)?;
    }
    Ok(connection)
}

/// Opens a connection for snapshots of a file that is known to be a catalog.
///
/// To set the cache's size, SQLite reads the schema; of a file that nobody has recognised yet it would fail on what is not
/// there.
pub(crate) fn open_reader(path: &Path, role: Role) -> rusqlite::Result<Connection> {
    let connection = open(path, role)?;
    connection.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
    Ok(connection)
}

/// Threads hand connections on and never share one, so SQLite need not lock.
fn no_mutex() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// The URI under which SQLite reads a file without locks, log and shared memory.
fn immutable_uri(path: &Path) -> PathBuf {
    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => uri.push(char::from(*byte)),
            other => write!(uri, "%{other:02X}").expect("writing to a string cannot fail"),
        }
    }
    uri.push_str("?immutable=1");
    PathBuf::from(uri)
}

/// The file that SQLite keeps beside a database: `-wal`, `-shm`.
pub(crate) fn side_file(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// Folds the log into the file, without waiting for those who still read it.
pub(crate) fn checkpoint(connection: &Connection) -> Result<Checkpoint, WriteError> {
    connection.busy_timeout(Duration::ZERO)?;
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    connection.busy_timeout(BUSY_TIMEOUT)?;
    Ok(if busy? == 0 { Checkpoint::Complete } else { Checkpoint::Partial })
}
