//! Opening of a catalog file.
//!
//! A file is recognised before it is changed in any way: one that is not a catalog, or of a newer version, is left as it is. A
//! catalog on a network file system is refused, because its locks and the shared memory of the write-ahead log are not reliable
//! there. A file that cannot be written is opened for reading if its log allows it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use crate::catalog::base;
use crate::catalog::connection::{self, Role, side_file};
use crate::catalog::error::ErrorKind;
use crate::catalog::{CatalogOpenError, ReadError, SqliteError};

mod migrate;
mod network;

/// How long to retry switching a new file to WAL mode while another process does the same. SQLite does not wait in this
/// case.
const SWITCH_TIMEOUT: Duration = Duration::from_secs(5);

/// A connection to a catalog with the current schema.
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    pub(crate) role: Role,
}

/// Opens a catalog for writing if possible, else for reading.
pub(crate) fn open(path: &Path) -> Result<Opened, CatalogOpenError> {
    if let Some(name) = network_file_system(path) {
        return Err(CatalogOpenError::NetworkFileSystem { path: path.to_owned(), name });
    }
    match create(path) {
        Ok(()) => open_for_writing(path),
        Err(error) if denies_writing(&error) => open_for_reading(path, error),
        Err(error) if error.kind() == io::ErrorKind::StorageFull => {
            Err(CatalogOpenError::DiskFull { path: path.to_owned() })
        }
        Err(source) => Err(CatalogOpenError::Io { path: path.to_owned(), source }),
    }
}

fn open_for_writing(path: &Path) -> Result<Opened, CatalogOpenError> {
    let open_error = |error| CatalogOpenError::new(path, error);
    let connection = connection::open(path, Role::Write).map_err(open_error)?;
    // Leave a rejected file unchanged: closing the last connection would checkpoint its log.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(open_error)?;
    if migrate::recognise(path, &connection)? == 0 {
        connection.pragma_update(None, "page_size", migrate::PAGE_BYTES).map_err(open_error)?;
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).map_err(open_error)?;
    switch_to_wal(&connection).map_err(open_error)?;
    migrate::migrate(path, &connection)?;
    attach_base(path, &connection)?;
    Ok(Opened { connection, role: Role::Write })
}

/// Opens a read-only file. `denied` is the error of the attempt to write.
fn open_for_reading(path: &Path, denied: io::Error) -> Result<Opened, CatalogOpenError> {
    if File::open(path).is_err() {
        return Err(CatalogOpenError::ReadOnly { path: path.to_owned(), source: Some(denied) });
    }
    // A non-empty log has commits that the file lacks, and SQLite can only read it with the shared memory of its
    // writer. Without a log there is no writer, and none can start.
    let log_length = fs::metadata(side_file(path, "-wal")).map_or(0, |log| log.len());
    let role = if log_length == 0 { Role::ReadImmutable } else { Role::Read };
    let connection = connection::open(path, role).map_err(|error| CatalogOpenError::new(path, error))?;
    match migrate::recognise(path, &connection) {
        Ok(version) if version == migrate::SUPPORTED => {
            attach_base(path, &connection)?;
            Ok(Opened { connection, role })
        }
        // An older schema cannot be migrated, and a log cannot be read without shared memory.
        Ok(_) | Err(CatalogOpenError::Sqlite { .. }) => {
            Err(CatalogOpenError::ReadOnly { path: path.to_owned(), source: Some(denied) })
        }
        Err(other) => Err(other),
    }
}

/// Attaches the base of the catalog, if it has one.
fn attach_base(path: &Path, connection: &Connection) -> Result<(), CatalogOpenError> {
    base::attach(connection, path).map_err(|error| match error {
        ReadError::Damaged { reason } => CatalogOpenError::Damaged { path: path.to_owned(), reason },
        ReadError::Sqlite { source: SqliteError(source) } => CatalogOpenError::new(path, source),
    })
}

/// The name of the network file system that contains the file, if any.
pub(crate) fn network_file_system(path: &Path) -> Option<String> {
    network::file_system(path)
}

/// Creates the file if there is none. Only its owner can read it, because it contains the texts of the store's
/// documents, or data derived from them.
pub(crate) fn create(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)?;
    // SQLite creates files next to it.
    #[cfg(unix)]
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        rustix::fs::access(directory, rustix::fs::Access::WRITE_OK)?;
    }
    Ok(())
}

fn denies_writing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Switches the file to WAL mode, which is persistent.
pub(crate) fn switch_to_wal(connection: &Connection) -> rusqlite::Result<()> {
    let deadline = Instant::now() + SWITCH_TIMEOUT;
    loop {
        let mode = connection.query_row("PRAGMA journal_mode = wal", [], |row| row.get::<_, String>(0));
        match mode {
            Err(error) if ErrorKind::classify(&error) == ErrorKind::Busy && Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(error) => return Err(error),
            Ok(_) => return Ok(()),
        }
    }
}
